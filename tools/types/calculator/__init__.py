"""Exact arithmetic for models that would otherwise guess."""
