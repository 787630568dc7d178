"""How far a run may reach outside by reading, given what it has read: the rule of taint (00).

A URL carries data out as well as any body does. So once a run has read something it did not get
from its user, what it asks for next has to come from somewhere that a model did not make up.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _

from config.base.outbound.errors import OutboundRefused
from config.base.outbound.urls import parse_url
from config.base.provenance import Provenance

type HasRead = Callable[[str], bool]

_AFTER_A_SENTENCE = ".,;:!?)]}'\"*_"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a read outside sends."""

    url: str
    named_host: bool  # by the operator, in a list that says more than `*`
    composed: bool = False  # beside the URL: a body, or headers that a model made


@dataclass(frozen=True, slots=True)
class Verdict:
    free: bool  # else a person has to confirm
    code: str
    reason: str


def nothing(_url: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Reach:
    provenance: frozenset[str] = frozenset()  # of what the run has read
    user_urls: tuple[str, ...] = ()  # as they stand in the user's own words
    has_read: HasRead = nothing  # whether this URL stands in what it has read
    unattended: bool = False  # nobody is there: named hosts only, whatever was read

    def judge(self, outgoing: Outgoing) -> Verdict:
        if self.unattended and not outgoing.named_host:
            reason = _("While nobody is there, only hosts that the operator named are asked.")
            return Verdict(False, "unattended_host", reason)
        if not self.provenance:
            return Verdict(True, "untainted", _("Nothing from outside or private was read before."))
        if outgoing.composed:
            reason = _("After what was read, its headers or its body could carry it out.")
            return Verdict(False, "tainted_request", reason)
        if spelled(outgoing.url) in spellings(self.user_urls):
            return Verdict(True, "url_of_user", _("The address is in the user's own words."))
        if outgoing.named_host:
            return Verdict(True, "host_named", _("The operator named this host."))
        return self._judge_read(outgoing.url)

    def _judge_read(self, url: str) -> Verdict:
        if Provenance.PRIVATE in self.provenance:
            reason = _("Private data was read, and this address could carry it out.")
            return Verdict(False, "tainted_private", reason)
        if self.has_read(url):
            return Verdict(True, "url_was_read", _("The address stands in what was read."))
        reason = _("The address stands neither in the user's words nor in what was read.")
        return Verdict(False, "tainted_url", reason)


@lru_cache(maxsize=64)
def spellings(urls: tuple[str, ...]) -> frozenset[str]:
    """Those of URLs as people write them: ending a sentence, without a scheme, or about to be
    upgraded by their server."""
    return frozenset(
        spelling for url in urls for one in _variants(url) if (spelling := spelled(one))
    )


def _variants(url: str) -> Iterator[str]:
    for text in {url, url.rstrip(_AFTER_A_SENTENCE)}:
        scheme, found, rest = text.partition("://")
        if not found:
            yield from (f"https://{text}", f"http://{text}")
            continue
        yield text
        if scheme.lower() == "http":
            yield f"https://{rest}"


def spelled(url: str) -> str:
    """Its one spelling, without a fragment; empty for what is no URL."""
    try:
        return str(parse_url(url))
    except OutboundRefused:
        return ""
