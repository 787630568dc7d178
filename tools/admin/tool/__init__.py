"""The console's pages of tools: the list, the form, trying one, its charts, its type."""
