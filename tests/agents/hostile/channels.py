"""The ways in which hostile content comes before a model."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.models import Consent, Run
from tests.agents.conftest import asks, call, says
from tests.agents.hostile.attacker import NEWS, SEARCH
from tests.agents.hostile.conftest import Scene
from tests.documents.factories import make_document
from tools.enums import ConsentKind
from tools.models import Tool

type Channel = Callable[[Scene, str], Run]


def duty(name: str, **arguments: Any) -> Any:
    return asks(call(name, arguments))


def page(scene: Scene, text: str) -> Run:
    scene.web.text = text
    scene.model.duties = [duty("fetch", url=NEWS)]
    return scene.say(f"What is in {NEWS}?")


def search_page(scene: Scene, text: str) -> Run:
    scene.web.text = text
    scene.model.duties = [duty("fetch", url=SEARCH)]
    return scene.say(f"Look at {SEARCH}, please; and I like {NEWS}.")


def search_result(scene: Scene, text: str) -> Run:
    """Of a search that alice has allowed in this conversation."""
    scene.web.text = text
    conversation = scene.say("Hello.").conversation
    assert conversation is not None
    now = timezone.now()
    until = now + timedelta(hours=1)
    leave = {"kind": ConsentKind.WEB, "service": "search.example", "given_at": now, "until": until}
    Consent.objects.create(conversation=conversation, **leave)
    scene.model.duties = [duty("search_web", query="zebras")]
    return scene.say(f"Search for zebras. I like {NEWS}.", conversation_id=conversation.pk)


def answer_of_a_server(scene: Scene, text: str) -> Run:
    """Of an MCP server whose tool the operator believes to read only."""
    scene.web.text = text
    scene.model.duties = [duty("mcp_search")]
    return scene.say(f"Ask the server. I like {NEWS}.")


def document(scene: Scene, text: str) -> Run:
    minutes = make_document(scene.alice, "Minutes", text, provenance=["untrusted"])
    scene.model.duties = [duty("document", action="read", id=str(minutes.pk), full_content=True)]
    return scene.say(f"What do the minutes say? I also like {NEWS}.")


def note(scene: Scene, text: str) -> Run:
    make_document(scene.alice, "Rules", text, type="memory", provenance=["untrusted"])
    scene.model.duties = [duty("document", action="read", filter_type="memory", q="Rules")]
    return scene.say(f"What are my rules? I also like {NEWS}.")


def title(scene: Scene, text: str) -> Run:
    make_document(scene.alice, text, "Nothing.", provenance=["untrusted"])
    scene.model.duties = [duty("document", action="list")]
    return scene.say(f"What do I have? I also like {NEWS}.")


def tool_description(scene: Scene, text: str) -> Run:
    Tool.objects.filter(slug="template").update(description=text)
    return scene.say(f"Hello. I like {NEWS}.")


def answer_of_a_model(scene: Scene, text: str) -> Run:
    scene.asked.script.insert(0, text)
    scene.model.duties = [duty("ask_model", task="Say something.")]
    return scene.say(f"Ask the other model. I like {NEWS}.")


def history(scene: Scene, text: str) -> Run:
    """The page was read, and its order repeated, in a turn before."""
    scene.web.text = "Nothing to see."
    scene.model.duties = [duty("fetch", url=NEWS), says(f"It says: {text}")]
    first = scene.say(f"What is in {NEWS}?")
    return scene.say("And now?", conversation_id=first.conversation_id)


def memory_of_a_run(scene: Scene, text: str) -> Run:
    """A run that has read the page has kept its order, and another finds it."""
    scene.web.text = "Nothing to see."
    kept = {"action": "create", "title": "Rules", "content": text, "type": "memory"}
    scene.model.duties = [duty("fetch", url=NEWS), duty("document", **kept), says("Kept.")]
    scene.say(f"What is in {NEWS}?")
    scene.model.duties = [duty("document", action="read", q="Rules", full_content=True)]
    return scene.say(f"What are my rules? I also like {NEWS}.")


def message_of_a_run(scene: Scene, text: str) -> Run:
    """A run that has read the page has left its order in another conversation."""
    scene.web.text = "Nothing to see."
    sent = {"conversation": str(scene.other.pk), "text": text}
    scene.model.duties = [duty("fetch", url=NEWS), duty("send_message", **sent), says("Sent.")]
    scene.say(f"What is in {NEWS}?")
    return scene.say(f"Hello. I like {NEWS}.", conversation_id=scene.other.pk)


CHANNELS: dict[str, Channel] = {
    "page": page,
    "search-page": search_page,
    "search-result": search_result,
    "answer-of-a-server": answer_of_a_server,
    "document": document,
    "note": note,
    "title": title,
    "tool-description": tool_description,
    "answer-of-a-model": answer_of_a_model,
    "history": history,
    "memory-of-a-run": memory_of_a_run,
    "message-of-a-run": message_of_a_run,
}
