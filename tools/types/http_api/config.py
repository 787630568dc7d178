"""What an operator, or the import of an OpenAPI document, sets; what comes back."""

import json
from typing import Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from config.base.outbound.addresses import parse_networks
from config.base.outbound.errors import OutboundRefused
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import parse_url
from tools.configs.outside import (
    BodyBytes,
    PrivateNetworks,
    Redirects,
    TimeoutMs,
    WriteDomains,
    check_opened,
)
from tools.json_schemas.described_input import UnusableSchema
from tools.tool_type import ToolConfig
from tools.types.http_api.arguments import arguments_model, arguments_schema
from tools.types.http_api.parts import Body, Credential, Parameter, Part, Schema
from tools.types.http_api.paths import check_template, placeholders

type Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

MAX_SCHEMA_CHARS = 60_000  # a model reads it with every request
READS = frozenset({"GET", "HEAD"})
_EXAMPLE: dict[str, Any] = {
    "base_url": "https://api.example.com/v1",
    "method": "GET",
    "path": "/pets/{pet_id}",
    "parameters": [
        {
            "name": "pet_id",
            "in": "path",
            "required": True,
            "description": "Which pet.",
            "schema": {"type": "string"},
        }
    ],
}


class Source(Part):
    """Where the description comes from; the next import of the same document finds it by this."""

    document: str = Field(min_length=1, max_length=200, description="Name of the document.")
    operation: str = Field(
        min_length=1, max_length=1100, description="Method and path, as the document has them."
    )
    secrets: dict[str, str] = Field(
        default_factory=dict,
        max_length=20,
        description="Which secret was chosen for which of the document's security schemes.",
    )


class HttpApiConfig(ToolConfig):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    base_url: str = Field(
        max_length=2000, description="Such as https://api.example.com/v1; without a query."
    )
    method: Method = Field("GET", description="GET and HEAD read; the others write.")
    path: str = Field(
        max_length=1000, description="Follows the base URL: /pets/{pet_id}, a parameter in braces."
    )
    about: str = Field(
        "", max_length=1500, description="What the API says that it does, for the model."
    )
    parameters: tuple[Parameter, ...] = Field(
        (), max_length=60, description="What may be said with a call, beside its body."
    )
    body: Body | None = Field(None, description="What is sent in the request's body.")
    definitions: dict[str, Schema] = Field(
        default_factory=dict,
        max_length=200,
        description="JSON schemas that others lead to, by name.",
    )
    security: tuple[Credential, ...] = Field(
        (), max_length=4, description="Secrets that go with every call; the model sees none."
    )
    timeout_ms: TimeoutMs = 15_000
    write_domains: WriteDomains = Field(
        (),
        description="Hosts, such as api.example.com, to which a write counts as reversible (L2), "
        "not as L3.",
    )
    max_request_bytes: BodyBytes = Field(1024 * 1024, description="A larger body is not sent.")
    max_response_bytes: BodyBytes = Field(
        102_400,
        description="The answer is cut there; counted after decompression.",
    )
    max_redirects: Redirects = 5
    allowed_private_networks: PrivateNetworks = Field(
        (),
        description="Networks that are not public and may be reached on purpose, such as "
        "10.0.0.0/8.",
    )
    source: Source | None = Field(
        None, description="The imported document; empty for what was written by hand."
    )

    @field_validator("base_url")
    @classmethod
    def _base_is_a_url(cls, value: str) -> str:
        try:
            parse_url(value)
        except OutboundRefused as error:
            raise ValueError(error.message) from error
        if "?" in value or "#" in value:
            raise ValueError(_("The base URL has no query and no fragment."))
        check_template(value.split("://", 1)[1].partition("/")[2], braces=False)
        return value.rstrip("/")

    @field_validator("path")
    @classmethod
    def _path_stays_below_the_base(cls, value: str) -> str:
        if not value.startswith("/"):
            raise ValueError(_("The path begins with a slash."))
        check_template(value)
        return value

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        keys = [_key_of(one) for one in self.parameters]
        if len(set(keys)) < len(keys):
            raise ValueError(_("A parameter is described twice."))
        named = {one.name for one in self.parameters if one.location == "path"}
        if named != placeholders(self.path):
            raise ValueError(_("The path's braces and its parameters are not the same."))
        if self.body is not None and self.is_read:
            raise ValueError(_("A call that reads sends no body."))
        self._check_credentials()
        self._check_schema()
        check_opened(self.base_url, self.allowed_private_networks)
        return self

    def _check_credentials(self) -> None:
        places = {(one.location, one.name.lower()) for one in self.security}
        if len(places) < len(self.security):
            raise ValueError(_("Two credentials go to the same place."))
        taken = {_key_of(one) for one in self.parameters} & places
        if taken:
            words = {"name": min(taken)[1]}
            raise ValueError(_("%(name)s is a credential and can't be a parameter.") % words)

    def _check_schema(self) -> None:
        try:
            schema = arguments_schema(self.parameters, self.body, self.definitions)
            if len(json.dumps(schema)) > MAX_SCHEMA_CHARS:
                message = _("The schema of the arguments is too large: at most %(most)d letters.")
                raise ValueError(message % {"most": MAX_SCHEMA_CHARS})
            arguments_model(schema)
        except UnusableSchema as error:
            raise ValueError(error.message) from error

    @property
    def is_read(self) -> bool:
        return self.method in READS

    def policy(self) -> OutboundPolicy:
        return OutboundPolicy(
            allowed_networks=parse_networks(self.allowed_private_networks),
            max_redirects=self.max_redirects,
            max_response_bytes=self.max_response_bytes,
        )


def _key_of(parameter: Parameter) -> tuple[str, str]:
    name = parameter.name
    return parameter.location, name.lower() if parameter.location == "header" else name


class HttpApiOutput(BaseModel):
    url: str = Field(description="Where the answer came from, after redirects.")
    status_code: int
    content_type: str
    truncated: bool = Field(description="Whether the answer was cut.")
    content: Any = Field(description="The parsed JSON value, or text.")
