"""The tool's clock; a test can fix it (`GATEHOUSE_TEST_NOW`), nothing else reads it."""

import datetime as dt

from django.conf import settings
from django.utils.dateparse import parse_datetime


def now() -> dt.datetime:
    """The present second in UTC, or what `settings.TEST_NOW` says."""
    fixed: str | None = getattr(settings, "TEST_NOW", None)
    if fixed:
        return parse_fixed(fixed)
    return dt.datetime.now(dt.UTC).replace(microsecond=0)


def parse_fixed(text: str) -> dt.datetime:
    """An RFC 3339 time with an offset. Raises `ValueError` otherwise."""
    moment = parse_datetime(text)
    if moment is None or moment.tzinfo is None:
        raise ValueError(f"not an RFC 3339 time with an offset: {text!r}")
    return moment.astimezone(dt.UTC)
