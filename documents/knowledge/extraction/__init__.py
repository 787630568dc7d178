"""Reading the text of a file somebody uploaded. Runs in the child process: no Django here.

`reading.read_file` is what the child calls. docs/adr/0018-knowledge-extraction.md says why so.
"""
