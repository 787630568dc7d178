"""Finding by words and by meaning: memories, documents, passages of files, by one retrieval.

`items` says what can be found, `index` keeps it, `retrieve` answers. docs/adr/0017-retrieval.md.
"""
