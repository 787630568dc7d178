"""The tool type `document`: five actions over the acting person's documents (seed 0)."""
