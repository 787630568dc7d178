"""What a public link opens: one document, read without signing in, and nothing beside it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.csp import CSP
from django.views.decorators.csp import csp_override
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from config.base.errors import TooManyRequests
from config.base.limits import link_limit
from config.base.rates import take
from documents.rendering import render as render_text
from documents.shares import find_link, note_use

# The page has no script, form or frame, and an origin of its own: nothing in it is ever ours.
LINK_CSP: dict[str, Any] = {
    "default-src": [CSP.NONE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "sandbox": True,
}
# The address is the key: it goes to no other site, into no index and no cache.
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "no-store",
}


@require_safe
@csp_override(LINK_CSP)
@sensitive_variables("token")
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Unknown, revoked, over, deleted: the same answer."""
    seconds = take(link_limit(), request.META.get("REMOTE_ADDR", ""))
    if seconds:
        response = _page(request, "documents/link_error.html", 429, error=TooManyRequests())
        response["Retry-After"] = str(seconds)
        return response
    now = timezone.now()
    share = find_link(token, now)
    if share is None:
        return _page(request, "documents/link_error.html", 404)
    note_use(share, now)
    rendered = render_text(share.document.content)
    facts = {"share": share, "document": share.document, "rendered_html": rendered.html}
    return _page(request, "documents/link.html", 200, **facts)


def _page(request: HttpRequest, template: str, status: int, **context: Any) -> HttpResponse:
    response = render(request, template, context, status=status)
    for name, value in _HEADERS.items():
        response[name] = value
    return response
