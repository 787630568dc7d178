"""The skills that this app ships, with their cases."""
