"""Granting, revoking and switching: whose, of what, once, and in the audit."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from config.base.errors import NotFound, NotPermitted
from config.base.models import User
from skills import registry
from skills.bindings import forget_switch, is_enabled, switch_skill
from skills.enums import ApprovalMode, GrantStatus
from skills.errors import AgentNotYours, NothingToGrant, UndeclaredPermission, UnknownSkill
from skills.given import all_given
from skills.grants import (
    Permission,
    grant_permission,
    revoke_as_operator,
    revoke_permission,
)
from skills.models import AuditEvent, PermissionGrant, SkillBinding
from skills.subjects import subject_of
from tests.skills.conftest import AGENT, FOREIGN_AGENT
from tests.skills.factories import READ, WRITE, permission, skill
from tests.tools.conftest import actor_of
from tools.enums import Risk
from tools.testing import FakeDirectory, events_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agents", "echo"), pytest.mark.both]

ECHO = Permission(skill_id="echo", code=READ)
FOR_AGENT = Permission(skill_id="echo", code=READ, agent_id=AGENT)


def event_of(target_id: Any, action: str) -> AuditEvent:
    return AuditEvent.objects.get(target_id=str(target_id), action=action)


# --- Granting ---


def test_a_grant_says_for_which_version_and_by_whom_it_was_given(alice: User) -> None:
    grant = grant_permission(actor_of(alice), FOR_AGENT)
    assert (grant.user, grant.granted_by, grant.version) == (alice, alice, "1.0.0")
    assert (grant.scope, grant.status) == ("agent", GrantStatus.ACTIVE)
    grant.refresh_from_db()
    assert grant.granted_at is not None
    event = event_of(grant.pk, "grant.granted")
    assert (event.skill, event.skill_version, event.scope) == ("echo", "1.0.0", "agent")
    assert event.metadata == {"code": READ, "agent": str(AGENT)}


def test_granting_and_revoking_twice_is_once(alice: User) -> None:
    actor = actor_of(alice)
    first = grant_permission(actor, ECHO)
    assert grant_permission(actor, ECHO).pk == first.pk
    revoked = revoke_permission(actor, ECHO)
    assert revoked is not None
    assert (revoked.pk, revoked.status, revoked.revoked_by) == (first.pk, "revoked", alice)
    assert revoke_permission(actor, ECHO) is None
    assert events_of(first.pk) == ["grant.granted", "grant.revoked"]


def test_granting_again_is_a_new_grant_and_the_old_one_stays_as_history(alice: User) -> None:
    actor = actor_of(alice)
    first = grant_permission(actor, ECHO)
    revoke_permission(actor, ECHO)
    second = grant_permission(actor, ECHO)
    assert first.pk != second.pk
    assert set(PermissionGrant.objects.active()) == {second}
    assert PermissionGrant.objects.count() == 2


def test_only_what_a_manifest_declares_can_be_granted(alice: User) -> None:
    with pytest.raises(UndeclaredPermission) as refused:
        grant_permission(actor_of(alice), Permission(skill_id="echo", code=WRITE))
    assert refused.value.code == "permission_not_declared"
    with pytest.raises(UnknownSkill):
        grant_permission(actor_of(alice), Permission(skill_id="other", code=READ))
    assert not PermissionGrant.objects.exists()


def test_what_is_confirmed_each_time_can_not_be_granted(alice: User) -> None:
    each = permission(WRITE, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(permissions=(permission(READ), each))):
        grant_permission(actor_of(alice), ECHO)
        with pytest.raises(NothingToGrant):
            grant_permission(actor_of(alice), Permission(skill_id="echo", code=WRITE))


def test_an_agent_that_one_may_not_use_can_be_granted_nothing(alice: User) -> None:
    with pytest.raises(AgentNotYours):
        grant_permission(
            actor_of(alice), Permission(skill_id="echo", code=READ, agent_id=FOREIGN_AGENT)
        )
    assert grant_permission(actor_of(alice), FOR_AGENT).agent_id == AGENT


def test_a_new_major_version_replaces_the_grant(alice: User) -> None:
    first = grant_permission(actor_of(alice), ECHO)
    with registry.only(skill(version="1.4.0")):
        assert grant_permission(actor_of(alice), ECHO) == first
    with registry.only(skill(version="2.0.0")):
        second = grant_permission(actor_of(alice), ECHO)
    assert second.version == "2.0.0"
    assert events_of(first.pk) == ["grant.granted", "grant.revoked"]
    assert list(PermissionGrant.objects.active()) == [second]


# --- Whose ---


def test_nobody_but_an_operator_grants_to_somebody_else(
    alice: User, bob: User, operator: User
) -> None:
    with pytest.raises(NotPermitted):
        grant_permission(actor_of(bob), ECHO, person=alice)
    grant = grant_permission(actor_of(operator), ECHO, person=alice)
    assert (grant.user, grant.granted_by) == (alice, operator)
    assert event_of(grant.pk, "grant.granted").metadata["owner"] == str(subject_of(alice))
    assert revoke_permission(actor_of(bob), ECHO) is None
    assert revoke_permission(actor_of(operator), ECHO) is None
    assert revoke_permission(actor_of(alice), ECHO) == grant


def test_an_operator_revokes_by_the_grant(alice: User, operator: User) -> None:
    grant = grant_permission(actor_of(alice), ECHO)
    with pytest.raises(NotPermitted):
        revoke_as_operator(actor_of(alice), grant.pk)
    with pytest.raises(NotFound):
        revoke_as_operator(actor_of(operator), uuid4())
    assert revoke_as_operator(actor_of(operator), grant.pk).status == "revoked"
    revoke_as_operator(actor_of(operator), grant.pk)
    assert events_of(grant.pk) == ["grant.granted", "grant.revoked"]


def test_what_belongs_to_a_skill_or_an_agent_that_has_gone_can_be_revoked(
    alice: User,
) -> None:
    grant_permission(actor_of(alice), FOR_AGENT)
    FakeDirectory.tool_sets = {}
    with registry.only():
        assert revoke_permission(actor_of(alice), FOR_AGENT) is not None
    assert not PermissionGrant.objects.active().exists()


@pytest.mark.django_db(transaction=True)
def test_of_equal_grants_at_once_one_is_made(alice: User) -> None:
    together = Barrier(4)

    def grant(_n: int) -> Any:
        together.wait()
        try:
            return grant_permission(actor_of(alice), ECHO).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        keys = set(threads.map(grant, range(4)))
    assert len(keys) == 1
    assert events_of(keys.pop()) == ["grant.granted"]


# --- Switching ---


def test_a_skill_is_on_until_somebody_says_otherwise(alice: User, bob: User) -> None:
    assert is_enabled(alice, "echo", AGENT)
    binding = switch_skill(actor_of(alice), "echo", enabled=False)
    assert not is_enabled(alice, "echo", AGENT)
    assert is_enabled(bob, "echo", AGENT)
    assert events_of(binding.pk) == ["skill.disabled"]
    with registry.only(skill(enabled=False)):
        assert not is_enabled(bob, "echo")
    assert not is_enabled(alice, "other")


def test_the_switch_for_an_agent_counts_before_the_one_for_all(alice: User) -> None:
    actor = actor_of(alice)
    switch_skill(actor, "echo", enabled=False)
    switch_skill(actor, "echo", enabled=True, agent_id=AGENT)
    assert is_enabled(alice, "echo", AGENT)
    assert not is_enabled(alice, "echo")
    switch_skill(actor, "echo", enabled=True)
    switch_skill(actor, "echo", enabled=False, agent_id=AGENT)
    assert not is_enabled(alice, "echo", AGENT)
    assert is_enabled(alice, "echo")


def test_switching_twice_is_once(alice: User) -> None:
    actor = actor_of(alice)
    binding = switch_skill(actor, "echo", enabled=False)
    assert switch_skill(actor, "echo", enabled=False).pk == binding.pk
    switch_skill(actor, "echo", enabled=True)
    assert events_of(binding.pk) == ["skill.disabled", "skill.enabled"]
    assert SkillBinding.objects.count() == 1


def test_a_forgotten_switch_leaves_it_to_the_one_for_all(alice: User) -> None:
    actor = actor_of(alice)
    binding = switch_skill(actor, "echo", enabled=False, agent_id=AGENT)
    forget_switch(actor, "echo", agent_id=AGENT)
    forget_switch(actor, "echo", agent_id=AGENT)
    assert is_enabled(alice, "echo", AGENT)
    assert events_of(binding.pk) == ["skill.disabled", "skill.switch_forgotten"]


def test_nothing_is_switched_for_unknown_skills_and_foreign_agents(alice: User) -> None:
    with pytest.raises(UnknownSkill):
        switch_skill(actor_of(alice), "other", enabled=True)
    with pytest.raises(AgentNotYours):
        switch_skill(actor_of(alice), "echo", enabled=True, agent_id=FOREIGN_AGENT)


# --- Everything at once ---


def test_all_that_was_given_is_read_by_one_query(
    alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    for person in (alice, bob):
        grant_permission(actor_of(person), ECHO)
        switch_skill(actor_of(person), "echo", enabled=False, agent_id=AGENT)
    mine = grant_permission(actor_of(alice), FOR_AGENT)
    with django_assert_num_queries(1):
        given = all_given(alice, AGENT)
    assert [grant.agent_id for grant in given.grants_of(READ, "echo")] == [AGENT, None]
    assert next(given.grants_of(READ, "echo")).id == mine.pk
    assert given.switches == (("echo", AGENT, False),)
    assert all_given(alice, None).switches == ()
