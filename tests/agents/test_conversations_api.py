"""Agents, conversations and messages over the API: one's own, in order, at a fixed price."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.models import Agent, Conversation, Message, MessageRole
from agents.runs.messages import add_message
from config.base.models import Project, Role, Scope, User
from tests.agents.cards import conversation_of, run_of
from tests.clients import codes_of, with_session, with_token

pytestmark = pytest.mark.django_db

AGENTS, CONVERSATIONS = "/api/agents/", "/api/agent/conversations/"


@pytest.fixture
def client(alice: User) -> APIClient:
    return with_session(alice)


@pytest.fixture
def conversation(alice: User, guide: Agent, project: Project) -> Conversation:
    found = conversation_of(alice, guide, project=project, title="Holidays")
    run = run_of(found)
    add_message(found, MessageRole.USER, "When?", run=run, provenance=["own"])
    add_message(found, MessageRole.ASSISTANT, "In May.", run=run, provenance=["private"])
    return found


def rows(client: APIClient, url: str) -> list[dict[str, Any]]:
    response = client.get(url)
    assert response.status_code == 200
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def queries(client: APIClient, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


# --- The same for each of them ---

EVERY_URL = [AGENTS, CONVERSATIONS, f"{CONVERSATIONS}{{id}}/", f"{CONVERSATIONS}{{id}}/messages/"]


@pytest.mark.parametrize("url", EVERY_URL)
def test_it_works_for_its_owner_by_session_and_token(
    alice: User, conversation: Conversation, url: str
) -> None:
    url = url.format(id=conversation.pk)
    by_session = with_session(alice).get(url)
    by_token = with_token(alice, ["agent"]).get(url)
    assert (by_session.status_code, by_token.status_code) == (200, 200)
    assert by_session.json() == by_token.json()


@pytest.mark.parametrize("url", EVERY_URL)
def test_it_needs_a_sign_in(conversation: Conversation, url: str) -> None:
    response = APIClient().get(url.format(id=conversation.pk))
    assert (response.status_code, codes_of(response)) == (401, ["not_authenticated"])


@pytest.mark.parametrize("url", EVERY_URL)
def test_it_needs_the_scope(alice: User, conversation: Conversation, url: str) -> None:
    others = [scope for scope in Scope.values if scope != "agent"]
    response = with_token(alice, others).get(url.format(id=conversation.pk))
    assert (response.status_code, codes_of(response)) == (403, ["scope_missing"])


@pytest.mark.parametrize("url", EVERY_URL[2:])
def test_somebody_elses_is_as_if_it_were_not(
    bob: User, operator: User, conversation: Conversation, url: str
) -> None:
    """For staff too: they act as operator, never as somebody."""
    for user in (bob, operator):
        theirs = with_session(user).get(url.format(id=conversation.pk))
        nothing = with_session(user).get(url.format(id=uuid4()))
        assert (theirs.status_code, theirs.json()) == (nothing.status_code, nothing.json())
        assert theirs.status_code == 404


@pytest.mark.parametrize("url", EVERY_URL)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_it_can_only_be_read(
    client: APIClient, conversation: Conversation, url: str, method: str
) -> None:
    """But for a conversation's title and end: test_conversations.py."""
    if method in ("patch", "delete") and url.endswith("{id}/"):
        url = f"{url}messages/"
    response = getattr(client, method)(url.format(id=conversation.pk), {})
    assert (response.status_code, codes_of(response)) == (405, ["method_not_allowed"])


@pytest.mark.parametrize("url", [AGENTS, CONVERSATIONS, f"{CONVERSATIONS}{{id}}/messages/"])
def test_a_page_that_is_not_there_is_404(
    client: APIClient, conversation: Conversation, url: str
) -> None:
    response = client.get(url.format(id=conversation.pk), {"page": 7})
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])


# --- Agents ---


def test_agents_are_those_one_may_use(client: APIClient, guide: Agent, sam: User) -> None:
    Agent.objects.create(slug="off", name="Off", enabled=False)
    Agent.objects.create(slug="boss", name="Boss", roles=[Role.SUPERVISOR])
    assert rows(client, AGENTS) == [
        {"id": str(guide.pk), "slug": "guide", "name": "Guide", "mode": "loop"}
    ]
    assert [row["slug"] for row in rows(with_session(sam), AGENTS)] == ["boss", "guide"]


def test_what_an_agent_is_told_is_not_shown(client: APIClient, guide: Agent) -> None:
    Agent.objects.update(instructions="never say platypus")
    assert b"platypus" not in client.get(AGENTS).content


# --- Conversations ---


def test_a_conversation_has_all_its_facts(client: APIClient, conversation: Conversation) -> None:
    [row] = rows(client, CONVERSATIONS)
    assert row == client.get(f"{CONVERSATIONS}{conversation.pk}/").json()
    assert set(row) == {
        "id",
        "title",
        "agent",
        "project",
        "context_version",
        "message_count",
        "last_reply_at",
        "last_reply_text",
        "unread",
        "created_at",
        "updated_at",
    }
    assert (row["title"], row["agent"], row["project"], row["message_count"]) == (
        "Holidays",
        "guide",
        "demo",
        2,
    )
    assert row["created_at"].endswith("Z")


def test_one_of_no_project_says_so(client: APIClient, alice: User, guide: Agent) -> None:
    conversation_of(alice, guide)
    assert rows(client, CONVERSATIONS)[0]["project"] is None


def test_the_one_that_went_on_last_comes_first(
    client: APIClient, alice: User, guide: Agent
) -> None:
    first, second, third = (conversation_of(alice, guide, title=t) for t in "abc")
    first.save()
    order = [row["title"] for row in rows(client, CONVERSATIONS)]
    assert order == [first.title, third.title, second.title]


def test_only_ones_own_are_listed(
    client: APIClient, bob: User, operator: User, conversation: Conversation, guide: Agent
) -> None:
    conversation_of(bob, guide, title="Bob's")
    assert [row["title"] for row in rows(client, CONVERSATIONS)] == ["Holidays"]
    assert rows(with_session(operator), CONVERSATIONS) == []


# --- Messages ---


def test_messages_come_in_order_with_where_they_are_from(
    client: APIClient, conversation: Conversation
) -> None:
    found = rows(client, f"{CONVERSATIONS}{conversation.pk}/messages/")
    assert set(found[0]) == {
        "id",
        "position",
        "role",
        "text",
        "provenance",
        "run_id",
        "created_at",
    }
    assert [(m["position"], m["role"], m["text"], m["provenance"]) for m in found] == [
        (1, "user", "When?", ["own"]),
        (2, "assistant", "In May.", ["private"]),
    ]
    assert found[0]["run_id"] == str(conversation.runs.get().pk)


def test_messages_are_given_in_pages(client: APIClient, conversation: Conversation) -> None:
    for n in range(30):
        add_message(conversation, MessageRole.NOTICE, str(n))
    url = f"{CONVERSATIONS}{conversation.pk}/messages/?page_size=30&page=2"
    assert [row["position"] for row in rows(client, url)] == [31, 32]


# --- What a list costs ---


@pytest.mark.parametrize(
    ("url", "cost"),
    [
        (AGENTS, 6),  # session, user, memberships, enabled agents, count, rows
        (CONVERSATIONS, 4),  # session, user, count, rows
        (f"{CONVERSATIONS}{{id}}/messages/", 5),  # session, user, conversation, count, rows
    ],
)
def test_a_longer_list_costs_no_more_queries(
    client: APIClient, alice: User, guide: Agent, conversation: Conversation, url: str, cost: int
) -> None:
    url = url.format(id=conversation.pk)
    assert queries(client, url) == cost
    for n in range(15):
        Agent.objects.create(slug=f"agent-{n}", name=f"Agent {n}")
        conversation_of(alice, guide, project=conversation.project)
        add_message(conversation, MessageRole.USER, "more", run=run_of(conversation))
    assert Message.objects.count() == 17
    assert queries(client, url) == cost
