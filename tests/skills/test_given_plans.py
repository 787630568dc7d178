"""What a policy decision asks is found by an index, on both databases."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from config.base.models import User
from skills.given import Question
from skills.models import PermissionGrant, SkillBinding, SkillRun
from tests.plans import analyze, assert_uses_index
from tests.skills.conftest import AGENT
from tests.skills.factories import READ

pytestmark = [pytest.mark.django_db, pytest.mark.both]
MANY = 2000


@pytest.fixture
def years(alice: User, bob: User) -> None:
    """Of grants and switches: mostly bob's, mostly over."""
    now = timezone.now()
    PermissionGrant.objects.bulk_create(
        PermissionGrant(
            user=alice if n % 50 == 0 else bob,
            skill_id=f"skill-{n % 7}",
            code=READ if n % 3 == 0 else f"tests:read_{n}",
            agent_id=uuid4(),
            version="1.0.0",
            granted_at=now - timedelta(minutes=n),
            revoked_at=None if n % 4 == 0 else now,
        )
        for n in range(MANY)
    )
    SkillBinding.objects.bulk_create(
        SkillBinding(
            user=alice if n % 50 == 0 else bob,
            skill_id=f"skill-{n % 7}",
            agent_id=uuid4(),
            enabled=True,
        )
        for n in range(MANY)
    )
    SkillRun.objects.bulk_create(
        SkillRun(
            user=alice if n % 50 == 0 else bob,
            skill_id="a",
            version="1",
            kind="tool",
            tool_call_id=uuid4(),
            finished_at=now if n % 100 else None,
        )
        for n in range(MANY)
    )
    analyze(PermissionGrant, SkillBinding, SkillRun)


class Explained:
    """The very statement that a decision asks."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def explain(self) -> str:
        sql, parameters = self.question.statement()
        how = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        with connection.cursor() as cursor:
            cursor.execute(f"{how} {sql}", parameters)
            return "\n".join(str(row[-1]) for row in cursor.fetchall())


@pytest.mark.usefixtures("years")
@pytest.mark.parametrize("agent", [AGENT, None])
@pytest.mark.parametrize(
    "asked",
    [
        {"skill_id": "skill-1", "codes": (READ,)},
        {"codes": (READ, "tests:read_7"), "switches": False},
        {},
    ],
    ids=["skill", "codes", "all"],
)
def test_what_decides_is_found_by_indexes(alice: User, agent: Any, asked: dict[str, Any]) -> None:
    question: Any = Explained(Question(alice, agent, **asked))
    assert_uses_index(question)
    plan = question.explain()
    assert "grant_active" in plan or "one_active_grant_for" in plan, plan
    if asked.get("switches", True):
        assert "binding_by_user" in plan or "one_binding_for" in plan, plan


@pytest.mark.usefixtures("years")
def test_what_was_given_for_other_agents_is_not_read(alice: User) -> None:
    """A person may have given the same for thousands of them."""
    question = Explained(Question(alice, AGENT, skill_id="skill-1", codes=(READ,)))
    assert " OR " not in question.question.statement()[0]
    for line in question.explain().splitlines():
        if connection.vendor == "sqlite" and "_agent" in line:
            assert "agent_id=?" in line or "for_all_agents" in line, line


@pytest.mark.usefixtures("years")
def test_what_is_listed_is_found_by_an_index(alice: User) -> None:
    newest = SkillRun.objects.for_user(alice).order_by("-started_at", "-pk")[:20]
    assert "skill_run_by_user" in newest.explain()
    waiting = SkillRun.objects.filter(finished_at__isnull=True, tool_call_id=AGENT)
    assert "skill_run_unfinished" in waiting.explain()
    grants = PermissionGrant.objects.for_user(alice).order_by("-granted_at", "-pk")[:20]
    assert "grant_by_user" in grants.explain()
    latest = PermissionGrant.objects.order_by("-granted_at", "-pk")[:20]
    assert "grant_newest" in latest.explain()
