"""Who is behind a request."""

from django.http import HttpRequest
from rest_framework.request import Request

from config.base.actor import Actor, Origin
from config.base.errors import NotSignedIn
from config.base.models import User


def signed_in(request: HttpRequest | Request) -> User:
    """The user of a view that only signed-in people reach; raises `NotSignedIn` otherwise."""
    if not request.user.is_authenticated:
        raise NotSignedIn
    return request.user


def person(request: Request) -> Actor:
    """Who decides over the API: the signed-in person, never an agent."""
    origin = Origin.PAGE if request.auth is None else Origin.API
    return Actor(user=signed_in(request), origin=origin)


def page_actor(request: HttpRequest) -> Actor:
    """Who acts through our pages."""
    return Actor(user=signed_in(request), origin=Origin.PAGE)
