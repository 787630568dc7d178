"""What the pages share."""

from django.http import HttpRequest
from django.views.decorators.http import require_http_methods

from config.base.actor import Actor, Origin
from config.base.people import signed_in

require_form_methods = require_http_methods(["GET", "HEAD", "POST"])


def actor_of(request: HttpRequest) -> Actor:
    return Actor(user=signed_in(request), origin=Origin.PAGE)


def number_in(request: HttpRequest, name: str) -> int | None:
    """What a hidden field says, if it is a number that a revision can have."""
    given = request.POST.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
