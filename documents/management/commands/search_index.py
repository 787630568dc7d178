"""`manage.py search_index [--kind K] [--check]`: the index made anew, or checked."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.search.rebuilding import (
    Differences,
    compare_some,
    drop_unknown_kinds,
    list_unknown_kinds,
    rebuild_some,
)
from documents.search.sources import known_kinds
from documents.search.stores import is_sound, rebuild_index


class Command(BaseCommand):
    help = (
        "Puts everything into the search index that is missing there, and takes out what is no "
        "longer to be found; search goes on meanwhile. With --check it only says what differs, "
        "and ends with 1 if anything does."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--kind", help="Only things of this kind.")
        parser.add_argument("--check", action="store_true", help="Change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        kinds = _chosen(options["kind"])
        if options["check"]:
            self._check(kinds, is_all=options["kind"] is None)
        else:
            self._rebuild(kinds, is_all=options["kind"] is None)

    def _rebuild(self, kinds: list[str], *, is_all: bool) -> None:
        for kind in kinds:
            for done in _rebuilt(kind):
                self.stdout.write(f"{kind}: {done}")
        if is_all:
            drop_unknown_kinds()
        if not is_sound():
            rebuild_index()

    def _check(self, kinds: list[str], *, is_all: bool) -> None:
        differs = False
        for kind in kinds:
            found = _compared(kind)
            differs |= bool(found)
            self.stdout.write(
                f"{kind}: {found.missing} missing, {found.surplus} surplus, {found.stale} stale"
            )
        for kind in list_unknown_kinds() if is_all else []:
            differs = True
            self.stdout.write(f"{kind}: nothing reads this kind")
        if not is_sound():
            differs = True
            self.stdout.write("The word index does not say what the entries do.")
        if differs:
            raise CommandError("The index differs from its sources; run search_index.")


def _chosen(kind: str | None) -> list[str]:
    known = known_kinds()
    if kind is not None and kind not in known:
        raise CommandError(f"{kind!r} is none of the kinds: {', '.join(known)}.")
    return known if kind is None else [kind]


def _rebuilt(kind: str) -> Iterator[int]:
    """How many items are done, after each batch."""
    done, last = 0, None
    while True:
        last, more = rebuild_some(kind, last)
        done += more
        yield done
        if last is None:
            return


def _compared(kind: str) -> Differences:
    found = Differences()
    last: UUID | None = compare_some(kind, None, found)
    while last is not None:
        last = compare_some(kind, last, found)
    return found
