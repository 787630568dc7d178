"""Dates, times and zones: what a model must look up instead of guessing."""
