"""A client of MCP servers over Streamable HTTP, revisions 2026-07-28 and 2025-11-25."""
