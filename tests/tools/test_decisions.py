"""What a decision says first, and how one is read that was stored long ago."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from tools.admin.shown import decision_rows
from tools.decisions import Decision, Leave, Reason, stored_decision
from tools.enums import DecisionOutcome, LeaveKind
from tools.models import ToolCall

ALLOW, ASK, DENY = (
    DecisionOutcome.ALLOW,
    DecisionOutcome.NEEDS_CONFIRMATION,
    DecisionOutcome.DENY,
)
KEY = UUID("0190a1b2-0000-7000-8000-000000000001")
UNTIL = datetime(2026, 12, 1, tzinfo=UTC)
LEAVE = Leave(kind=LeaveKind.STANDING_APPROVAL, id=KEY, expires_at=UNTIL, uses_left=2)

ENABLED = Reason("enabled", ALLOW, "enabled", "It is switched on.")
WITHIN = Reason("quota", ALLOW, "within_quota", "Call 1.")
STANDING = Reason("approval", ALLOW, "standing_approval", "Covered.", leaves=(LEAVE,))
CONFIRMED = Reason("approval", ALLOW, "confirmed", "Confirmed.", by_person=True)
ASKING = Reason("approval", ASK, "tool_needs_approval", "Asked.")
DENIED = Reason("quota", DENY, "day_quota_exceeded", "All used.")


@pytest.mark.parametrize(
    ("reasons", "decisive"),
    [
        ((ENABLED, WITHIN), ENABLED),
        ((ENABLED, WITHIN, STANDING), STANDING),
        ((ENABLED, WITHIN, CONFIRMED), CONFIRMED),
        ((STANDING, ASKING), ASKING),
        ((CONFIRMED, DENIED, ASKING), DENIED),
        ((ASKING, Reason("taint", ASK, "tainted_send", "It sends.")), ASKING),
    ],
)
def test_the_worst_decides_and_of_equals_a_persons_word(
    reasons: tuple[Reason, ...], decisive: Reason
) -> None:
    assert Decision(reasons).decisive == decisive


def test_a_leave_says_what_which_and_how_long() -> None:
    told = Decision((ENABLED, STANDING)).as_json()
    assert told["leave"] == {
        "kind": "standing_approval",
        "id": str(KEY),
        "expires_at": "2026-12-01T00:00:00Z",
        "uses_left": 2,
    }
    assert told["leaves"] == [told["leave"]]
    assert not {"leave", "leaves", "missing"} & set(Decision((ENABLED,)).as_json())
    assert str(LEAVE) == f"standing_approval:{KEY}"


def test_an_old_decision_is_read_as_one_of_today() -> None:
    allowed = {"outcome": "allow", "reason_code": "x", "reason": "X"}
    consent = {"gate": "consent", **allowed, "leave": f"consent:{KEY}"}
    approval = {
        "gate": "approval",
        **allowed,
        "standing_approval": {"id": str(KEY), "expires_at": "2026-12-01T00:00:00Z", "uses_left": 2},
    }
    enabled = {"gate": "enabled", **allowed}
    call = ToolCall(decision={**enabled, "reasons": [enabled, consent, approval]})
    told = call.told_decision
    assert told
    first, second, third = told["reasons"]
    assert first == enabled
    assert second["leave"] == {
        "kind": "consent",
        "id": str(KEY),
        "expires_at": None,
        "uses_left": None,
    }
    assert third["leave"] == LEAVE.as_json()
    assert (second["leaves"], third["leaves"]) == ([second["leave"]], [third["leave"]])
    assert "standing_approval" not in third
    assert stored_decision(told) == told
    assert (stored_decision(None), ToolCall().told_decision) == (None, None)


def test_what_passes_by_two_leaves_and_what_lacks_two_permissions_say_both() -> None:
    grants = tuple(Leave(kind=LeaveKind.PERMISSION_GRANT, id=UUID(int=number)) for number in (1, 2))
    granted = Reason("grant", ALLOW, "granted", "Granted.", leaves=grants)
    told = Decision((ENABLED, granted)).as_json()
    assert told["leaves"] == [leave.as_json() for leave in grants]
    assert told["leave"] == told["leaves"][0]
    lacking = Reason("grant", DENY, "permission_missing", "Missing.", missing=("a:read", "a:write"))
    told = Decision((ENABLED, lacking)).as_json()
    assert told["missing"] == told["reasons"][1]["missing"] == ["a:read", "a:write"]
    assert stored_decision(told) == told


@pytest.mark.django_db
def test_the_operator_sees_that_a_leave_decided() -> None:
    rows = decision_rows(Decision((ENABLED, STANDING)).as_json())
    assert [row["decides"] for row in rows] == [False, True]
    assert [len(row["leaves"]) for row in rows] == [0, 1]
    rows = decision_rows(Decision((ENABLED, WITHIN)).as_json())
    assert [row["decides"] for row in rows] == [False, False]
