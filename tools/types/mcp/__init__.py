"""The tool type `mcp`: one tool of an external MCP server."""
