"""Messages that an agent leaves in its user's conversations, and in nobody else's."""

from typing import Any

import pytest

from agents.models import Agent, AgentTool, Conversation, Message, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of
from tests.agents.conftest import Turn, asks, call, says
from tests.documents.factories import make_document
from tools.models import Tool, ToolCall, ToolCallContent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture(autouse=True)
def tool(guide: Agent) -> Tool:
    tool = Tool.objects.get(slug="send_message")
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


@pytest.fixture
def shopping(alice: User, guide: Agent) -> Conversation:
    conversation = conversation_of(alice, guide)
    Conversation.objects.filter(pk=conversation.pk).update(title="Shopping list")
    return conversation


def send(text: str = "Milk, too.", **more: Any) -> Any:
    return asks(call("send_message", {"text": text, **more}))


def said_in(conversation: Conversation) -> list[tuple[int, str, str]]:
    rows = Message.objects.filter(conversation=conversation).order_by("position")
    return list(rows.values_list("position", "role", "text"))


def error_of(model: ScriptedClient) -> str:
    (content,) = [m.content for m in model.requests[-1].messages if m.role == "tool"]
    return content


def test_it_writes_into_the_conversation_it_is_in(
    alice: User, model: ScriptedClient, turn: Turn
) -> None:
    model.script += [send("For later."), says("Done.")]
    run = turn(alice, "Leave me a note.")
    assert run.status == RunStatus.COMPLETED
    conversation = Conversation.objects.get()
    assert said_in(conversation) == [
        (1, "user", "Leave me a note."),
        (2, "assistant", "For later."),
        (3, "assistant", "Done."),
    ]
    assert (conversation.message_count, conversation.unread) == (3, 2)
    event = AuditEvent.objects.get(action="conversation.message_sent")
    assert (event.target_id, event.run_id) == (str(conversation.pk), run.pk)


@pytest.mark.parametrize("by", ["id", "title"])
def test_it_writes_into_another_one_by_id_or_title(
    alice: User, model: ScriptedClient, turn: Turn, shopping: Conversation, by: str
) -> None:
    named = str(shopping.pk) if by == "id" else "Shopping  list"
    model.script += [send(conversation=named), says("Done.")]
    turn(alice, "Add milk.")
    assert said_in(shopping) == [(1, "assistant", "Milk, too.")]
    shopping.refresh_from_db()
    assert (shopping.message_count, shopping.unread) == (1, 1)


def test_it_carries_where_it_comes_from(
    alice: User, model: ScriptedClient, turn: Turn, shopping: Conversation
) -> None:
    note = make_document(alice)
    read = asks(call("document", {"action": "read", "id": str(note.pk)}))
    model.script += [read, send(conversation=str(shopping.pk)), says("Done.")]
    turn(alice, "Copy my note.")
    assert Message.objects.get(conversation=shopping).provenance == ["private"]


@pytest.mark.parametrize("by", ["id", "title"])
def test_somebody_elses_is_not_there(
    bob: User, model: ScriptedClient, turn: Turn, shopping: Conversation, by: str
) -> None:
    named = str(shopping.pk) if by == "id" else "Shopping list"
    model.script += [send(conversation=named), says("It is not there.")]
    turn(bob, "Add milk.")
    assert '"not_found"' in error_of(model)
    assert said_in(shopping) == []


@pytest.mark.parametrize(
    ("config", "arguments", "code"),
    [
        ({}, {"text": " \n"}, "empty"),
        ({"max_chars": 10}, {"text": "x" * 11}, "limit"),
        ({}, {"conversation": "nothing like it"}, "not_found"),
        ({}, {"conversation": ""}, "not_found"),
        ({}, {"conversation": "x" * 201}, "invalid_arguments"),
        ({"only_this_conversation": True}, {"conversation": "Shopping list"}, "not_here"),
    ],
)
def test_what_does_not_fit_is_refused_by_code(
    alice: User,
    model: ScriptedClient,
    turn: Turn,
    tool: Tool,
    shopping: Conversation,
    config: dict[str, Any],
    arguments: dict[str, Any],
    code: str,
) -> None:
    Tool.objects.filter(pk=tool.pk).update(config=config)
    model.script += [send(**{"text": "Milk.", **arguments}), says("It did not work.")]
    turn(alice, "Add milk.")
    assert f'"{code}"' in error_of(model)
    assert said_in(shopping) == []


def test_two_of_one_title_are_told_apart_by_id_only(
    alice: User, guide: Agent, model: ScriptedClient, turn: Turn, shopping: Conversation
) -> None:
    other = conversation_of(alice, guide)
    Conversation.objects.filter(pk=other.pk).update(title="Shopping list")
    model.script += [send(conversation="Shopping list"), says("Which one?")]
    turn(alice, "Add milk.")
    assert '"ambiguous"' in error_of(model)
    assert said_in(shopping) == said_in(other) == []


def test_what_it_says_is_in_no_log(alice: User, model: ScriptedClient, turn: Turn) -> None:
    model.script += [send("A very private word."), says("Done.")]
    turn(alice, "Leave me a note.")
    call_row = ToolCall.objects.get(tool_slug="send_message")
    contents = ToolCallContent.objects.filter(call=call_row)
    kept = contents.values_list("input", "output", "error_message")
    assert "private word" not in str(list(kept)) + str(call_row.receipt)
