"""Finding a person's documents: by words and meaning, by what stands in them literally, and why."""
