"""`manage.py export_audit [--since T] [--until T]`: JSON lines, events first, then their seals."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from skills.export import export_lines
from skills.selectors import list_events


def _time(text: str) -> datetime:
    """In UTC, which a time at either end of the calendar may not have."""
    try:
        parsed = parse_datetime(text if "T" in text or " " in text else f"{text}T00:00:00")
        if parsed is not None:
            aware = parsed if timezone.is_aware(parsed) else timezone.make_aware(parsed)
            return aware.astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise ArgumentTypeError(f"{text!r} is no time that the calendar has") from error
    raise ArgumentTypeError(f"{text!r} is no ISO 8601 time")


class Command(BaseCommand):
    help = "Write the audit as JSON lines: {event}…, {seal}…, {head}. Subjects stay pseudonymous."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since", type=_time, help="ISO 8601; included")
        parser.add_argument("--until", type=_time, help="ISO 8601; excluded")

    def handle(self, *args: Any, **options: Any) -> None:
        events = list_events(since=options["since"], until=options["until"])
        for line in export_lines(events):
            self.stdout.write(line)
