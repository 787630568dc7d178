"""Search through a provider that an operator configured."""
