"""Kinds that operators only, and nobody, may make over the API."""

from collections.abc import Iterator
from contextlib import contextmanager

from jobs.enums import CreateBy
from jobs.testing import registered
from tests.jobs.handlers import KIND, Probe, Script, scripted

JOBS = "/api/jobs/"
OPERATORS_KIND, OWN_KIND = "test.operators", "test.own"
NEW = {"kind": KIND, "payload": {"text": "hello"}}


class ForOperators(Probe):
    kind = OPERATORS_KIND
    create_by = CreateBy.OPERATORS


class Own(Probe):
    kind = OWN_KIND
    create_by = CreateBy.NOBODY


@contextmanager
def kinds() -> Iterator[Script]:
    with scripted() as script, registered(ForOperators, Own):
        yield script
