"""The processes of a product: `supervise` forks them, restarts them, ends them."""
