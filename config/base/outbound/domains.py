"""Domain lists: `*`, an exact host, or `*.example.com` for its subdomains only."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _

from config.base.outbound.errors import UrlInvalid
from config.base.outbound.hosts import parse_host


@dataclass(frozen=True, slots=True)
class DomainList:
    """Patterns in the spelling of normalised hosts."""

    everything: bool
    exact: frozenset[str]
    suffixes: tuple[str, ...]  # each starts with a dot

    def matches(self, host: str) -> bool:
        """`host` is normalised, as in `ParsedUrl`."""
        return self.everything or host in self.exact or host.endswith(self.suffixes)


def parse_domains(patterns: Iterable[str]) -> DomainList:
    """Raises `ValueError` with a message for whoever wrote the pattern."""
    return _parse_domains(tuple(patterns))


@lru_cache(maxsize=512)
def _parse_domains(patterns: tuple[str, ...]) -> DomainList:
    normalised = [_normalise(pattern) for pattern in patterns]
    return DomainList(
        everything="*" in normalised,
        exact=frozenset(pattern for pattern in normalised if not pattern.startswith("*")),
        suffixes=tuple(pattern[1:] for pattern in normalised if pattern.startswith("*.")),
    )


def _normalise(pattern: str) -> str:
    text = pattern.strip()
    if text == "*":
        return text
    wildcard = text.startswith("*.")
    try:
        host = parse_host(_bracketed(text[2:] if wildcard else text))
    except UrlInvalid:
        host = None
    if host is None or (wildcard and host.address):
        raise ValueError(
            _(
                "%(pattern)s is not a domain: use example.com, *.example.com for its subdomains, "
                "or * for every host; without scheme, port and path."
            )
            % {"pattern": repr(pattern)}
        )
    return f"*.{host.name}" if wildcard else host.name


def _bracketed(text: str) -> str:
    return f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
