"""What agents remember of a person: keeping it, forgetting it, recalling it."""
