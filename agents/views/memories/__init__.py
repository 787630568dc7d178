"""The pages under `/memories/`."""
