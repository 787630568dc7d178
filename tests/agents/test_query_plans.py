"""The queries that run all the time use their indexes, on both databases."""

from datetime import date, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from agents.models import Agent, Conversation, Run, RunEvent, RunStatus
from agents.runs.claim import runnable_runs
from agents.selectors import list_runs
from config.base.models import User
from tests.plans import analyze, assert_uses_index
from tools.enums import CallStatus, DraftState
from tools.models import ActionDraft, ToolCall, UserDay
from tools.models.draft import WAITING
from tools.selectors import list_drafts

pytestmark = [pytest.mark.django_db, pytest.mark.both]
MANY = 1500


@pytest.fixture
def history(alice: User, bob: User, guide: Agent) -> Conversation:
    """Years of finished work, mostly bob's, and a little that goes on."""
    now = timezone.now()
    conversation = Conversation.objects.create(owner=alice, agent=guide)
    runs = Run.objects.bulk_create(
        Run(
            owner=alice if n % 50 == 0 else bob,
            agent=guide,
            conversation=conversation,
            origin="chat",
            status=RunStatus.QUEUED if n % 250 == 0 else RunStatus.COMPLETED,
            finished_at=None if n % 250 == 0 else now,
        )
        for n in range(MANY)
    )
    calls = ToolCall.objects.bulk_create(
        ToolCall(
            idempotency_key=str(n),
            tool_slug="fetch",
            tool_type="fetch",
            user=run.owner,
            origin="chat",
            run_id=run.pk,
            input_digest="",
            status=CallStatus.SUCCESS,
            finished_at=now,
        )
        for n, run in enumerate(runs)
    )
    ActionDraft.objects.bulk_create(
        ActionDraft(
            call=call,
            owner=alice if n % 50 == 0 else bob,
            state=DraftState.DRAFT if n % 250 == 0 else DraftState.EXECUTED,
            proposed_arguments={},
            plan={"title": ""},
            conditions="",
            hash="",
            expires_at=timezone.now() + timedelta(minutes=30),
        )
        for n, call in enumerate(calls)
    )
    RunEvent.objects.bulk_create(
        RunEvent(run=runs[n % 50], conversation=conversation, seq=n, type="text.delta", data={})
        for n in range(MANY)
    )
    analyze(Run, ToolCall, ActionDraft, RunEvent)
    return conversation


def test_looking_for_runnable_runs_uses_its_index(history: Conversation) -> None:
    assert_uses_index(runnable_runs()[:16], "run_unfinished")


def test_my_runs_are_found_by_their_owner(history: Conversation, alice: User) -> None:
    assert "run_by_owner" in list_runs(alice)[:20].explain()


def test_events_of_a_run_are_found_by_an_index(history: Conversation) -> None:
    run = Run.objects.first()
    assert run is not None
    rows = RunEvent.objects.filter(run_id=run.pk, seq__gt=3).order_by("seq")[:500]
    assert_uses_index(rows)


def test_drafts_that_expire_are_found_by_an_index(history: Conversation) -> None:
    due = ActionDraft.objects.filter(state__in=WAITING, expires_at__lte=Now())
    assert_uses_index(due, "draft_expiring")


def test_the_inbox_is_read_by_an_index(history: Conversation, alice: User) -> None:
    waiting = list_drafts(alice).filter(state__in=WAITING)
    assert "draft_inbox" in waiting.explain() or "draft_expiring" in waiting.explain()


def test_calls_that_lost_their_process_are_found_by_an_index(history: Conversation) -> None:
    lost = ToolCall.objects.filter(
        deadline_at__isnull=False, deadline_at__lte=Now(), status=CallStatus.RUNNING
    )
    assert_uses_index(lost)  # that of deadlines, or that of states: both hold few


def test_the_number_of_a_call_in_its_run_is_counted_by_an_index(history: Conversation) -> None:
    run = Run.objects.latest("created_at")
    assert_uses_index(ToolCall.objects.filter(run_id=run.pk), "call_by_run")


def test_what_is_unread_is_counted_by_an_index(alice: User, bob: User, guide: Agent) -> None:
    Conversation.objects.bulk_create(
        Conversation(owner=alice if n % 3 else bob, agent=guide, unread=n % 100 == 0)
        for n in range(MANY)
    )
    analyze(Conversation)
    unread = Conversation.objects.for_user(alice).filter(unread__gt=0)
    assert_uses_index(unread, "conversation_unread")


def test_what_somebody_used_today_is_read_by_its_key(history: Conversation, alice: User) -> None:
    UserDay.objects.bulk_create(
        UserDay(user=alice, day=date(2020, 1, 1) + timedelta(days=n)) for n in range(MANY)
    )
    analyze(UserDay)
    mine = UserDay.objects.filter(user=alice, day=date(2021, 1, 1))
    assert_uses_index(mine)
    assert "usage_newest" in UserDay.objects.order_by("-day", "-pk")[:50].explain()
