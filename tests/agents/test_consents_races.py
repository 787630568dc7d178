"""Consent given, used and taken back at the same moment, by several requests."""

from collections.abc import Iterator
from functools import partial

import pytest

from agents.consents import revoke_consent
from agents.conversations import delete_conversation
from agents.models import Agent, Consent, Conversation
from config.base.actor import Actor, Origin
from config.base.errors import NotFound
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of
from tests.agents.searching import allow, consent_to, search, search_tool
from tests.threads import both_at_once
from tests.tools.search_servers import SearchServer
from tools.enums import DraftState
from tools.models import Tool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer("searxng") as server:
        yield server


@pytest.fixture
def tool(server: SearchServer, operator: User) -> Tool:
    return search_tool(server, operator)


@pytest.fixture
def conversation(alice: User) -> Conversation:
    agent = Agent.objects.create(slug="guide", name="Guide")
    agent.agent_tools.create(tool=Tool.objects.get(slug="web_search"))
    return conversation_of(alice, agent)


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def test_two_cards_allowed_at_once_leave_one_consent(
    server: SearchServer, tool: Tool, alice: User, conversation: Conversation
) -> None:
    drafts = [search(tool, alice, conversation, word).draft for word in ("one", "two")]
    ended = both_at_once(*(partial(allow, draft, alice) for draft in drafts))
    assert [draft.state for draft in ended] == [DraftState.EXECUTED] * 2
    assert Consent.objects.count() == 1
    assert sorted(asked["q"] for asked in server.asked) == ["one", "two"]


def test_one_is_taken_back_by_one_of_two(
    server: SearchServer, tool: Tool, alice: User, conversation: Conversation
) -> None:
    consent = consent_to(server, conversation)

    def revoke() -> str:
        try:
            revoke_consent(person(alice), consent.pk)
        except NotFound:
            return "gone"
        return "revoked"

    assert sorted(both_at_once(revoke, revoke)) == ["gone", "revoked"]
    assert AuditEvent.objects.filter(action="consent.revoked").count() == 1


def test_allowing_while_the_conversation_goes_ends_both(
    server: SearchServer, tool: Tool, alice: User, conversation: Conversation
) -> None:
    draft = search(tool, alice, conversation).draft
    delete = partial(delete_conversation, person(alice), conversation.pk)
    both_at_once(lambda: allow(draft, alice), delete)
    assert (Conversation.objects.count(), Consent.objects.count()) == (0, 0)
    assert len(server.requests) == 1
