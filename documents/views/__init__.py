"""The pages under `/documents/`."""
