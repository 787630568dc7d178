"""What every endpoint shares: sign-in, scopes, errors, pages, keys, and the schema of them."""
