"""Which field of a new job an error is about."""

from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import ErrorDetail, ValidationError

from config.base.errors import GatehouseError
from jobs.errors import InvalidPayload, InvalidRecurrence, TooFarAhead, UnknownKind

_FIELDS: dict[type[GatehouseError], str] = {
    UnknownKind: "kind",
    InvalidPayload: "payload",
    InvalidRecurrence: "recurrence",
    TooFarAhead: "scheduled_at",
}


@contextmanager
def naming_fields() -> Iterator[None]:
    """Says in `attr` which field is wrong."""
    try:
        yield
    except tuple(_FIELDS) as error:
        field = next(field for kind, field in _FIELDS.items() if isinstance(error, kind))
        raise ValidationError({field: [ErrorDetail(error.message, error.code)]}) from error
