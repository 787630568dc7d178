"""What the encode tool refuses."""

MAX_CHARS = 1_000_000
MAX_FIELDS = 1_000
