"""What the operator does with the audit beside reading it: narrow it, verify it, export it."""
