"""The audit as JSON lines: {event}…, {seal}…, {head}. Subjects stay pseudonymous."""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from skills.models import AuditEvent, AuditSeal
from skills.sealer import last_seal
from skills.verify import EMPTY_HEAD

EVENT_FIELDS = [field.attname for field in AuditEvent._meta.concrete_fields]
SEAL_FIELDS = [
    field.attname for field in AuditSeal._meta.concrete_fields if field.name != "entries"
]


PIECE = 500  # lines


async def export_pieces(events: QuerySet[AuditEvent]) -> AsyncIterator[str]:
    """For a response under ASGI, which would gather a sync iterator whole before its first byte.

    All pieces are read in the request's one thread: the cursor belongs to its connection.
    """
    lines = export_lines(events)
    read = sync_to_async(lambda: list(islice(lines, PIECE)))
    while piece := await read():
        yield "".join(f"{line}\n" for line in piece)


def export_lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """In constant memory; of a selection the seals of its whole range, which cover more than it."""
    for line in _lines(events.order_by("id")):
        yield json.dumps(line, cls=DjangoJSONEncoder, ensure_ascii=False)


def _lines(events: QuerySet[AuditEvent]) -> Iterator[dict[str, Any]]:
    first = last = None
    for event in events.values(*EVENT_FIELDS).iterator(chunk_size=500):
        first, last = first or event["id"], event["id"]
        # In full: DjangoJSONEncoder cuts times to milliseconds, and the row hash covers them.
        yield {"event": {**event, "recorded_at": event["recorded_at"].isoformat()}}
    if first is not None:
        seals = AuditSeal.objects.filter(last_event__gte=first, first_event__lte=last).order_by("n")
        for seal in seals.values(*SEAL_FIELDS).iterator(chunk_size=500):
            yield {"seal": {**seal, "sealed_at": seal["sealed_at"].isoformat()}}
    newest = last_seal()
    yield {"head": newest.head if newest else EMPTY_HEAD}
