"""What the random tool refuses."""

MAX_ITEMS = 10_000
MAX_COUNT = 10_000
MAX_SIDES = 1_000_000
MAX_WHOLE = 10**18  # of a bound, either way
MAX_SEED_CHARS = 200
