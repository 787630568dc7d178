"""The tool types that know conversations and models."""
