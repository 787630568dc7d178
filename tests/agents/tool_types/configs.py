"""One config of each tool type in which everything that it can hold is held once."""

from typing import Any

from tools.mcp.descriptors import descriptor_hash
from tools.schemas import JSON

SECRET: JSON = {"secret": "api"}
DESCRIPTOR: JSON = {
    "name": "search",
    "description": "Searches.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
NETWORKS = ["10.0.0.0/8"]

_OPERATION: JSON = {
    "base_url": "https://a.example/v1",
    "method": "POST",
    "path": "/pets/{id}",
    "about": "Adds a toy.",
    "parameters": [
        {
            "name": "id",
            "in": "path",
            "required": True,
            "style": "simple",
            "description": "Which pet.",
            "schema": {"type": "string"},
        }
    ],
    "body": {
        "content_type": "application/x-www-form-urlencoded",
        "description": "The toy.",
        "schema": {"type": "object"},
        "encoding": {"tags": {"style": "form"}},
    },
    "definitions": {"Toy": {"type": "object"}},
    "security": [{"kind": "api_key", "in": "query", "name": "key", "value": SECRET}],
    "write_domains": ["a.example"],
    "allowed_private_networks": NETWORKS,
    "source": {"document": "Pets", "operation": "POST /pets/{id}", "secrets": {"key": "api"}},
}

FULL: dict[str, Any] = {
    "ask_model": {"model_profile": "Helper", "instructions": "Be brief."},
    "document": {"approval_required_actions": ["delete"]},
    "fetch": {
        "default_method": "GET",
        "default_headers": {"authorization": SECRET},
        "write_domains": ["a.example"],
        "allowed_domains": ["*"],
        "blocked_domains": ["b.example"],
        "allowed_private_networks": NETWORKS,
        "parse_mode": "raw",
    },
    "http_api": _OPERATION,
    "mcp": {
        "url": "https://a.example/mcp",
        "headers": {"authorization": SECRET},
        "remote_tool": "search",
        "descriptor": DESCRIPTOR,
        "descriptor_hash": descriptor_hash(DESCRIPTOR),
        "write_domains": ["a.example"],
        "allowed_private_networks": NETWORKS,
    },
    "web_search": {
        "provider": "searxng",
        "url": "https://a.example/search",
        "api_key": SECRET,
        "safe_search": "moderate",
        "allowed_private_networks": NETWORKS,
    },
}


def full_config(type_name: str, schema: JSON) -> JSON:
    """A type that only has numbers needs no entry: its defaults hold everything."""
    defaults = {
        name: field["default"]
        for name, field in schema.get("properties", {}).items()
        if field.get("default") is not None
    }
    return {**defaults, **FULL.get(type_name, {})}
