"""The request of one call: what the model gave, put where the operation wants it."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from config.base.outbound.hops import OutboundRequest
from tools.errors import ToolFailure
from tools.schemas import JSON
from tools.types.http_api.arguments import BODY, argument_names
from tools.types.http_api.body import body_bytes
from tools.types.http_api.config import HttpApiConfig
from tools.types.http_api.parts import Parameter
from tools.types.http_api.paths import fill
from tools.types.http_api.styles import Pair, as_query, in_path, in_query


@dataclass(frozen=True, slots=True)
class Parts:
    """A request before it is put together: credentials may still join."""

    path: str
    query: tuple[Pair, ...]
    headers: dict[str, str]
    cookies: tuple[Pair, ...]
    body: bytes | None

    def with_more(self, query: list[Pair], headers: dict[str, str], cookies: list[Pair]) -> "Parts":
        return Parts(
            self.path,
            (*self.query, *query),
            {**self.headers, **headers},
            (*self.cookies, *cookies),
            self.body,
        )

    def request(self, config: HttpApiConfig) -> OutboundRequest:
        url = f"{config.base_url}{self.path}"
        if self.query:
            url = f"{url}?{as_query(list(self.query))}"
        headers = dict(self.headers)
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies)
        return OutboundRequest(url=url, method=config.method, headers=headers, body=self.body)


def parts_of(arguments: JSON, config: HttpApiConfig) -> Parts:
    """Without any credential: what may be shown and stored. Raises `ToolFailure`."""
    try:
        return _parts_of(arguments, config)
    except UnicodeEncodeError:  # a lone surrogate, from a model's JSON escape
        raise ToolFailure(_("An argument is not valid text."), code="invalid_arguments") from None


def _parts_of(arguments: JSON, config: HttpApiConfig) -> Parts:
    names = argument_names(config.parameters, config.body)
    given = [
        (parameter, arguments[name])
        for name, parameter in zip(names, config.parameters, strict=True)
        if arguments.get(name) is not None or parameter.location == "path"
    ]
    query = [pair for one, value in given for pair in _pairs(one, value, "query")]
    cookies = [pair for one, value in given for pair in _pairs(one, value, "cookie")]
    _refuse_credentials(query, "query", config)
    _refuse_credentials(cookies, "cookie", config)
    headers = {
        one.name.lower(): _in_header(one, value) for one, value in given if one.location == "header"
    }
    body = _body_of(arguments, config, headers)
    return Parts(_path(given, config), tuple(query), headers, tuple(cookies), body)


def _path(given: list[tuple[Parameter, Any]], config: HttpApiConfig) -> str:
    texts = {}
    for one, value in given:
        if one.location == "path":
            style, explode = one.written
            texts[one.name] = in_path(one.name, _value(one, value), style, explode=explode)
    return fill(config.path, texts)


def _pairs(one: Parameter, value: Any, location: str) -> list[Pair]:
    if one.location != location:
        return []
    style, explode = one.written
    pairs = in_query(one.name, _value(one, value), style, explode=explode)
    if location == "query":
        return list(pairs)
    # A comma is none of a cookie's letters (RFC 6265, 4.1.1).
    return [(name, text.replace(",", "%2C")) for name, text in pairs]


def _in_header(one: Parameter, value: Any) -> str:
    """Not encoded: what a header can't carry is refused by the client."""
    explode = one.written[1]
    return in_path(one.name, _value(one, value), "simple", explode=explode, encode=str)


def _value(one: Parameter, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if one.as_json else value


def _refuse_credentials(pairs: list[Pair], location: str, config: HttpApiConfig) -> None:
    """An object's keys are a model's words: none of them stands in for a credential."""
    keys = {one.name for one in config.security if one.location == location}
    taken = keys & {name for name, _text in pairs}
    if taken:
        raise ToolFailure(
            _("%(name)s is a credential and can't be given.") % {"name": min(taken)},
            code="invalid_arguments",
        )


def _body_of(arguments: JSON, config: HttpApiConfig, headers: dict[str, str]) -> bytes | None:
    if config.body is None or BODY not in arguments:
        return None
    data, content_type = body_bytes(config.body, arguments[BODY])
    if len(data) > config.max_request_bytes:
        raise ToolFailure(
            _("The body is larger than %(limit)d bytes (max_request_bytes); nothing was sent.")
            % {"limit": config.max_request_bytes},
            code="body_too_large",
        )
    headers["content-type"] = content_type
    return data
