"""To whom reasons are told: the person themselves, or an operator who looks at what they may do.

Like the language, it holds for all that is said meanwhile.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.utils.functional import Promise

_person: ContextVar[str] = ContextVar("told of", default="")


@contextmanager
def telling_of(name: str) -> Iterator[None]:
    """What follows is told of this person to somebody else."""
    token = _person.set(name)
    try:
        yield
    finally:
        _person.reset(token)


def told(own: str, other: Promise, **facts: Any) -> str:
    """`own`: what the person is told, before its `facts` are in. `other` may name them:
    `%(person)s`.
    """
    name = _person.get()
    return str(other % {**facts, "person": name}) if name else own % facts
