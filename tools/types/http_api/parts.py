"""What one operation is made of: parameters, a body, credentials."""

from typing import Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator

from config.base.outbound.errors import HeaderNotAllowed
from config.base.outbound.headers import TOKEN, check_headers
from tools.secrets.refs import SecretRef

type Schema = dict[str, Any]
type Location = Literal["path", "query", "header", "cookie"]
type Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"
]

STYLES: dict[str, tuple[str, ...]] = {  # the first is the default (OpenAPI 3.1, 4.8.12)
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
IDEMPOTENCY_KEY = "idempotency-key"
# Set by us, by a credential or by the body; a method override would be a write that a GET hides.
RESERVED_HEADERS = frozenset(
    {
        *("accept", "authorization", "content-type", "cookie", IDEMPOTENCY_KEY),
        *("x-http-method", "x-http-method-override", "x-method-override"),
    }
)


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameter(Part):
    name: str = Field(min_length=1, max_length=100, description="As the API calls it.")
    location: Location = Field(alias="in", description="Where it is sent.")
    required: bool = Field(False, description="Those of the path always are.")
    style: Style | None = Field(
        None, description="How lists and objects are written, as OpenAPI names it."
    )
    explode: bool | None = Field(
        None, description="Each member of a list or object by itself; as OpenAPI's."
    )
    as_json: bool = Field(False, description="Sent as JSON text, whatever its style.")
    description: str = Field("", max_length=2000, description="For the model.")
    value_schema: Schema = Field(
        default_factory=lambda: {"type": "string"},
        alias="schema",
        description="JSON schema of the value; #/$defs/… leads to a definition.",
    )

    @model_validator(mode="after")
    def _fits_its_place(self) -> Self:
        if self.style is not None and self.style not in STYLES[self.location]:
            words = {"style": self.style, "location": self.location}
            raise ValueError(_("%(style)s is no style of a %(location)s parameter.") % words)
        if self.location == "path" and not self.required:
            raise ValueError(_("A parameter of the path is required."))
        if self.location == "header":
            _check_header(self.name)
        if self.location == "cookie":
            _check_token(self.name)
        return self

    @property
    def written(self) -> tuple[str, bool]:
        """Style and explode, with OpenAPI's defaults."""
        style = self.style or STYLES[self.location][0]
        return style, (style == "form") if self.explode is None else self.explode


class PropertyEncoding(Part):
    """How one property of a form is written."""

    style: Literal["form", "spaceDelimited", "pipeDelimited", "deepObject"] = Field(
        "form", description="As of a query parameter."
    )
    explode: bool | None = Field(None, description="As of a query parameter.")
    as_json: bool = Field(False, description="Sent as JSON text.")


class Body(Part):
    content_type: str = Field(
        "application/json",
        max_length=100,
        pattern=r"^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$",
        description="JSON, application/x-www-form-urlencoded, multipart/form-data without files, "
        "or text, which is sent as it is given.",
    )
    required: bool = Field(False, description="Whether the API refuses a call without it.")
    description: str = Field("", max_length=2000, description="For the model.")
    value_schema: Schema = Field(
        default_factory=dict,
        alias="schema",
        description="JSON schema of the value; #/$defs/… leads to a definition.",
    )
    encoding: dict[str, PropertyEncoding] = Field(
        default_factory=dict, description="Of a form's properties that are written otherwise."
    )

    @model_validator(mode="after")
    def _can_be_written(self) -> Self:
        if kind_of(self.content_type) is None:
            words = {"kind": self.content_type}
            raise ValueError(_("A body of %(kind)s can't be written.") % words)
        return self


type BodyKind = Literal["json", "form", "multipart", "text"]


def kind_of(content_type: str) -> BodyKind | None:
    """None for what we can't write."""
    if content_type == "application/json" or content_type.endswith("+json"):
        return "json"
    if content_type == "application/x-www-form-urlencoded":
        return "form"
    if content_type == "multipart/form-data":
        return "multipart"
    is_text = content_type.startswith("text/") or content_type == "application/xml"
    return "text" if is_text or content_type.endswith("+xml") else None


class Credential(Part):
    kind: Literal["api_key", "bearer", "basic"] = Field(
        description="api_key is sent as it is; bearer and basic in the header Authorization. "
        "The secret of basic is user:password."
    )
    location: Literal["header", "query", "cookie"] = Field(
        "header", alias="in", description="Where an API key is sent."
    )
    name: str = Field("", max_length=100, description="What an API key is called there.")
    value: SecretRef = Field(description="The secret; its allowed hosts hold for it.")

    @model_validator(mode="after")
    def _api_keys_have_names(self) -> Self:
        if self.kind != "api_key":
            if self.name or self.location != "header":
                raise ValueError(_("Only an API key has a name and a place."))
        elif self.location == "header":
            check_headers_of_keys(self.name)
        elif self.location == "cookie":
            _check_token(self.name)
        elif not self.name:
            raise ValueError(_("An API key needs its name."))
        return self


def check_headers_of_keys(name: str) -> None:
    """An API may well take its key in the header Authorization."""
    if name.lower() in RESERVED_HEADERS - {"authorization"}:
        raise ValueError(_("The header %(name)s is set by Gatehouse only.") % {"name": name})
    _check_sendable(name)


def _check_header(name: str) -> None:
    if name.lower() in RESERVED_HEADERS:
        raise ValueError(_("The header %(name)s is set by Gatehouse only.") % {"name": name})
    _check_sendable(name)


def _check_sendable(name: str) -> None:
    try:
        check_headers({name: ""})
    except HeaderNotAllowed as error:
        raise ValueError(error.message) from error


def _check_token(name: str) -> None:
    if not TOKEN.fullmatch(name):
        raise ValueError(_("“%(name)s” is no name of a cookie.") % {"name": name})
