"""System checks of the tools app."""
