"""The console's import from MCP servers, and what a server says of a tool by now."""
