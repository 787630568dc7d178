"""Examples of the import; a test holds each of them against its schema."""

_TOOL = {
    "id": "01a22979-fc60-7f40-907f-3952c8174b92",
    "slug": "show_pet_by_id",
    "operation": "GET /pets/{petId}",
    "enabled": False,
    "changes": [],
}

ASK_PREVIEW = {"url": "https://api.example.com/openapi.json", "preview": True}
ASK_IMPORT = {
    "url": "https://api.example.com/openapi.json",
    "operations": ["GET /pets", "GET /pets/{petId}"],
    "secrets": {"api_key": "pets"},
}
PREVIEW = {
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
}
IMPORTED = {
    "preview": False,
    "name": "Pet Store",
    "security_schemes": [],
    "operations": [],
    "created": [_TOOL],
    "updated": [],
    "unchanged": [],
    "gone": [],
}
