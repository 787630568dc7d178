"""Which tool of which server, and what was agreed that it is."""

from collections.abc import Callable
from typing import Any, Self

from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field, field_validator, model_validator

from config.base.errors import GatehouseError
from config.base.outbound.urls import parse_url
from tools.configs.outside import (
    BodyBytes,
    PrivateNetworks,
    TimeoutMs,
    WriteDomains,
    check_opened,
)
from tools.mcp.descriptors import MAX_NAME, check_descriptor, descriptor_hash
from tools.mcp.endpoint import Endpoint, checked_headers
from tools.secrets.refs import TextOrSecret
from tools.tool_type import ToolConfig

_EXAMPLE: dict[str, Any] = {
    "name": "search",
    "description": "Searches the handbook.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
    },
}


class McpConfig(ToolConfig):
    """Made by the import from a server; the pinned descriptor is what the model reads."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "url": "https://mcp.example.com/mcp",
                    "remote_tool": "search",
                    "descriptor": _EXAMPLE,
                    "descriptor_hash": descriptor_hash(_EXAMPLE),
                }
            ]
        }
    )

    url: str = Field(
        max_length=2000, description="The server's endpoint, such as https://mcp.example.com/mcp."
    )
    headers: dict[str, TextOrSecret] = Field(
        default_factory=dict,
        description='Sent with every request to the server. A value of {"secret": "name"} is that '
        "secret, such as “Bearer …” as authorization.",
    )
    remote_tool: str = Field(
        min_length=1, max_length=MAX_NAME, description="Its name at the server."
    )
    descriptor: dict[str, Any] = Field(
        description="What the server said of the tool when it was imported or last accepted: name, "
        "title, description, inputSchema, outputSchema, annotations."
    )
    descriptor_hash: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the descriptor's canonical JSON."
    )
    changed_descriptor: dict[str, Any] | None = Field(
        None,
        description="What the server says now, where that differs: kept when the tool was switched "
        "off for it, until an operator accepts it.",
    )
    trust_read_only: bool = Field(
        False,
        description="Believe the server that a tool with readOnlyHint only reads (L1). Else every "
        "call counts as a write outside.",
    )
    timeout_ms: TimeoutMs = Field(
        30_000, description="For the whole call, all its requests together."
    )
    max_response_bytes: BodyBytes = Field(
        262_144,
        description="An answer that is larger fails; counted after decompression.",
    )
    write_domains: WriteDomains = Field(
        (),
        description="Hosts of servers whose tools count as reversible writes (L2), not as L3, "
        "unless the tool says that it destroys.",
    )
    allowed_private_networks: PrivateNetworks = Field(
        (),
        description="Networks that are not public and may be reached on purpose, such as "
        "127.0.0.1/32 for a server on this machine.",
    )

    @field_validator("url")
    @classmethod
    def _url_can_be_called(cls, value: str) -> str:
        return _told(lambda: str(parse_url(value)))

    @field_validator("headers")
    @classmethod
    def _headers_can_be_sent(cls, value: dict[str, TextOrSecret]) -> dict[str, TextOrSecret]:
        return _told(lambda: checked_headers(value))

    @field_validator("descriptor")
    @classmethod
    def _descriptor_can_be_used(cls, value: dict[str, Any]) -> dict[str, Any]:
        _told(lambda: check_descriptor(value))
        return value

    @model_validator(mode="after")
    def _pin_fits(self) -> Self:
        if self.descriptor["name"] != self.remote_tool:
            raise ValueError(_("The descriptor is that of another tool than remote_tool."))
        if descriptor_hash(self.descriptor) != self.descriptor_hash:
            raise ValueError(_("descriptor_hash is not that of the descriptor."))
        check_opened(self.url, self.allowed_private_networks)
        return self

    def endpoint(self) -> Endpoint:
        return Endpoint(
            url=self.url,
            headers=self.headers,
            allowed_private_networks=self.allowed_private_networks,
            max_response_bytes=self.max_response_bytes,
        )


def _told[ResultT](check: Callable[[], ResultT]) -> ResultT:
    """Our errors as pydantic's, which name the field."""
    try:
        return check()
    except GatehouseError as error:
        raise ValueError(error.message) from error
