"""`manage.py export_audit [--since T] [--until T]`: JSON lines, events first, then their seals."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from skills.models import AuditEvent, AuditSeal
from skills.sealer import last_seal
from skills.selectors import list_events
from skills.verify import EMPTY_HEAD

EVENT_FIELDS = [field.attname for field in AuditEvent._meta.concrete_fields]
SEAL_FIELDS = [
    field.attname for field in AuditSeal._meta.concrete_fields if field.name != "entries"
]


def _time(text: str) -> datetime:
    parsed = parse_datetime(text if "T" in text or " " in text else f"{text}T00:00:00")
    if parsed is None:
        raise ArgumentTypeError(f"{text!r} is no ISO 8601 time")
    return parsed if timezone.is_aware(parsed) else timezone.make_aware(parsed)


class Command(BaseCommand):
    help = "Write the audit as JSON lines: {event}…, {seal}…, {head}. Subjects stay pseudonymous."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since", type=_time, help="ISO 8601; included")
        parser.add_argument("--until", type=_time, help="ISO 8601; excluded")

    def handle(self, *args: Any, **options: Any) -> None:
        for line in _lines(options["since"], options["until"]):
            self.stdout.write(json.dumps(line, cls=DjangoJSONEncoder, ensure_ascii=False))


def _lines(since: datetime | None, until: datetime | None) -> Iterator[dict[str, Any]]:
    events = list_events(since=since, until=until).order_by("id")
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
