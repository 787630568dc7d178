"""The pages below `/knowledge/`."""
