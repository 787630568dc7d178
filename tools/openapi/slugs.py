"""Slugs and names of imported tools."""

import re
from collections.abc import Container

_ODD = re.compile(r"[^a-z0-9]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
LONGEST = 50


def slug_of(words: str, prefix: str, taken: Container[str]) -> str:
    """`listPets` becomes `list_pets`, and `list_pets_2` when that is taken."""
    plain = _ODD.sub("_", _HUMPS.sub("_", prefix + words).lower()).strip("_") or "operation"
    slug, number = plain[:LONGEST].strip("_"), 2
    while slug in taken:
        end = f"_{number}"
        slug, number = plain[: LONGEST - len(end)].strip("_") + end, number + 1
    return slug
