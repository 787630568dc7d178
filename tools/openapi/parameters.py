"""Parameters of an operation, its path's included, in the words of a config."""

import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from config.base.outbound.errors import HeaderNotAllowed
from config.base.outbound.headers import check_headers
from tools.openapi.errors import OperationUnusable
from tools.openapi.limits import DESCRIPTION_CHARS
from tools.openapi.pointers import References
from tools.openapi.schemas import Converted, Schemas
from tools.openapi.words import in_one_line
from tools.schemas import JSON
from tools.types.http_api.parts import IDEMPOTENCY_KEY, RESERVED_HEADERS, STYLES, kind_of
from tools.types.http_api.paths import placeholders

_SET_BY_US = frozenset({"accept", "content-type", "authorization", IDEMPOTENCY_KEY})
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def parameters_of(
    path: str, path_item: JSON, operation: JSON, schemas: Schemas
) -> tuple[list[JSON], list[Converted]]:
    """Raises `OperationUnusable`."""
    named = _merged(path_item, operation, schemas.references)
    braces = placeholders(path)
    made, converted = [], []
    for (location, name), parameter in named.items():
        if location == "path" and name not in braces:
            continue
        if location not in STYLES:
            raise OperationUnusable(
                "parameter_unsupported",
                _("The parameter “%(name)s” is sent in a way that is not known here.")
                % {"name": name[:50]},
            )
        if not _is_left_out(location, name, parameter):
            one, schema = _parameter(location, name, parameter, schemas)
            made.append(one)
            converted.append(schema)
    missing = braces - {name for location, name in named if location == "path"}
    made += [_plain(name) for name in sorted(missing)]  # described by nobody, and yet needed
    return made, converted


def _merged(
    path_item: JSON, operation: JSON, references: References
) -> dict[tuple[str, str], JSON]:
    """The operation's own beat its path's."""
    named = {}
    for holder in (path_item, operation):
        for parameter in _listed(holder, references):
            location, name = str(parameter.get("in")), parameter.get("name")
            if not isinstance(name, str) or not name:
                raise OperationUnusable("parameter_unsupported", _("A parameter has no name."))
            key = location, name.lower() if location == "header" else name
            named[key] = {**parameter, "name": name}
    return {(location, one["name"]): one for (location, _name), one in named.items()}


def _listed(holder: JSON, references: References) -> Iterator[JSON]:
    listed = holder.get("parameters")
    for value in listed if isinstance(listed, list) else []:
        yield references.resolve(value)


def _is_left_out(location: str, name: str, parameter: JSON) -> bool:
    """What Gatehouse sets, or nobody can. Raises `OperationUnusable` when it can't be left out."""
    if location == "header" and name.lower() in _SET_BY_US:
        return True
    if _can_be_sent(location, name):
        return False
    if parameter.get("required") is True:
        raise OperationUnusable(
            "parameter_unsupported",
            _("The parameter “%(name)s” can't be set by a caller.") % {"name": name[:50]},
        )
    return True


def _can_be_sent(location: str, name: str) -> bool:
    if location == "cookie":
        return _TOKEN.fullmatch(name) is not None
    if location != "header":
        return True
    try:
        check_headers({name: ""})
    except HeaderNotAllowed:
        return False
    return name.lower() not in RESERVED_HEADERS


def _parameter(
    location: str, name: str, parameter: JSON, schemas: Schemas
) -> tuple[JSON, Converted]:
    if len(name) > 100:
        raise OperationUnusable("parameter_unsupported", _("A parameter's name is too long."))
    schema, as_json = _schema_of(parameter)
    converted = schemas.convert(schema)
    made: JSON = {"name": name, "in": location}
    if parameter.get("required") is True or location == "path":
        made["required"] = True
    style, explode = parameter.get("style"), parameter.get("explode")
    if style in STYLES[location] and style != STYLES[location][0]:
        made["style"] = style
    if isinstance(explode, bool):
        made["explode"] = explode
    if as_json:
        made["as_json"] = True
    if text := in_one_line(parameter.get("description"), DESCRIPTION_CHARS):
        made["description"] = text
    made["schema"] = converted.schema if isinstance(converted.schema, dict) else {}
    return made, converted


def _schema_of(parameter: JSON) -> tuple[Any, bool]:
    """Its schema, and whether it is sent as JSON text."""
    content = parameter.get("content")
    if isinstance(content, dict) and content:
        kind, media = next(iter(content.items()))
        if kind_of(str(kind).partition(";")[0].strip().lower()) != "json":
            return {"type": "string"}, False
        return (media.get("schema", {}) if isinstance(media, dict) else {}), True
    return parameter.get("schema", {"type": "string"}), False


def _plain(name: str) -> JSON:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
