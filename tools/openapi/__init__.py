"""Importing an OpenAPI 3 document: one `http_api` tool for each operation that is chosen."""
