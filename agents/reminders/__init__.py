"""The reminder of a goal check-in: what it says, where it is written, when it may be."""
