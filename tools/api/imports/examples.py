"""Examples of the imports; a test holds each of them against its schema."""

_TOOL = {
    "id": "01a22979-fc60-7f40-907f-3952c8174b92",
    "slug": "show_pet_by_id",
    "operation": "GET /pets/{petId}",
    "enabled": False,
    "changes": [],
}

ASK_OPENAPI_PREVIEW = {"url": "https://api.example.com/openapi.json", "preview": True}
ASK_OPENAPI = {
    "url": "https://api.example.com/openapi.json",
    "operations": ["GET /pets", "GET /pets/{petId}"],
    "secrets": {"api_key": "pets"},
}
OPENAPI_PREVIEW = {
    "preview": True,
    "name": "Pet Store",
    "security_schemes": [
        {
            "name": "api_key",
            "kind": "apiKey (header X-Api-Key)",
            "description": "",
            "usable": True,
            "secret": None,
        }
    ],
    "operations": [
        {
            "operation": "GET /pets/{petId}",
            "summary": "Info for a specific pet",
            "tags": ["pets"],
            "deprecated": False,
            "base_url": "",
            "security": [["api_key"]],
            "step": "unusable",
            "slug": "",
            "tool_id": None,
            "changes": [],
            "problem": {"code": "secret_missing", "message": "Choose a secret for api_key."},
        }
    ],
    "created": [],
    "updated": [],
    "unchanged": [],
    "gone": [],
    "skipped": [],
}
OPENAPI_IMPORTED = {
    "preview": False,
    "name": "Pet Store",
    "security_schemes": [],
    "operations": [],
    "created": [_TOOL],
    "updated": [],
    "unchanged": [],
    "gone": [],
    "skipped": [
        {
            "operation": "POST /pets",
            "problem": {"code": "secret_missing", "message": "Choose a secret for api_key."},
        }
    ],
}

ASK_MCP = {
    "url": "https://mcp.example.com/mcp",
    "headers": {"authorization": {"secret": "handbook"}},
    "prefix": "handbook",
    "tools": ["search", "read_page"],
}
MCP_IMPORTED = {
    "server": "handbook",
    "version": "2026-07-28",
    "tools": [
        {
            "name": "search",
            "state": "created",
            "slug": "handbook_search",
            "tool_id": _TOOL["id"],
            "hash": "0f343b0931126a20f133d67c2b018a3b5e3c9b1f6d2c8a8c3f6e1a5f7d0c4b21",
            "problem": "",
            "descriptor": {
                "name": "search",
                "description": "Searches the handbook.",
                "inputSchema": {"type": "object"},
            },
        }
    ],
}
