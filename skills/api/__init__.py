"""The REST API of skills: what there is, what a person permits and wants, what was used."""
