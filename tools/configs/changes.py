"""What the audit keeps of a change to a tool: before and after, field by field, no secret."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tools.log.masking import MASK, mask
from tools.schemas import JSON

SHOWN_CHARS = 200  # what the audit keeps of a text
SHOWN_FIELDS = 40
_CONTEXT_CHARS = 20
# Whatever stands under such a name may let somebody in.
_CREDENTIALS = re.compile(r"header|cookie|auth", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9+_=-]{20,}")
_IN_ADDRESS = re.compile(r"(://)[^/@\s]{1,200}@")
_NAMES = ("name", "slug", "type")  # checked to be such, and stand in the log anyway


def change_of(before: JSON, after: JSON) -> JSON:
    """`before` and `after` of the fields that differ, `config.<key>` for each of a config's keys.

    Of long texts and lists the part from where they differ.
    """
    old, new = _flat(before), _flat(after)
    names = [name for name in sorted({*old, *new}) if not _is_same(name, old, new)]
    shown = {name: _shown(name, old, new) for name in names[:SHOWN_FIELDS]}
    change: JSON = {
        "before": {name: pair[0] for name, pair in shown.items() if name in old},
        "after": {name: pair[1] for name, pair in shown.items() if name in new},
    }
    return change | ({"more": len(names) - SHOWN_FIELDS} if len(names) > SHOWN_FIELDS else {})


def _flat(values: JSON) -> JSON:
    flat = {name: value for name, value in values.items() if name != "config"}
    config = values.get("config")
    if isinstance(config, dict):
        return flat | {f"config.{key}": value for key, value in config.items()}
    return flat if config is None else flat | {"config": config}


def _is_same(name: str, old: JSON, new: JSON) -> bool:
    return name in old and name in new and bool(old[name] == new[name])


def _shown(name: str, old: JSON, new: JSON) -> tuple[Any, Any]:
    first, second = (_as_scalar(_covered(name, values.get(name))) for values in (old, new))
    if not (isinstance(first, str) and isinstance(second, str)):
        return first, second
    if max(len(first), len(second)) <= SHOWN_CHARS:
        return first, second
    same = _common_chars(first, second) - _CONTEXT_CHARS
    if same <= 0:
        return first, second
    return f"…{first[same:]}", f"…{second[same:]}"


def _common_chars(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(second)))


def _as_scalar(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return value


# --- Secrets ---


def _covered(name: str, value: Any) -> Any:
    """Whatever could be a secret, by its name or its look."""
    key = name.removeprefix("config.")
    if isinstance(value, bool | int | float | None) or (key == name and key in _NAMES):
        return value
    return _without_tokens(_without_credentials(mask({key: value})))[key]


def _without_credentials(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _all_masked(item) if _CREDENTIALS.search(str(key)) else _without_credentials(item)
            for key, item in value.items()
        }
    return [*map(_without_credentials, value)] if isinstance(value, list | tuple) else value


def _all_masked(value: Any) -> Any:
    """The names stay."""
    if isinstance(value, Mapping):
        return {key: _all_masked(item) for key, item in value.items()}
    return MASK if value else value


def _without_tokens(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_tokens(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_without_tokens, value)]
    if not isinstance(value, str):
        return value
    return _TOKEN.sub(_cover_token, _IN_ADDRESS.sub(rf"\1{MASK}@", value))


def _cover_token(found: re.Match[str]) -> str:
    text = found[0]
    looks_made = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return MASK if looks_made else text
