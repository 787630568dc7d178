"""A file on its way to the disk: its name, its size, what it is by its content."""
