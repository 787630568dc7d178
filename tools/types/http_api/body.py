"""The bytes of a request's body, by its content type."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from tools.errors import ToolFailure
from tools.types.http_api.parts import Body, PropertyEncoding, kind_of
from tools.types.http_api.styles import Pair, as_query, in_query, text_of

_PLAIN = PropertyEncoding()


def body_bytes(body: Body, value: Any) -> tuple[bytes, str]:
    """With the content type's header. Raises `ToolFailure` and `UnicodeEncodeError`."""
    kind = kind_of(body.content_type)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False).encode(), body.content_type
    if kind == "text":
        if not isinstance(value, str):
            raise _unfit(_("The body is a text."))
        return value.encode(), f"{body.content_type}; charset=utf-8"
    if not isinstance(value, dict):
        raise _unfit(_("The body is an object: the fields of a form."))
    if kind == "form":
        return as_query(list(_form_pairs(body, value))).encode(), body.content_type
    return _multipart(list(_parts(body, value)))


def _unfit(message: str) -> ToolFailure:
    return ToolFailure(message, code="invalid_arguments")


def _form_pairs(body: Body, value: dict[str, Any]) -> Iterator[Pair]:
    for name, item in value.items():
        how = body.encoding.get(name)
        if how is None:  # what holds others is JSON then (OpenAPI 3.1, 4.8.15)
            how = PropertyEncoding(as_json=isinstance(item, dict))
        if how.as_json:
            yield from in_query(name, _as_json(item), "form", explode=True)
            continue
        explode = how.style == "form" if how.explode is None else how.explode
        yield from in_query(name, item, how.style, explode=explode)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- multipart/form-data (RFC 7578) ---


def _parts(body: Body, value: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Name, content type and text of each."""
    for name, item in value.items():
        how = body.encoding.get(name, _PLAIN)
        is_list = isinstance(item, list) and not how.as_json
        for one in item if is_list else [item]:
            if how.as_json or isinstance(one, dict | list):
                yield name, "application/json", _as_json(one)
            else:
                yield name, "text/plain; charset=utf-8", text_of(one)


def _multipart(parts: list[tuple[str, str, str]]) -> tuple[bytes, str]:
    boundary = _boundary(parts)
    lines = []
    for name, content_type, text in parts:
        lines += [
            f"--{boundary}",
            f'Content-Disposition: form-data; name="{_quoted(name)}"',
            f"Content-Type: {content_type}",
            "",
            text,
        ]
    data = "\r\n".join([*lines, f"--{boundary}--", ""]).encode()
    return data, f"multipart/form-data; boundary={boundary}"


def _boundary(parts: list[tuple[str, str, str]]) -> str:
    """The same for the same parts, so that what was planned is what is sent.

    Nobody can write a text that holds the digest of itself.
    """
    return f"gatehouse-{hashlib.sha256(repr(parts).encode()).hexdigest()[:40]}"


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
