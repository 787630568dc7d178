"""Importing tools that somebody else describes: an MCP server, an OpenAPI document."""
