"""Chance that no model has: drawn by the machine, or repeatable by a seed."""
