"""The consent gate: a conversation asks no service that its person has not let it ask.

What allows stands beside its twin that does not. The service is a live server on loopback.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from agents import gates
from agents.consents import find_consent, list_consents, revoke_consent
from agents.conversations import delete_conversation
from agents.models import Agent, Consent, Conversation
from config.base.actor import Actor, Origin
from config.base.errors import NotFound
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of
from tests.agents.searching import allow, consent_to, reason_of, search, search_tool
from tests.plans import analyze, assert_uses_index
from tests.tools.search_servers import SearchServer
from tools.drafts import confirm_draft, dismiss_draft, settle_lost_calls
from tools.enums import CallStatus, ConsentKind, DraftKind, DraftState
from tools.errors import ConditionsChanged
from tools.models import ActionDraft, Tool, ToolCall
from tools.pipeline import call_tool
from tools.preview import preview_decision
from tools.registry import get_tool_type
from tools.schemas import CallContext
from tools.services import update_tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer("searxng") as server:
        yield server


@pytest.fixture
def tool(server: SearchServer, operator: User, guide: Agent) -> Tool:
    return search_tool(server, operator, guide)


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide)


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def given() -> list[tuple[Any, str, str]]:
    return list(Consent.objects.values_list("conversation_id", "kind", "service"))


def audited(action: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action=action).order_by("pk"))


# --- Asked, given, remembered ---


def test_the_first_search_waits_and_says_what_leaves_for_whom(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    outcome = search(tool, alice, conversation, "what lays eggs?")
    assert outcome.draft
    assert (outcome.draft.kind, outcome.draft.state) == (DraftKind.CONSENT, DraftState.DRAFT)
    assert outcome.call.status == CallStatus.NEEDS_CONSENT
    told = reason_of(outcome)
    assert (told["outcome"], told["reason_code"]) == ("needs_consent", "consent_missing")
    assert told["reason"] == (
        f"What stands here leaves Gatehouse for {server.netloc}. If you allow it, this "
        f"conversation may ask {server.netloc} again for 24 hours."
    )
    assert "leave" not in told
    assert outcome.draft.plan["scope"] == server.netloc
    assert outcome.draft.plan["preview"]["text"].endswith("gets:\nwhat lays eggs?")
    assert (server.requests, given()) == ([], [])


def test_what_was_allowed_is_done_and_the_next_asks_no_more(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    draft = allow(search(tool, alice, conversation).draft, alice)
    assert (draft.state, draft.receipt) == (
        DraftState.EXECUTED,
        {"host": "127.0.0.1", "results": 2},
    )
    assert given() == [(conversation.pk, "web", server.netloc)]
    second = search(tool, alice, conversation, "echidna")
    assert second.success
    told, consent = reason_of(second), Consent.objects.get()
    assert (told["outcome"], told["reason_code"]) == ("allow", "consent_given")
    assert (told["leave"]["kind"], told["leave"]["id"]) == ("consent", str(consent.pk))
    assert told["reason"].startswith("Allowed on ")
    assert server.netloc in told["reason"]
    decided = AuditEvent.objects.filter(action="policy.decided", target_id=str(second.call.pk))
    assert decided.get().metadata["leaves"] == [f"consent:{consent.pk}"]
    assert decided.get().reason_code == "consent_given"
    assert [asked["q"] for asked in server.asked] == ["platypus", "echidna"]


def test_a_refusal_gives_nothing(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    draft = search(tool, alice, conversation).draft
    assert draft
    dismiss_draft(person(alice), draft.pk)
    assert search(tool, alice, conversation).draft
    assert (server.requests, given()) == ([], [])


def test_it_lasts_as_long_as_is_set(
    tool: Tool, alice: User, conversation: Conversation, settings: Any
) -> None:
    settings.CONSENT_HOURS = 1
    outcome = search(tool, alice, conversation)
    assert reason_of(outcome)["reason"].endswith("again for 1 hour.")
    allow(outcome.draft, alice)
    consent = Consent.objects.get()
    assert consent.until - consent.given_at == timedelta(hours=1)
    assert abs(consent.given_at - timezone.now()) < timedelta(minutes=1)


def test_times_are_told_in_the_persons_zone_and_language(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    consent = consent_to(server, conversation)
    Consent.objects.update(given_at="2026-05-01T20:00Z")
    alice.time_zone = "Asia/Shanghai"
    with translation.override("en-gb"):
        told = reason_of(search(tool, alice, conversation))["reason"]
    assert told.startswith("Allowed on 2 May 2026, 4 a.m. (Asia/Shanghai), until ")
    assert told.count(consent.service) == 1


def test_the_service_that_is_asked_may_be_on_another_tool(
    tool: Tool, alice: User, operator: User, guide: Agent, conversation: Conversation,
    server: SearchServer,
) -> None:  # fmt: skip
    allow(search(tool, alice, conversation).draft, alice)
    assert search(search_tool(server, operator, guide, "again"), alice, conversation).success


# --- What does not count ---


@pytest.mark.parametrize(
    "change",
    [
        {"until": timezone.now() - timedelta(seconds=1)},
        {"kind": "media"},
        {"service": "search.example"},
        {"service": ""},
    ],
)
def test_another_consent_does_not_count(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer,
    change: dict[str, Any],
) -> None:  # fmt: skip
    consent = consent_to(server, conversation)
    assert search(tool, alice, conversation).success
    Consent.objects.filter(pk=consent.pk).update(**change)
    outcome = search(tool, alice, conversation)
    assert reason_of(outcome)["reason_code"] == "consent_missing"
    assert len(server.requests) == 1


def test_another_conversation_asks_for_itself(
    tool: Tool, alice: User, guide: Agent, conversation: Conversation
) -> None:
    allow(search(tool, alice, conversation).draft, alice)
    assert search(tool, alice, conversation_of(alice, guide)).draft


def test_somebody_elses_consent_is_theirs(
    tool: Tool, alice: User, bob: User, guide: Agent, conversation: Conversation,
    server: SearchServer,
) -> None:  # fmt: skip
    consent_to(server, conversation)
    assert search(tool, bob, conversation_of(bob, guide)).draft
    through_hers = search(tool, bob, conversation)  # whatever a caller makes up
    assert reason_of(through_hers)["reason_code"] == "consent_missing"
    assert server.requests == []


def test_nobody_gives_it_for_a_conversation_of_others(
    tool: Tool, bob: User, conversation: Conversation
) -> None:
    allow(search(tool, bob, conversation).draft, bob)
    assert given() == []


def test_outside_a_conversation_each_call_asks(
    tool: Tool, alice: User, server: SearchServer
) -> None:
    for n in (1, 2):
        outcome = search(tool, alice)
        assert reason_of(outcome)["reason_code"] == "consent_each_time"
        assert allow(outcome.draft, alice).state == DraftState.EXECUTED
        assert (len(server.requests), given()) == (n, [])


def test_a_callers_own_confirmation_is_no_consent(tool: Tool, operator: User) -> None:
    outcome = search(tool, operator, confirm=True)
    assert outcome.draft
    assert outcome.draft.kind == DraftKind.CONSENT


@pytest.mark.parametrize("consented", [True, False])
def test_what_nobody_attends_to_is_refused(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer, consented: bool
) -> None:
    if consented:
        consent_to(server, conversation)
    outcome = search(tool, alice, conversation, unattended=True)
    assert outcome.error
    assert outcome.error.code == "denied"
    assert reason_of(outcome)["reason_code"] == "consent_unattended"
    assert (server.requests, ActionDraft.objects.count()) == ([], 0)


def test_what_lets_nothing_out_needs_none(alice: User, conversation: Conversation) -> None:
    actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=conversation.pk)
    for unattended in (False, True):
        context = CallContext(actor=actor, idempotency_key=str(uuid4()), unattended=unattended)
        calculator = Tool.objects.get(slug="calculator")
        outcome = call_tool(calculator, {"expression": "6*7"}, context)
        assert outcome.success
        assert reason_of(outcome)["reason_code"] == "no_consent_needed"


def test_what_somebody_would_be_told_is_told(
    tool: Tool, alice: User, operator: User, guide: Agent
) -> None:
    """For an agent too: there is no conversation yet."""
    for agent_id in (None, guide.pk):
        decision = preview_decision(
            person(operator), alice, tool, {"query": "x"}, agent_id=agent_id
        )
        assert (decision.outcome, decision.decisive.gate) == ("needs_consent", "consent")


def test_a_conversation_that_is_gone_remembers_nothing(
    tool: Tool, alice: User, conversation: Conversation
) -> None:
    draft = search(tool, alice, conversation).draft
    Conversation.objects.all().delete()
    assert allow(draft, alice).state == DraftState.EXECUTED
    assert given() == []


# --- The world moves on ---


def test_one_taken_back_is_asked_for_again(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    allow(search(tool, alice, conversation).draft, alice)
    assert search(tool, alice, conversation).success
    revoke_consent(person(alice), Consent.objects.get().pk)
    assert search(tool, alice, conversation).draft
    assert len(server.requests) == 2


def test_one_taken_back_between_draft_and_confirmation_asks_for_it(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    """The card was about what a run had read; what it becomes says what leaves for whom."""
    consent = consent_to(server, conversation)
    outcome = search(tool, alice, conversation, provenance=frozenset({"private"}))
    draft = outcome.draft
    assert draft
    assert draft.kind == DraftKind.ACTION
    revoke_consent(person(alice), consent.pk)
    with pytest.raises(ConditionsChanged):
        allow(draft, alice)
    draft.refresh_from_db()
    assert (draft.kind, draft.version, draft.state) == ("consent", 2, "draft")
    assert reason_of(outcome)["reason_code"] == "consent_missing"
    assert reason_of(outcome, "taint")["outcome"] == "needs_confirmation"
    assert (server.requests, given()) == ([], [])
    assert allow(draft, alice, key="2").state == DraftState.EXECUTED
    assert given() == [(conversation.pk, "web", server.netloc)]


def test_one_that_stays_lets_the_confirmation_through(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    consent_to(server, conversation)
    draft = search(tool, alice, conversation, provenance=frozenset({"private"})).draft
    assert allow(draft, alice).state == DraftState.EXECUTED
    assert audited("consent.given") == []


def test_allowing_a_search_allows_no_other_after_private_reading(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    private = frozenset({"private"})
    allow(search(tool, alice, conversation, provenance=private).draft, alice)
    outcome = search(tool, alice, conversation, "the code is 4711", provenance=private)
    assert outcome.draft
    assert outcome.draft.kind == DraftKind.ACTION
    assert len(server.requests) == 1


def test_another_service_than_the_card_said_gets_nothing(
    tool: Tool, alice: User, operator: User, conversation: Conversation, server: SearchServer
) -> None:
    draft = search(tool, alice, conversation).draft
    with SearchServer("searxng") as other:
        update_tool(person(operator), tool.pk, config=other.config)
        with pytest.raises(ConditionsChanged) as moved:
            allow(draft, alice)
        assert (server.requests, other.requests, given()) == ([], [], [])
        fresh = moved.value.details["draft"]
        assert fresh.plan["scope"] == other.netloc
        assert other.netloc in fresh.call.decision["reason"]
        allow(fresh, alice, key="2")
        assert given() == [(conversation.pk, "web", other.netloc)]


def test_a_tool_that_turns_to_another_service_asks_anew(
    tool: Tool, alice: User, operator: User, conversation: Conversation
) -> None:
    allow(search(tool, alice, conversation).draft, alice)
    with SearchServer("searxng") as other:
        tool = update_tool(person(operator), tool.pk, config=other.config)
        assert search(tool, alice, conversation).draft
        assert other.requests == []


def test_given_meanwhile_it_is_no_obstacle(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    """Two searches of one step wait; each is allowed by itself, and one row remembers it."""
    first, second = (search(tool, alice, conversation, query) for query in ("a", "b"))
    allow(first.draft, alice, key="1")
    assert allow(second.draft, alice, key="2").state == DraftState.EXECUTED
    assert given() == [(conversation.pk, "web", server.netloc)]
    assert len(audited("consent.given")) == 2


def test_the_same_confirmation_again_gives_nothing_anew(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    draft = search(tool, alice, conversation).draft
    assert draft
    receipts = [
        confirm_draft(person(alice), draft.pk, expected_version=1, idempotency_key="k").receipt
        for _ in range(2)
    ]
    assert receipts == [{"host": "127.0.0.1", "results": 2}] * 2
    assert (len(server.requests), len(audited("consent.given"))) == (1, 1)


def test_one_that_ended_is_given_anew(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    old = consent_to(server, conversation, hours=-1)
    allow(search(tool, alice, conversation).draft, alice)
    assert Consent.objects.get().pk == old.pk
    assert Consent.objects.in_force().count() == 1


def test_a_search_that_fails_leaves_the_consent_and_can_be_tried_again(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    server.raw = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n"
    draft = allow(search(tool, alice, conversation).draft, alice)
    assert (draft.state, draft.error_code) == (DraftState.FAILED, "provider_failed")
    assert len(given()) == 1
    server.raw = None
    assert search(tool, alice, conversation).success


def test_confirmation_and_consent_are_one(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    draft = search(tool, alice, conversation).draft

    def fail(*_arguments: Any) -> None:
        raise RuntimeError("the row can't be written")

    monkeypatch.setattr(gates, "give_consent", fail)
    with pytest.raises(RuntimeError):
        allow(draft, alice)
    assert draft
    draft.refresh_from_db()
    assert (draft.state, server.requests, given()) == (DraftState.DRAFT, [], [])
    assert audited("draft.confirmed") == []


@pytest.mark.parametrize("in_a_conversation", [True, False])
def test_an_allowed_search_whose_process_died_is_made_again(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer,
    monkeypatch: pytest.MonkeyPatch, in_a_conversation: bool,
) -> None:  # fmt: skip
    draft = search(tool, alice, conversation if in_a_conversation else None).draft
    with monkeypatch.context() as dying:
        dying.setattr("tools.drafts.confirm.carry_out", lambda draft: draft)
        assert allow(draft, alice).state == DraftState.CONFIRMED
    ToolCall.objects.update(deadline_at=Now())
    assert settle_lost_calls() == 1
    assert ActionDraft.objects.get().state == DraftState.EXECUTED
    assert len(server.requests) == 1


def test_one_taken_back_is_not_made_again(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Not even what a card confirmed that was about something else."""
    consent_to(server, conversation)
    private = frozenset({"private"})
    draft = search(tool, alice, conversation, provenance=private).draft
    with monkeypatch.context() as dying:
        dying.setattr("tools.drafts.confirm.carry_out", lambda draft: draft)
        allow(draft, alice)
    Consent.objects.all().delete()
    ToolCall.objects.update(deadline_at=Now())
    settle_lost_calls()
    assert server.requests == []


# --- Seen and taken back ---


def test_one_sees_ones_own_that_are_in_force(
    alice: User, bob: User, guide: Agent, conversation: Conversation, server: SearchServer
) -> None:
    mine = consent_to(server, conversation)
    consent_to(server, conversation, hours=-1, service="ended.example")
    theirs = consent_to(server, conversation_of(bob, guide))
    assert list(list_consents(alice)) == [mine]
    assert list(list_consents(bob)) == [theirs]


def test_nobody_takes_back_what_is_not_theirs(
    bob: User, operator: User, conversation: Conversation, server: SearchServer
) -> None:
    consent = consent_to(server, conversation)
    for user in (bob, operator):
        with pytest.raises(NotFound):
            revoke_consent(person(user), consent.pk)
    assert len(given()) == 1
    assert audited("consent.revoked") == []


def test_taken_back_twice_is_taken_back_once(
    alice: User, conversation: Conversation, server: SearchServer
) -> None:
    consent = consent_to(server, conversation)
    revoke_consent(person(alice), consent.pk)
    with pytest.raises(NotFound):
        revoke_consent(person(alice), consent.pk)
    assert len(audited("consent.revoked")) == 1


def test_both_are_audited_without_what_was_asked(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    allow(search(tool, alice, conversation, "my secret wish").draft, alice)
    consent = Consent.objects.get()
    revoke_consent(person(alice), consent.pk)
    [start], [end] = audited("consent.given"), audited("consent.revoked")
    about = {"conversation": str(conversation.pk), "kind": "web", "service": server.netloc}
    for event in (start, end):
        assert event.target_id == str(consent.pk)
        assert event.metadata == about
    assert "secret wish" not in str(list(AuditEvent.objects.values()))


def test_it_goes_with_its_conversation(
    alice: User, conversation: Conversation, server: SearchServer
) -> None:
    consent_to(server, conversation)
    delete_conversation(person(alice), conversation.pk)
    assert given() == []


# --- What it costs ---


def test_the_gate_asks_once_and_only_where_something_leaves(
    tool: Tool, alice: User, conversation: Conversation, server: SearchServer
) -> None:
    consent_to(server, conversation)

    def asked(outcome_of: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert outcome_of().success
        return len([q for q in queries if "agents_consent" in q["sql"]])

    assert asked(lambda: search(tool, alice, conversation)) == 1


def test_it_is_found_by_an_index(alice: User, guide: Agent, conversation: Conversation) -> None:
    now = timezone.now()
    many = [Conversation(owner=alice, agent=guide) for _ in range(800)]
    Conversation.objects.bulk_create(many)
    Consent.objects.bulk_create(
        Consent(conversation=one, kind="web", service="a.example", given_at=now, until=now)
        for one in many
    )
    analyze(Consent, Conversation)
    rows = (
        Consent.objects.for_user(alice)
        .in_force()
        .filter(conversation_id=many[7].pk, kind="web", service="a.example")
    )
    assert_uses_index(rows)
    actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=many[7].pk)
    assert find_consent(actor, ConsentKind.WEB, "a.example") is None  # it has ended


def test_a_type_says_which_kind_it_asks_for() -> None:
    assert get_tool_type("web_search").consent_kind == ConsentKind.WEB


def test_the_console_shows_the_consent_that_a_call_went_by(
    tool: Tool, alice: User, operator: User, conversation: Conversation, server: SearchServer
) -> None:
    consent = consent_to(server, conversation)
    outcome = search(tool, alice, conversation)
    client = Client()
    client.force_login(operator)
    page = client.get(f"/admin/tools/toolcall/{outcome.call.pk}/change/").content.decode()
    assert f'href="/admin/agents/consent/{consent.pk}/change/"' in page
    shown = client.get(f"/admin/agents/consent/{consent.pk}/change/").content.decode()
    assert server.netloc in shown
    for act in ("add/", f"{consent.pk}/delete/"):
        assert client.post(f"/admin/agents/consent/{act}").status_code == 403
    assert len(given()) == 1
