"""Evaluating skills by the cases that they ship with: judging, keeping and comparing results."""
