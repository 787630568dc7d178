"""The console's first page: what happened, how it went, what needs somebody."""
