"""Encodings, digests and identifiers: what a model can't do letter by letter."""
