"""Documents and memories: the calls, and the sentences made of what they bring."""

from urllib.parse import urlsplit

from agents.model_clients.protocol import JSON
from agents.model_clients.rules.finding import (
    Item,
    find_document,
    link,
    list_call,
    read_items,
)
from agents.model_clients.rules.intents import (
    DOCUMENT,
    MEMORY,
    Change,
    Create,
    Delete,
    ListDocuments,
    Read,
    Recall,
    Rename,
    Save,
    Search,
)
from agents.model_clients.rules.scene import (
    Call,
    Done,
    Scene,
    Steps,
    Stop,
    ask,
    ask_all,
    copied,
)
from agents.model_clients.rules.text import block_quoted, clipped, folded, has_chinese
from agents.model_clients.rules.turn import Outcome

_SHOWN_CHARACTERS = 6000
_RECALLED = 3
_SENTENCE = 200  # characters that a summary holds whole


def save(intent: Save, scene: Scene) -> Steps[Done]:
    if scene.before is None or not scene.before.it:
        raise Stop(scene.voice.say("nothing_before"))
    title = intent.title or _default_title(scene.before)
    return (yield from _create(scene, intent.kind, title, scene.before.it))


def create(intent: Create, scene: Scene) -> Steps[Done]:
    known = (yield from _find_same(intent, scene)) if intent.once else None
    if known:
        text = scene.voice.say("known", title=known.title, link=link(known.id))
        return Done(text, intent.content, intent.title)
    return (yield from _create(scene, intent.kind, intent.title, intent.content))


def _find_same(intent: Create, scene: Scene) -> Steps[Item | None]:
    """By title and summary: that of a sentence is the sentence. Longer texts are kept anew."""
    if len(intent.content) > _SENTENCE:
        return None
    outcome = yield from ask(scene, list_call(intent.kind, intent.content))
    wanted = (folded(intent.title), folded(intent.content))
    items = read_items(outcome.data)
    return next((i for i in items if (folded(i.title), folded(i.summary)) == wanted), None)


def _create(scene: Scene, kind: str, title: str, content: str) -> Steps[Done]:
    arguments = {"action": "create", "title": title, "content": content, "type": kind}
    outcome = yield from ask(scene, Call("document", arguments))
    where = link(copied(scene, outcome, "id"))
    text = scene.voice.say("saved", kind=scene.voice.say(kind), title=title, link=where)
    return Done(text, content, title)


def list_documents(intent: ListDocuments, scene: Scene) -> Steps[Done]:
    outcome = yield from ask(scene, list_call(intent.kind, page=intent.page))
    items, voice = read_items(outcome.data), scene.voice
    if not items:
        return Done(voice.say("list_empty", kind=voice.say(_plural(intent.kind))))
    total = outcome.data.get("total", len(items))
    lines = [voice.say("listed", total=total, shown=len(items)), ""]
    lines += [item.line() for item in items]
    if outcome.data.get("has_more"):
        page = outcome.data.get("next_page") or intent.page + 1
        lines += ["", voice.say("more_pages", kinds=voice.say(_plural(intent.kind)), page=page)]
    return _listed(lines)


def search(intent: Search, scene: Scene) -> Steps[Done]:
    outcome = yield from ask(scene, list_call(intent.kind, intent.query))
    items = read_items(outcome.data)
    if not items:
        return Done(scene.voice.say("found_none", query=intent.query))
    total = outcome.data.get("total", len(items))
    lines = [scene.voice.say("found", query=intent.query, total=total), ""]
    return _listed([*lines, *(item.line(with_summary=True) for item in items)])


def read(intent: Read, scene: Scene) -> Steps[Done]:
    item = yield from find_document(intent.named, scene, _verb(scene, "read", "读取"))
    outcome = yield from ask(scene, _read_call(item))
    content = copied(scene, outcome, "content")
    heading = f"**{outcome.data.get('title', item.title)}**"
    text = heading if scene.is_taken else f"{heading}\n\n{_quotation(scene, outcome, content)}"
    return Done(text, content, str(outcome.data.get("title", "")))


def delete(intent: Delete, scene: Scene) -> Steps[Done]:
    item = yield from find_document(intent.named, scene, _verb(scene, "delete", "删除"))
    yield from ask(scene, Call("document", {"action": "delete", "id": item.id}))
    return Done(scene.voice.say("deleted", title=item.title or item.id))


def change(intent: Change, scene: Scene) -> Steps[Done]:
    """Append or replace. Another's change in between is found out by the revision."""
    text = intent.text or (scene.before.it if scene.before else "")
    if not text:
        raise Stop(scene.voice.say("nothing_before"))
    verb = _verb(scene, "read", "读取")
    item = yield from find_document(intent.named, scene, verb)
    if intent.append or item.revision is None:
        outcome = yield from ask(scene, _read_call(item))
        item = Item(item.id, str(outcome.data.get("title", "")), revision=_revision(outcome))
        if intent.append:
            text = f"{_whole_content(scene, outcome)}\n\n{text}"
    return (yield from _update(scene, item, {"content": text}))


def rename(intent: Rename, scene: Scene) -> Steps[Done]:
    item = yield from find_document(intent.named, scene, _verb(scene, "read", "读取"))
    return (yield from _update(scene, item, {"title": intent.title}))


def _update(scene: Scene, item: Item, changes: JSON) -> Steps[Done]:
    arguments: JSON = {"action": "update", "id": item.id, **changes}
    if item.revision is not None:
        arguments["expected_revision"] = item.revision
    outcome = yield from ask(scene, Call("document", arguments))
    title = outcome.data.get("title") or item.title or item.id
    return Done(scene.voice.say("updated", title=title, link=link(item.id)))


def recall(intent: Recall, scene: Scene) -> Steps[Done]:
    items: list[Item] = []
    for query in _queries(intent.topic):
        outcome = yield from ask(scene, list_call(MEMORY, query))
        items = read_items(outcome.data)[:_RECALLED]
        if items:
            break
    if not items:
        key = "recalled_none" if intent.topic else "recalled_nothing"
        return Done(scene.voice.say(key, topic=intent.topic))
    outcomes = yield from ask_all(scene, tuple(_read_call(item) for item in items))
    parts = [scene.voice.say("recalled")]
    for item, outcome in zip(items, outcomes, strict=True):
        quotation = _quotation(scene, outcome, copied(scene, outcome, "content"))
        parts.append(f"**{item.title}** ({item.updated})\n{quotation}")
    text = "\n\n".join(parts)
    return Done(text, text)


def _queries(topic: str) -> list[str]:
    """The topic as it was said; then its longest word, or the end of a Chinese phrase."""
    words = topic.split()
    if has_chinese(topic) and len(topic) > 2:
        return [topic, topic[-2:]]
    return [topic, max(words, key=len)] if len(words) > 1 else [topic]


def _read_call(item: Item) -> Call:
    return Call("document", {"action": "read", "id": item.id, "full_content": True})


def _quotation(scene: Scene, outcome: Outcome, content: str) -> str:
    length = outcome.data.get("content_length", len(content))
    text = block_quoted(clipped(content, _SHOWN_CHARACTERS))
    is_cut = isinstance(length, int) and length > len(content)
    if is_cut or len(content.strip()) > _SHOWN_CHARACTERS:
        text += "\n\n" + scene.voice.say("cut", length=length)
    return text


def _whole_content(scene: Scene, outcome: Outcome) -> str:
    content = copied(scene, outcome, "content")
    length = outcome.data.get("content_length", len(content))
    if isinstance(length, int) and length > len(content):
        title = outcome.data.get("title", "")
        raise Stop(scene.voice.say("too_long_to_append", title=title))
    return content.rstrip()


def _revision(outcome: Outcome) -> int | None:
    revision = outcome.data.get("revision")
    return revision if isinstance(revision, int) else None


def _default_title(before: Done) -> str:
    """From the user's words: the address without its scheme, or the sum."""
    address = urlsplit(before.source)
    title = f"{address.netloc}{address.path}".rstrip("/") or before.source or before.it
    return clipped(title.splitlines()[0], 80)


def _plural(kind: str) -> str:
    return {MEMORY: "memories", DOCUMENT: "documents"}.get(kind, "documents")


def _verb(scene: Scene, english: str, chinese: str) -> str:
    return chinese if scene.voice.chinese else english


def _listed(lines: list[str]) -> Done:
    text = "\n".join(lines)
    return Done(text, text)
