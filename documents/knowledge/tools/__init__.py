"""The tool types over knowledge: passages that answer, and files themselves."""
