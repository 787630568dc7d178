"""Which document the user means: by id, or by its exact title among what the list gives."""

from dataclasses import dataclass
from typing import Any

from agents.model_clients.protocol import JSON
from agents.model_clients.rules.intents import ANY, MEMORY, Named
from agents.model_clients.rules.scene import Call, Scene, Steps, Stop, ask
from agents.model_clients.rules.text import clipped, folded

MAX_PAGES = 3  # of one look-up: an agent has few steps for a turn
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    title: str = ""
    type: str = ""
    revision: int | None = None
    updated: str = ""
    summary: str = ""

    @property
    def short_id(self) -> str:
        """The end of the id: its beginning is a time, and much alike among rows made together."""
        return self.id[-8:]

    def line(self, *, with_summary: bool = False) -> str:
        title = clipped(" ".join(self.title.split()), 80)
        summary = f": {clipped(' '.join(self.summary.split()), 160)}" if with_summary else ""
        return (
            f"- [{title}]({link(self.id)}) ({self.type}, {self.updated}, #{self.short_id}){summary}"
        )


def link(document_id: str) -> str:
    return f"/documents/{document_id}/"


def read_items(data: JSON) -> list[Item]:
    rows = data.get("items")
    return [_item(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _item(row: dict[str, Any]) -> Item:
    revision = row.get("revision")
    return Item(
        id=str(row.get("id", "")),
        title=str(row.get("title", "")),
        type=str(row.get("type", "")),
        revision=revision if isinstance(revision, int) else None,
        updated=str(row.get("updated_at", ""))[:10],
        summary=str(row.get("summary") or ""),
    )


def list_call(kind: str = ANY, query: str = "", page: int = 1) -> Call:
    arguments: JSON = {"action": "list"}
    if kind:
        arguments["filter_type"] = kind
    if query:
        arguments["q"] = query
    if page > 1:
        arguments["page"] = page
    return Call("document", arguments)


def find_document(named: Named, scene: Scene, verb: str) -> Steps[Item]:
    """Raises `Stop` with a question or a plain no; `verb` is for the example in the question."""
    if named.id:
        return Item(named.id)
    found: list[Item] = []
    page, is_complete = 1, False
    kind = MEMORY if named.kind == MEMORY else ANY
    for _ in range(MAX_PAGES):
        outcome = yield from ask(scene, list_call(kind, named.title, page))
        found += read_items(outcome.data)
        following = outcome.data.get("next_page")
        page = following if isinstance(following, int) else page + 1
        is_complete = not outcome.data.get("has_more")
        if is_complete:
            break
    return _the_one(found, named, scene, verb, is_complete=is_complete)


def _the_one(
    found: list[Item], named: Named, scene: Scene, verb: str, *, is_complete: bool
) -> Item:
    matches = [item for item in found if _is_meant(item, named)]
    matches = [item for item in matches if item.type == named.kind] or matches
    if len(matches) == 1 and (is_complete or named.short_id):
        return matches[0]
    if matches:
        raise Stop(_question("several" if is_complete else "too_many", matches, scene, verb))
    raise Stop(_none_called(named, found, scene))


def _is_meant(item: Item, named: Named) -> bool:
    if named.short_id and not item.id.lower().endswith(named.short_id):
        return False
    return not named.title or folded(item.title) == folded(named.title)


def _question(key: str, matches: list[Item], scene: Scene, verb: str) -> str:
    first = matches[0]
    words = scene.voice.say("example", title=first.title, short_id=first.short_id)
    example = f"{verb}{words}" if scene.voice.chinese else f"{verb} {words}"
    lines = [item.line() for item in matches[:_SHOWN]]
    return "\n".join([scene.voice.say(key, example=example), "", *lines])


def _none_called(named: Named, found: list[Item], scene: Scene) -> str:
    kind = scene.voice.say(named.kind or "document")
    title = f"{named.title} #{named.short_id}".strip() if named.short_id else named.title
    text = scene.voice.say("none_called", kind=kind, title=title)
    if not found or not named.title:
        return text
    lines = [item.line() for item in found[:5]]
    return "\n".join([text, "", scene.voice.say("near"), "", *lines])
