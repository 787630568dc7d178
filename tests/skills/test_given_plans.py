"""What a policy decision asks is found by an index, on both databases."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from config.base.models import User
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
        SkillRun(user=alice if n % 50 == 0 else bob, skill_id="a", version="1", kind="tool")
        for n in range(MANY)
    )
    analyze(PermissionGrant, SkillBinding, SkillRun)


GRANT_INDEXES = ("grant_active", "one_active_grant_for")
BINDING_INDEXES = ("binding_by_user", "one_binding_for")


def assert_uses_one_of(rows: Any, names: tuple[str, ...]) -> None:
    assert_uses_index(rows)
    assert any(name in rows.explain() for name in names), rows.explain()


@pytest.mark.usefixtures("years")
@pytest.mark.parametrize("agent", [AGENT, None])
@pytest.mark.parametrize("narrow", [{}, {"skill_id": "skill-1"}])
def test_the_grants_that_count_are_found_by_an_index(
    alice: User, agent: Any, narrow: dict[str, Any]
) -> None:
    rows = PermissionGrant.objects.for_user(alice).active().reaching(agent)
    assert_uses_one_of(rows.filter(code__in=[READ], **narrow), GRANT_INDEXES)
    assert_uses_one_of(rows, GRANT_INDEXES)


@pytest.mark.usefixtures("years")
@pytest.mark.parametrize("agent", [AGENT, None])
def test_the_switches_that_count_are_found_by_an_index(alice: User, agent: Any) -> None:
    rows = SkillBinding.objects.for_user(alice).reaching(agent)
    assert_uses_one_of(rows.filter(skill_id="skill-1"), BINDING_INDEXES)


@pytest.mark.usefixtures("years")
def test_what_is_listed_is_found_by_an_index(alice: User) -> None:
    newest = SkillRun.objects.for_user(alice).order_by("-started_at", "-pk")[:20]
    assert "skill_run_by_user" in newest.explain()
    grants = PermissionGrant.objects.for_user(alice).order_by("-granted_at", "-pk")[:20]
    assert "grant_by_user" in grants.explain()
    latest = PermissionGrant.objects.order_by("-granted_at", "-pk")[:20]
    assert "grant_newest" in latest.explain()
