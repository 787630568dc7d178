"""What an operator sets, what a model gives, what it gets back."""

from typing import Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, Field, field_validator

from config.base.outbound.addresses import parse_networks
from config.base.outbound.domains import parse_domains
from config.base.outbound.errors import HeaderNotAllowed
from config.base.outbound.headers import check_headers
from config.base.outbound.policy import OutboundPolicy
from tools.configs.outside import (
    BodyBytes,
    Domains,
    PrivateNetworks,
    Redirects,
    TimeoutMs,
    WriteDomains,
)
from tools.secrets.refs import SecretRef, TextOrSecret
from tools.tool_type import ToolConfig, ToolInput

type Method = Literal["GET", "POST"]
type ParseMode = Literal["raw", "markdown", "json"]

IDEMPOTENCY_KEY = "idempotency-key"


class FetchConfig(ToolConfig):
    """Limits of one fetch tool."""

    default_method: Method = Field("GET", description="Used when the model names no method.")
    default_headers: dict[str, TextOrSecret] = Field(
        default_factory=dict,
        description="Sent with every call to the host that was asked for, never after a redirect "
        "to another one, such as accept: application/json. The model does not see them. A value "
        'of {"secret": "name"} is that secret: where it is sent, only its hosts '
        "can be called. A call that sets the same header itself sends its own instead.",
    )
    timeout_ms: TimeoutMs = 10_000
    write_domains: WriteDomains = Field(
        (),
        description="Hosts, such as api.example.com, to which a POST counts as a reversible write "
        "(L2), not as L3.",
    )
    max_response_bytes: BodyBytes = Field(
        102_400,
        description="The body is cut there; counted after decompression.",
    )
    allowed_domains: Domains = Field(
        ("*",),
        description="example.com, *.example.com for its subdomains only, or * for every host.",
    )
    blocked_domains: Domains = Field((), description="As above; blocked beats allowed.")
    allowed_private_networks: PrivateNetworks = Field(
        (),
        description="Networks that are not public and may be reached on purpose: 127.0.0.1/32 "
        "opens this machine, 10.0.0.0/8 an intranet, to everybody who may use the tool.",
    )
    parse_mode: ParseMode = Field(
        "markdown", description="markdown keeps a page's main text; raw and json as they say."
    )
    max_redirects: Redirects = 5

    @field_validator("default_headers")
    @classmethod
    def _headers_can_be_sent(cls, value: dict[str, TextOrSecret]) -> dict[str, TextOrSecret]:
        try:
            checked = check_headers({name: _text(held) for name, held in value.items()})
        except HeaderNotAllowed as error:
            raise ValueError(error.message) from error
        if IDEMPOTENCY_KEY in checked:
            raise ValueError(_("Idempotency-Key is set for each call by Gatehouse."))
        held = {name.lower(): one for name, one in value.items() if isinstance(one, SecretRef)}
        return checked | held

    def names_host(self, host: str) -> bool:
        """Whether the operator wrote it down; `*` names nobody."""
        named = [one for one in self.allowed_domains if one.strip() != "*"]
        return parse_domains(named).matches(host)

    def policy(self) -> OutboundPolicy:
        return OutboundPolicy(
            allowed_domains=self.allowed_domains,
            blocked_domains=self.blocked_domains,
            allowed_networks=parse_networks(self.allowed_private_networks),
            max_redirects=self.max_redirects,
            max_response_bytes=self.max_response_bytes,
        )


def _text(held: TextOrSecret) -> str:
    return "" if isinstance(held, SecretRef) else held


class FetchInput(ToolInput):
    url: str = Field(description="Absolute http or https URL.")
    method: Method | None = Field(None, description="GET to read, POST to send.")
    headers: dict[str, str] = Field(
        default_factory=dict, description="Request headers, only where the API needs them."
    )
    body: str | dict[str, Any] | list[Any] | None = Field(
        None, description="Request body: text, or a JSON value that is sent as JSON."
    )

    @field_validator("method", mode="before")
    @classmethod
    def _method_in_any_case(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value


class FetchOutput(BaseModel):
    url: str = Field(description="Where the content came from, after redirects.")
    status_code: int
    content_type: str
    content: Any = Field(description="Text, or the parsed value in parse mode json.")
