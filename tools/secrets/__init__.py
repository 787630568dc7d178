"""Secrets: kept sealed, named by configs, opened for a call to one of their hosts."""
