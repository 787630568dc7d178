"""`/api/knowledge/`."""
