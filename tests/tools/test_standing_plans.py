"""What the approval gate and the lists of approvals ask is found by an index, on both databases."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Q
from django.utils import timezone

from config.base.models import User
from tests.plans import analyze, assert_uses_index
from tests.tools.conftest import Make
from tools.approvals.selectors import list_approvals
from tools.models import StandingApproval, Tool, ToolCall, ToolDay

pytestmark = [pytest.mark.django_db, pytest.mark.both]
MANY = 1500


@pytest.fixture
def tool(make: Make, alice: User, bob: User) -> Tool:
    """Years of approvals, mostly bob's, nearly all over."""
    tool, now = make("rename"), timezone.now()
    StandingApproval.objects.bulk_create(
        StandingApproval(
            owner=alice if n % 50 == 0 else bob,
            tool=tool,
            tool_slug=tool.slug,
            agent_id=uuid4(),
            conditions="",
            annotations={},
            reasons=[],
            expires_at=now + timedelta(hours=1 if n % 300 == 0 else -n),
        )
        for n in range(MANY)
    )
    analyze(StandingApproval)
    return tool


def test_those_that_could_cover_a_call_are_found_by_an_index(tool: Tool, alice: User) -> None:
    usable = StandingApproval.objects.for_user(alice).usable().filter(tool_id=tool.pk)
    rows = usable.filter(Q(agent_id=None) | Q(agent_id=uuid4())).order_by("expires_at", "pk")
    assert_uses_index(rows, "approval_usable")


def test_ones_own_are_listed_by_an_index(tool: Tool, alice: User) -> None:
    assert "approval_by_owner" in list_approvals(alice)[:20].explain()


def test_the_newest_of_all_are_listed_by_an_index(tool: Tool) -> None:
    newest = StandingApproval.objects.order_by("-created_at", "-pk")[:50]
    assert "approval_newest" in newest.explain()


def test_the_calls_of_one_are_found_by_an_index(tool: Tool, alice: User) -> None:
    facts: dict[str, Any] = {"tool_slug": "it", "tool_type": "it", "origin": "chat"}
    ToolCall.objects.bulk_create(
        ToolCall(idempotency_key=str(n), input_digest="", status="success", **facts)
        for n in range(MANY)
    )
    analyze(ToolCall)
    approval = StandingApproval.objects.filter(owner=alice).first()
    assert_uses_index(ToolCall.objects.filter(standing_approval=approval), "call_by_approval")


def test_the_day_of_a_tool_is_read_by_its_key(tool: Tool) -> None:
    today = timezone.now().date()
    ToolDay.objects.bulk_create(
        ToolDay(tool=tool, day=today - timedelta(days=n)) for n in range(MANY)
    )
    analyze(ToolDay)
    assert_uses_index(ToolDay.objects.filter(tool=tool, day=today))
