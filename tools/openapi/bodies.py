"""The request body of an operation, in the words of a config."""

from typing import Any

from django.utils.translation import gettext as _

from tools.openapi.errors import OperationUnusable
from tools.openapi.limits import DESCRIPTION_CHARS
from tools.openapi.schemas import Converted, Schemas
from tools.openapi.words import in_one_line
from tools.schemas import JSON
from tools.types.http_api.config import READS
from tools.types.http_api.parts import kind_of

_PREFERRED = ("json", "form", "multipart", "text")
_FORM_STYLES = ("form", "spaceDelimited", "pipeDelimited", "deepObject")


def body_of(method: str, operation: JSON, schemas: Schemas) -> tuple[JSON | None, Converted | None]:
    """Nothing where none can be sent and none must be. Raises `OperationUnusable`."""
    if "requestBody" not in operation:
        return None, None
    told = schemas.references.resolve(operation["requestBody"])
    content = told.get("content")
    found = _chosen(content if isinstance(content, dict) else {})
    if found is None or method in READS:
        if told.get("required") is True:
            raise OperationUnusable("body_unsupported", _why(method, content))
        return None, None
    return _body(told, *found, schemas)


def _body(
    told: JSON, content_type: str, media: JSON, schemas: Schemas
) -> tuple[JSON | None, Converted | None]:
    required, kind = told.get("required") is True, kind_of(content_type)
    schema: Any = {"type": "string"} if kind == "text" else media.get("schema", {})
    if kind == "multipart":
        schema = _without_files(schema, schemas, required=required)
        if schema is None:
            return None, None
    converted = schemas.convert(schema)
    made: JSON = {
        "content_type": content_type,
        "required": required,
        "description": in_one_line(told.get("description"), DESCRIPTION_CHARS),
        "encoding": _encoding(media) if kind in {"form", "multipart"} else {},
    }
    shown = converted.schema if isinstance(converted.schema, dict) else {}
    return {"schema": shown, **{k: v for k, v in made.items() if v}}, converted


def _chosen(content: JSON) -> tuple[str, JSON] | None:
    """JSON before a form before text, whatever the document's order."""
    by_kind: dict[str, tuple[str, JSON]] = {}
    for name, media in content.items():
        content_type = name.partition(";")[0].strip().lower()
        kind = "json" if content_type == "*/*" else kind_of(content_type)
        content_type = "application/json" if content_type == "*/*" else content_type
        if kind is not None and isinstance(media, dict) and len(content_type) <= 100:
            by_kind.setdefault(kind, (content_type, media))
    return next((by_kind[kind] for kind in _PREFERRED if kind in by_kind), None)


def _why(method: str, content: Any) -> str:
    if method in READS:
        return _("A %(method)s that needs a body can't be sent.") % {"method": method}
    kinds = ", ".join(str(kind)[:50] for kind in list(content)[:3]) if content else "–"
    return _("A body of this kind can't be written: %(kinds)s.") % {"kinds": kinds}


def _encoding(media: JSON) -> JSON:
    """How properties are written that are not written in the usual way."""
    told = media.get("encoding")
    made: JSON = {}
    for name, how in told.items() if isinstance(told, dict) else ():
        if not isinstance(how, dict):
            continue
        if how.get("style") in _FORM_STYLES or isinstance(how.get("explode"), bool):
            one = {"style": how.get("style") if how.get("style") in _FORM_STYLES else "form"}
            explode = how.get("explode")
            made[name] = one | ({"explode": explode} if isinstance(explode, bool) else {})
        elif kind_of(str(how.get("contentType")).partition(";")[0].strip().lower()) == "json":
            made[name] = {"as_json": True}
    return made


# --- Files ---


def _without_files(schema: Any, schemas: Schemas, *, required: bool) -> JSON | None:
    """Properties that hold files are left out where that can be done; None: the whole body is."""
    found = schemas.references.resolve(schema)
    properties = found.get("properties")
    if not isinstance(properties, dict):
        return found
    files = {name for name, value in properties.items() if _is_file(value, schemas)}
    wanted = found.get("required")
    needed = files & set(wanted if isinstance(wanted, list) else [])
    if needed and required:
        raise OperationUnusable(
            "body_unsupported",
            _("It needs a file (%(name)s), and files can't be sent.") % {"name": min(needed)[:50]},
        )
    if needed:
        return None
    return {**found, "properties": {k: v for k, v in properties.items() if k not in files}}


def _is_file(schema: Any, schemas: Schemas, depth: int = 0) -> bool:
    found = schemas.references.resolve(schema)
    if found.get("format") == "binary" or (
        "contentMediaType" in found and "contentEncoding" not in found
    ):
        return True
    return depth == 0 and "items" in found and _is_file(found["items"], schemas, 1)
