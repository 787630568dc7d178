"""Versions of skills: semantic versioning, semver.org 2.0.0, without build metadata."""

import re
from functools import cache

_NUMBER = r"(0|[1-9]\d{0,8})"
_PART = r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_SEMVER = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?", re.ASCII)

type Precedence = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


@cache
def precedence(version: str) -> Precedence:
    """What versions are ordered by. Raises `ValueError` for what is no version."""
    found = _SEMVER.fullmatch(version)
    if found is None:
        raise ValueError(f"{version!r} is no semantic version such as 1.0.0")
    major, minor, patch, early = found.groups()
    parts = tuple(_part(part) for part in early.split(".")) if early else ()
    return int(major), int(minor), int(patch), not parts, parts


def _part(part: str) -> tuple[bool, int, str]:
    """Numbers come before words and are compared as numbers."""
    return (False, int(part), "") if part.isdigit() else (True, 0, part)


def is_covered_by(version: str, granted: str) -> bool:
    """Whether what was granted for one version holds for another.

    A minor version keeps its grants; a new major one is another contract, to be granted anew. What
    a person granted for the newer contract, jobs that still run an older one may use.
    """
    return precedence(version)[0] <= precedence(granted)[0]
