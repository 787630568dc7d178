"""Where a call may be redirected to: a write stays where it was planned, no secret goes along."""

from collections.abc import Callable
from urllib.parse import unquote

from django.utils.translation import gettext as _

from config.base.outbound.domains import parse_domains
from config.base.outbound.hops import Hop
from config.base.outbound.urls import ParsedUrl
from tools.errors import ToolFailure
from tools.secrets.known import is_told_in


def redirect_judge(
    planned: ParsedUrl, write_domains: tuple[str, ...], may_read: Callable[[ParsedUrl], bool]
) -> Callable[[Hop], None]:
    """Keeps a write where it was planned: a person confirmed this host, not where it points to.

    `may_read` says whether a read may go on to another origin. A secret that a peer put into an
    address is carried nowhere, wherever that leads.
    """

    def judge(hop: Hop) -> None:
        if hop.number and is_told_in(unquote(str(hop.url))):
            raise ToolFailure(
                _("%(host)s redirects to an address that holds a secret; it was not followed.")
                % {"host": planned.netloc},
                code="redirect_not_allowed",
            )
        if hop.number == 0 or hop.url.origin == planned.origin:
            return
        is_write = hop.method not in {"GET", "HEAD"} or hop.body is not None
        may_follow = _may_write(planned, hop.url, write_domains) if is_write else may_read(hop.url)
        if not may_follow:
            raise _not_followed(planned, hop.url)

    return judge


def _may_write(planned: ParsedUrl, url: ParsedUrl, write_domains: tuple[str, ...]) -> bool:
    if planned.scheme == "https" and url.scheme == "http":
        return False
    is_upgrade = url.host == planned.host and (planned.port, url.port) == (80, 443)
    return is_upgrade or parse_domains(write_domains).matches(url.host)


def _not_followed(planned: ParsedUrl, url: ParsedUrl) -> ToolFailure:
    return ToolFailure(
        _("%(host)s redirects to %(other)s, where this was not meant for; it did not go there.")
        % {"host": planned.netloc, "other": url.netloc},
        code="redirect_not_allowed",
    )
