"""What files of the knowledge say, quoted with where it stands; and the files themselves."""

import re
from typing import Any

from agents.model_clients.protocol import JSON
from agents.model_clients.rules.intents import AskKnowledge, SendFile
from agents.model_clients.rules.scene import Call, Done, Scene, Steps, ask
from agents.model_clients.rules.text import block_quoted, clipped, link_text
from agents.model_clients.rules.turn import Outcome

SEARCH, RESOURCE = "knowledge_search", "knowledge_resource"
_QUOTED = 4
_QUOTE = 900
_ASKED = 200  # characters of a file's name that the tool takes
_OWN_HEADING = re.compile(r"\A#{1,6} [^\n]*\n\s*(?=\S)")
_MARK = re.compile(r"\A#{1,6} ")
_OWN_ADDRESS = re.compile(r"/(?!/)[\w/.?=#&%-]*", re.ASCII)


def answer(intent: AskKnowledge, scene: Scene) -> Steps[Done]:
    arguments: JSON = {"query": intent.query}
    if intent.file:
        arguments["resource"] = intent.file[:_ASKED]
    outcome = yield from ask(scene, Call(SEARCH, arguments))
    cited = _rows(outcome, "citations")[:_QUOTED]
    if not cited:
        return Done(scene.voice.say("no_evidence"))
    parts = [_cited(row, scene) for row in cited]
    text = "\n\n".join([scene.voice.say("evidence"), *parts])
    return Done(text, "\n\n".join(parts), intent.query)


def send_file(intent: SendFile, scene: Scene) -> Steps[Done]:
    arguments: JSON = {"earlier": True} if intent.earlier else {"query": intent.words[:_ASKED]}
    outcome = yield from ask(scene, Call(RESOURCE, arguments))
    files = _rows(outcome, "resources")
    if not files:
        return Done(scene.voice.say("no_earlier_file" if intent.earlier else "no_file"))
    if len(files) == 1:
        return Done(f"{scene.voice.say('file')} {_file(files[0], scene)}")
    lines = [f"- {_file(row, scene)}" for row in files]
    return Done("\n".join([scene.voice.say("which_file"), "", *lines]))


def _rows(outcome: Outcome, name: str) -> list[dict[str, Any]]:
    rows = outcome.data.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _cited(row: dict[str, Any], scene: Scene) -> str:
    said_beside = not isinstance(row.get("page"), int)
    quote = (_OWN_HEADING if said_beside else _MARK).sub("", str(row.get("quote", "")))
    return f"{block_quoted(clipped(quote, _QUOTE))}\n\n{_link(_place(row, scene), row.get('url'))}"


def _place(row: dict[str, Any], scene: Scene) -> str:
    """By its page, or where files have none by the heading."""
    title, page, heading = str(row.get("title", "")), row.get("page"), row.get("heading")
    if isinstance(page, int):
        return scene.voice.say("place_page", title=title, page=page)
    if isinstance(heading, str) and heading.strip():
        return scene.voice.say("place_heading", title=title, heading=heading)
    return title


def _file(row: dict[str, Any], scene: Scene) -> str:
    name, space = link_text(str(row.get("file_name", ""))), link_text(str(row.get("space", "")))
    file = _link(str(row.get("title", "")), row.get("url"))
    download = _link(scene.voice.say("download"), row.get("download_url"))
    return scene.voice.say("file_line", file=file, name=name, space=space, download=download)


def _link(words: str, url: object) -> str:
    """Only to this product: without such an address there is none."""
    label = link_text(words)
    is_own = isinstance(url, str) and _OWN_ADDRESS.fullmatch(url) is not None
    return f"[{label}]({url})" if is_own else label
