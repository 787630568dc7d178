"""What a server says of a tool: pinned as it was, judged, and made fit to be read by a model.

Whoever wrote it may have written it for the model: nothing invisible gets through, and it is cut.
"""

import json
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from config.base.digests import canonical_digest, canonical_json
from config.base.hidden import has_hidden, shown, visible
from config.base.storable import is_storable, storable
from tools.json_schemas.described_input import DescribedInput, UnusableSchema, described_input
from tools.mcp.errors import DescriptorInvalid
from tools.mcp.param_headers import header_params
from tools.schemas import JSON

FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
MAX_NAME = 128
MAX_TITLE = 100
MAX_DESCRIPTION = 4000
MAX_FIELD_DESCRIPTION = 1000
MAX_BYTES = 64 * 1024
_PROSE = frozenset({"description", "title", "$comment"})


def descriptor_of(listed: JSON) -> JSON:
    """Of a tool as it was listed, what counts: what is null is not there."""
    return {name: listed[name] for name in FIELDS if listed.get(name) is not None}


def descriptor_hash(descriptor: JSON) -> str:
    """SHA-256 in hex of its canonical JSON."""
    return canonical_digest(descriptor)


def check_descriptor(descriptor: JSON) -> None:
    """Raises `DescriptorInvalid`, which says why such a tool can't be had."""
    if not is_storable(descriptor):
        raise DescriptorInvalid(_("Characters that no text can hold, or nested too deeply."))
    problem = _problem(canonical_json(descriptor))
    if problem:
        raise DescriptorInvalid(problem)


def keepable(descriptor: JSON) -> JSON:
    """To be shown to an operator, also where it could never be accepted."""
    if len(canonical_json(descriptor).encode("utf-8", "replace")) <= MAX_BYTES:
        kept: JSON = storable(descriptor)
        return kept
    text = str(descriptor.get("description", ""))
    return {"name": str(descriptor.get("name", ""))[:MAX_NAME], "description": text[:2000]}


def input_of(descriptor: JSON) -> type[DescribedInput]:
    return _input_of(json.dumps(descriptor["inputSchema"]))


def title_of(descriptor: JSON) -> str:
    """For people, as the specification ranks its names."""
    hints = descriptor.get("annotations")
    named = hints.get("title") if isinstance(hints, dict) else None
    for text in (descriptor.get("title"), named, descriptor["name"]):
        if isinstance(text, str) and (clean := visible(text, MAX_TITLE).strip()):
            return clean
    return "?"


def description_of(descriptor: JSON) -> str:
    text = descriptor.get("description")
    return visible(text, MAX_DESCRIPTION).strip() if isinstance(text, str) else ""


def hint_of(descriptor: JSON, name: str) -> bool | None:
    """What the server claims, such as `readOnlyHint`; None: it says nothing."""
    hints = descriptor.get("annotations")
    claimed = hints.get(name) if isinstance(hints, dict) else None
    return claimed if isinstance(claimed, bool) else None


def readable(descriptor: JSON) -> str:
    """Line by line for a person, with what is hidden shown."""
    text = json.dumps(descriptor, indent=2, sort_keys=True, ensure_ascii=False)
    return shown(text.replace("\\n", "\\n\n"))


@lru_cache(maxsize=512)
def _problem(text: str) -> str:
    """In words, "" for none; of canonical JSON, so that a check of the same costs nothing."""
    if len(text.encode()) > MAX_BYTES:
        return _("It is larger than %(limit)d bytes.") % {"limit": MAX_BYTES}
    descriptor: JSON = json.loads(text)
    name = descriptor.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or has_hidden(name):
        return _("It has no name that can be shown.")
    for field in ("title", "description"):
        if not isinstance(descriptor.get(field, ""), str):
            return _("Its %(field)s is no text.") % {"field": field}
    schema = descriptor.get("inputSchema")
    if not isinstance(schema, dict):
        return _("It has no JSON schema of its arguments.")
    if _hides_something(schema):
        return _("The JSON schema of its arguments has invisible characters in names or values.")
    try:
        header_params(schema)
        described_input(schema)
    except (ValueError, UnusableSchema) as error:
        return str(error)
    return ""


def _hides_something(value: Any) -> bool:
    """Outside of prose, where it is taken out."""
    if isinstance(value, str):
        return has_hidden(value)
    if isinstance(value, list):
        return any(map(_hides_something, value))
    if isinstance(value, dict):
        return any(
            has_hidden(key) or (not _is_prose(key, item) and _hides_something(item))
            for key, item in value.items()
        )
    return False


@lru_cache(maxsize=512)
def _input_of(text: str) -> type[DescribedInput]:
    return described_input(_clean(json.loads(text)))


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: visible(item, MAX_FIELD_DESCRIPTION) if _is_prose(key, item) else _clean(item)
            for key, item in value.items()
        }
    return [*map(_clean, value)] if isinstance(value, list) else value


def _is_prose(key: str, value: Any) -> bool:
    return key in _PROSE and isinstance(value, str)
