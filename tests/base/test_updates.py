"""A row changed without Django's compiler, and what is inserted with it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.base.inserts import insertion, values_of
from config.base.updates import LAPSED, NEXT, NOW, Later, change_row, fetch_with
from skills.models import AuditEvent
from tools.models import ToolCall, ToolCallContent

pytestmark = [pytest.mark.django_db, pytest.mark.both]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def call() -> ToolCall:
    return ToolCall.objects.create(
        idempotency_key="one", tool_slug="echo", tool_type="echo", origin="api", status="open"
    )


def event(action: str) -> AuditEvent:
    return AuditEvent(recorded_at=timezone.now(), action=action, outcome="allowed", actor="system")


def test_it_writes_every_kind_of_value(call: ToolCall) -> None:
    before = timezone.now()
    values: dict[str, Any] = {
        "status": "success",
        "receipt": {"n": [1, None, "中"]},
        "finished_at": NOW,
        "deadline_at": Later(60),
        "attempt": NEXT,
    }
    assert change_row(ToolCall, values, {"id": call.pk}, returning=("attempt",)) == (1,)
    found = ToolCall.objects.get()
    assert (found.status, found.receipt, found.attempt) == ("success", {"n": [1, None, "中"]}, 1)
    assert found.finished_at is not None
    assert found.deadline_at is not None
    assert abs(found.finished_at - before) < MINUTE
    assert abs(found.deadline_at - found.finished_at - MINUTE) < timedelta(seconds=1)


@pytest.mark.parametrize(
    ("where", "is_met"),
    [
        ({"status": "open"}, True),
        ({"status": ("running", "open")}, True),
        ({"status": ("running", "success")}, False),
        ({"attempt": 1}, False),
        ({"deadline_at": LAPSED}, True),
        ({"started_at": LAPSED}, False),
    ],
)
def test_it_changes_what_is_as_asked_for_and_adds_nothing_else(
    call: ToolCall, where: dict[str, Any], is_met: bool
) -> None:
    past, future = datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)
    ToolCall.objects.update(deadline_at=past, started_at=future)
    told = [insertion(AuditEvent, values_of(event("told")))]
    changed = change_row(ToolCall, {"status": "denied"}, {"id": call.pk, **where}, adding=told)
    assert (changed is not None) == is_met
    assert (ToolCall.objects.get().status == "denied") == is_met
    assert AuditEvent.objects.filter(action="told").exists() == is_met


def test_what_is_added_keeps_its_order(call: ToolCall) -> None:
    names = [f"x.{n}" for n in range(5)]
    told = [insertion(AuditEvent, values_of(event(name))) for name in names]
    change_row(ToolCall, {"status": "success"}, {"id": call.pk}, adding=told)
    kept = AuditEvent.objects.filter(action__startswith="x.").order_by("id")
    assert list(kept.values_list("action", flat=True)) == names


def test_what_is_added_may_take_the_place_of_what_is_there(call: ToolCall) -> None:
    for n in (1, 2):
        content = ToolCallContent(call=call, output={"n": n}, output_bytes=n)
        added = insertion(ToolCallContent, values_of(content), replacing=("output", "output_bytes"))
        change_row(ToolCall, {"status": "success"}, {"id": call.pk}, adding=[added])
    kept = ToolCallContent.objects.get()
    assert (kept.output, kept.output_bytes) == ({"n": 2}, 2)


def test_a_statement_that_found_nothing_says_so() -> None:
    assert fetch_with("SELECT 1 WHERE 1 = 0", []) is None
