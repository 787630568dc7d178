"""Work on text that models do badly by themselves: counting, patterns, differences."""
