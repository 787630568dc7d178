"""Secrets for tests, and what became of them."""

from typing import Any

from config.base.actor import Actor, Origin
from config.base.models import User
from tools.models import Secret
from tools.secrets.services import create_secret

VALUE = "Bearer sk-live-7f3a+91/c0ffee=="
KEYS = [f"{letter}" * 40 for letter in "abc"]


def operator_actor(user: User) -> Actor:
    return Actor(user=user, origin=Origin.ADMIN, role="operator")


def make_secret(operator: User, name: str = "api", **values: Any) -> Secret:
    """Meant for a.example, over http too: the scripted servers speak it."""
    values = {"value": VALUE, "allowed_hosts": ["a.example"], "allow_http": True, **values}
    return create_secret(operator_actor(operator), name=name, **values)
