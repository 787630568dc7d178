"""Filling a template that somebody else wrote."""
