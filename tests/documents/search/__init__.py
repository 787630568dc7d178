"""The search core: what is found, for whom, and why."""
