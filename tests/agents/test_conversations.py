"""Conversations are read, renamed and deleted by their owner; what is new in one is counted."""

from typing import Any

import pytest
from django.test import Client

from agents.conversations import delete_conversation
from agents.models import Agent, Conversation, Message, MessageRole, Run, RunStatus
from agents.runs.messages import add_message
from config.base.actor import Actor, Origin
from config.base.errors import NotFound
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of, make_document, parked_delete, run_of
from tests.agents.conftest import Turn, says
from tests.clients import codes_of, with_session
from tools.enums import DraftState

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    found = conversation_of(alice, guide, title="Holidays")
    add_message(found, MessageRole.USER, "When?", run=run_of(found))
    return found


@pytest.fixture
def page(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def actions_about(conversation: Conversation) -> list[str]:
    events = AuditEvent.objects.filter(target_id=str(conversation.pk)).order_by("pk")
    return list(events.values_list("action", flat=True))


# --- Unread ---


def test_an_answer_is_unread_until_its_conversation_is_looked_at(
    alice: User, turn: Turn, model: Any, page: Client
) -> None:
    model.script = [says("In May.")]
    found = turn(alice, "When?").conversation
    assert found
    found.refresh_from_db()
    assert found.unread == 1
    assert b"Unread" in page.get("/chat/").content
    page.get(f"/chat/{found.pk}/thread/")
    found.refresh_from_db()
    assert found.unread == 0
    assert b"Unread" not in page.get("/chat/").content


def test_who_answers_has_read_what_stood_before(conversation: Conversation) -> None:
    add_message(conversation, MessageRole.ASSISTANT, "In May.")
    add_message(conversation, MessageRole.NOTICE, "Stopped.")
    assert conversation.unread == 2
    add_message(conversation, MessageRole.USER, "Good.")
    assert conversation.unread == 0


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Saved as the document [Trip plan](/documents/01a2/). **Done**", "Trip plan. Done"),
        ("Saved as [Trip plan](/documents/01a2", "Saved as Trip plan"),
    ],
)
def test_the_list_shows_what_was_said_as_plain_text(
    page: Client, conversation: Conversation, said: str, shown: str
) -> None:
    Conversation.objects.update(last_reply_text=said)
    text = page.get("/chat/").content.decode()
    assert f"{shown}</p>" in text


# --- Renaming ---


def test_it_gets_another_title(page: Client, conversation: Conversation) -> None:
    response = page.post(f"/chat/{conversation.pk}/rename/", {"title": "  Days  off "}, follow=True)
    assert "Days off" in response.content.decode()
    assert actions_about(conversation) == ["conversation.renamed"]


@pytest.mark.parametrize("title", ["", "  ", "x" * 201])
def test_a_title_that_is_none_is_refused(
    page: Client, conversation: Conversation, title: str
) -> None:
    page.post(f"/chat/{conversation.pk}/rename/", {"title": title})
    conversation.refresh_from_db()
    assert conversation.title == "Holidays"
    assert actions_about(conversation) == []


def test_it_is_renamed_over_the_api(alice: User, conversation: Conversation) -> None:
    url = f"/api/agent/conversations/{conversation.pk}/"
    client = with_session(alice)
    assert client.patch(url, {"title": "Days off"}).json()["title"] == "Days off"
    assert codes_of(client.patch(url, {"title": ""})) == ["blank"]
    assert codes_of(client.patch(url, {"title": "x", "unread": 3})) == ["unknown_field"]


# --- Deleting ---


def test_deleting_asks_first(page: Client, conversation: Conversation) -> None:
    response = page.get(f"/chat/{conversation.pk}/delete/")
    assert "Delete “Holidays”?" in response.content.decode()
    assert Conversation.objects.filter(pk=conversation.pk).exists()
    assert page.post(f"/chat/{conversation.pk}/delete/").headers["Location"] == "/chat/"
    assert not Conversation.objects.filter(pk=conversation.pk).exists()
    assert not Message.objects.exists()
    assert actions_about(conversation) == ["conversation.deleted"]


def test_it_is_deleted_over_the_api(alice: User, bob: User, conversation: Conversation) -> None:
    url = f"/api/agent/conversations/{conversation.pk}/"
    assert with_session(bob).delete(url).status_code == 404
    assert with_session(alice).delete(url).status_code == 204
    assert with_session(alice).delete(url).status_code == 404


def test_what_waits_in_it_is_not_done_any_more(alice: User, guide: Agent) -> None:
    conversation = conversation_of(alice, guide)
    run = run_of(conversation, status=RunStatus.WAITING)
    facts = {"agent_id": guide.pk, "conversation_id": conversation.pk, "run_id": run.pk}
    draft = parked_delete(alice, make_document(alice), **facts)
    delete_conversation(Actor(user=alice, origin=Origin.PAGE), conversation.pk)
    draft.refresh_from_db()
    assert draft.state == DraftState.DISMISSED
    kept = Run.objects.get(pk=run.pk)
    assert (kept.status, kept.conversation_id) == (RunStatus.CANCELLED, None)


def test_nobody_deletes_what_is_not_theirs(bob: User, conversation: Conversation) -> None:
    with pytest.raises(NotFound):
        delete_conversation(Actor(user=bob, origin=Origin.PAGE), conversation.pk)


# --- The list ---


def test_the_list_finds_by_words_of_the_title(
    alice: User, guide: Agent, page: Client, conversation: Conversation
) -> None:
    conversation_of(alice, guide, title="Budget")
    found = page.get("/chat/", {"q": "holi"}).content.decode()
    results = found[found.index('id="results"') :]
    assert "Holidays" in results
    assert "Budget" not in results
    assert "Nothing found" in page.get("/chat/", {"q": "holi budget"}).content.decode()


def test_the_list_costs_the_same_for_one_and_for_many(
    alice: User, guide: Agent, page: Client, django_assert_num_queries: Any
) -> None:
    conversation_of(alice, guide, title="One")
    page.get("/chat/")
    with django_assert_num_queries(6):  # session, person, unread, cards that wait, count, rows
        page.get("/chat/")
    for n in range(35):
        conversation_of(alice, guide, title=f"Talk {n}")
    with django_assert_num_queries(6):
        assert "1–30 of 36" in page.get("/chat/").content.decode()
