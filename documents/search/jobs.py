"""Jobs of the index: vectors that are missing, and all of it made anew."""

import time
from uuid import UUID

from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from documents.search.embedders import get_embedder
from documents.search.embedding import EMBED_KIND, count_missing, embed_item, embed_some
from documents.search.rebuilding import rebuild_some
from documents.search.sources import known_kinds
from jobs.enums import CreateBy
from jobs.handlers import Handler, JobCall, NoPayload, Payload, Recurrence
from jobs.registry import register

_WORK_SECONDS = 120.0  # then the next time goes on


class EmbedPayload(Payload):
    kind: str
    item: UUID


@register
class EmbedItem(Handler[EmbedPayload]):
    """Twice is once: what has its vector is not read again."""

    kind = EMBED_KIND
    description = _(
        "Reads what was put into the index into vectors, so that it is found by meaning."
    )
    payload_model = EmbedPayload
    hard_limit_seconds = 600.0

    def prepare(self, call: JobCall[EmbedPayload]) -> int:
        embedder = get_embedder()
        return embed_item(call.payload.kind, call.payload.item, embedder) if embedder else 0

    def apply(self, call: JobCall[EmbedPayload], prepared: int) -> JsonValue:
        return {"vectors": prepared}


@register
class EmbedMissing(Handler[NoPayload]):
    """After another model was chosen, and for what a failed job left."""

    kind = "search.embed_missing"
    description = _("Makes the vectors that are missing, also after the model was changed.")
    create_by = CreateBy.OPERATORS
    recurrence = Recurrence("*/10 * * * *")
    hard_limit_seconds = 4 * _WORK_SECONDS

    def prepare(self, call: JobCall[NoPayload]) -> dict[str, JsonValue]:
        embedder = get_embedder()
        if embedder is None:
            return {"vectors": 0, "missing": 0}
        made, last, until = 0, 0, time.monotonic() + _WORK_SECONDS
        while time.monotonic() < until:
            call.check()
            last, more = embed_some(embedder, last)
            made += more
            if not last:
                break
        return {"vectors": made, "missing": count_missing(embedder)}

    def apply(self, call: JobCall[NoPayload], prepared: dict[str, JsonValue]) -> JsonValue:
        return prepared


@register
class Rebuild(Handler[NoPayload]):
    """Each batch is a transaction of its own: search goes on meanwhile."""

    kind = "search.rebuild"
    description = _("Puts everything into the index that is missing there, and takes out the rest.")
    create_by = CreateBy.OPERATORS
    hard_limit_seconds = 900.0

    def prepare(self, call: JobCall[NoPayload]) -> dict[str, JsonValue]:
        counted: dict[str, JsonValue] = {}
        for kind in known_kinds():
            done, last = 0, None
            while True:
                call.check()
                last, more = rebuild_some(kind, last)
                done += more
                if last is None:
                    break
            counted[kind] = done
        return counted

    def apply(self, call: JobCall[NoPayload], prepared: dict[str, JsonValue]) -> JsonValue:
        return prepared
