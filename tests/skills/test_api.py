"""The REST of skills: how each stands, permissions, switches and uses; only what is one's own."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from config.base.models import Scope, User
from skills import registry
from skills.enums import ApprovalMode, RunStatus
from skills.manifests import Matchers
from skills.models import AuditEvent, PermissionGrant, SkillBinding
from tests.skills.conftest import AGENT, FOREIGN_AGENT, OTHER_AGENT
from tests.skills.factories import (
    READ,
    WRITE,
    Later,
    Tone,
    make_grant,
    make_run,
    make_switch,
    permission,
    skill,
)
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents", "skills")]

SKILLS = "/api/skills/"
PERMISSIONS, BINDINGS, RUNS = (f"{SKILLS}{name}/" for name in ("permissions", "bindings", "runs"))
GIVE: dict[str, Any] = {"skill_id": "echo", "code": READ, "scope": "user", "granted": True}
FOR_AGENT = {**GIVE, "scope": "agent", "agent": str(AGENT)}
OFF: dict[str, Any] = {"skill_id": "echo", "enabled": False}


def by_names(value: Any) -> str:
    """The same in each process: ids are made anew."""
    return ",".join(value) if isinstance(value, dict) else ""


@pytest.fixture
def skills(tool: Any) -> Any:
    with registry.only(
        skill(permissions=(permission(), permission(WRITE, ApprovalMode.PER_OPERATION))),
        skill(Later, skill_id="later", matchers=Matchers()),
        skill(Tone, skill_id="tone", permissions=(), matchers=Matchers()),
    ):
        yield


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


def rows(answer: Any) -> list[dict[str, Any]]:
    status, body = answer
    assert status == 200, body
    found: list[dict[str, Any]] = body["results"]
    return found


def echo(api: Api, query: str = "") -> dict[str, Any]:
    [row] = [one for one in rows(api("GET", SKILLS + query)) if one["skill_id"] == "echo"]
    return row


def held(api: Api, query: str = "") -> tuple[bool, bool, str]:
    row = echo(api, query)
    [first, _second] = row["permissions"]
    return row["enabled"], first["granted"], row["decision"]["reason_code"]


# --- Who ---


@pytest.mark.parametrize("path", [SKILLS, PERMISSIONS, BINDINGS, RUNS, f"{SKILLS}background-jobs/"])
def test_a_token_needs_the_scope(alice: User, path: str) -> None:
    others = sorted(set(Scope.values) - {Scope.SKILLS})
    assert error_of(Api(alice, others)("GET", path))[:2] == (403, "scope_missing")
    assert Api(alice, [Scope.SKILLS])("GET", path)[0] == 200


# --- The catalogue ---


def test_the_catalogue_says_how_each_stands(api: Api) -> None:
    assert [one["skill_id"] for one in rows(api("GET", SKILLS))] == ["echo", "later", "tone"]
    row = echo(api)
    assert (row["version"], row["kind"], row["scope"]) == ("1.0.0", "tool", "single_chat")
    assert (row["commands"], row["enabled"]) == (["/echo"], True)
    assert row["permissions"][0] == {
        "code": READ,
        "risk": "L1",
        "approval": "persistent",
        "label": f"Do {READ}",
        "description": "",
        "granted": False,
        "grant": None,
    }
    assert row["decision"]["outcome"] == "deny"
    assert row["decision"]["missing"] == [READ]
    tone = rows(api("GET", SKILLS))[2]
    assert tone["decision"]["reason_code"] == "no_permission_needed"


def test_it_stands_otherwise_for_an_agent(api: Api, alice: User) -> None:
    grant = make_grant(alice, agent_id=AGENT)
    make_switch(alice, agent_id=OTHER_AGENT)
    assert held(api) == (True, False, "permission_missing")
    assert held(api, f"?agent={AGENT}") == (True, True, "per_operation")
    assert held(api, f"?agent={OTHER_AGENT}") == (False, False, "skill_disabled")
    assert echo(api, f"?agent={AGENT}")["permissions"][0]["grant"] == str(grant.pk)
    assert error_of(api("GET", f"{SKILLS}?agent={FOREIGN_AGENT}"))[:2] == (404, "agent_not_found")
    assert error_of(api("GET", f"{SKILLS}?agent=x")) == (400, "invalid", "agent")


def test_looking_records_and_changes_nothing(api: Api) -> None:
    before = AuditEvent.objects.count()
    echo(api)
    assert AuditEvent.objects.count() == before


# --- Permissions ---


def test_a_permission_is_given_and_taken_back(api: Api) -> None:
    status, body = api("PATCH", PERMISSIONS, GIVE)
    grant = PermissionGrant.objects.get()
    assert (status, body) == (200, {**GIVE, "agent": None, "grant": str(grant.pk)})
    assert api("PATCH", PERMISSIONS, GIVE)[1] == body
    assert held(api)[1] is True
    assert api("PATCH", PERMISSIONS, {**GIVE, "granted": False}) == (
        200,
        {**GIVE, "agent": None, "granted": False, "grant": None},
    )
    assert held(api)[1] is False
    [row] = rows(api("GET", PERMISSIONS))
    assert (row["id"], row["status"], row["scope"]) == (str(grant.pk), "revoked", "user")
    assert row["revoked_at"] is not None


def test_for_one_agent_it_is_for_that_one(api: Api) -> None:
    api("PATCH", PERMISSIONS, FOR_AGENT)
    assert held(api, f"?agent={AGENT}")[1] is True
    assert held(api, f"?agent={OTHER_AGENT}")[1] is False
    assert held(api)[1] is False
    [row] = rows(api("GET", PERMISSIONS))
    assert (row["scope"], row["agent"], row["status"]) == ("agent", str(AGENT), "active")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code": "tests:other"}, (400, "permission_not_declared", "code")),
        ({"code": WRITE}, (400, "asked_each_time", "code")),
        ({"skill_id": "gone"}, (404, "unknown_skill", None)),
        ({"scope": "agent"}, (400, "required", "agent")),
        ({"agent": str(AGENT)}, (400, "invalid", "agent")),
        ({"scope": "agent", "agent": str(FOREIGN_AGENT)}, (404, "agent_not_found", None)),
        ({"scope": "everybody"}, (400, "invalid_choice", "scope")),
        ({"granted": "yes"}, (400, "invalid", "granted")),
        ({"granted": None}, (400, "null", "granted")),
        ({"user": "bob"}, (400, "unknown_field", "user")),
        ({"version": "9.0.0"}, (400, "unknown_field", "version")),
    ],
    ids=by_names,
)
def test_what_can_not_be_permitted_is_refused(api: Api, change: dict[str, Any], error: Any) -> None:
    assert error_of(api("PATCH", PERMISSIONS, {**GIVE, **change})) == error
    assert not PermissionGrant.objects.exists()


# --- Switches ---


def test_a_skill_is_switched_for_all_agents_and_for_one(api: Api) -> None:
    assert api("PATCH", BINDINGS, OFF) == (200, {**OFF, "agent": None, "effective": False})
    on = {"skill_id": "echo", "agent": str(AGENT), "enabled": True}
    assert api("PATCH", BINDINGS, on) == (200, {**on, "effective": True})
    assert held(api)[0] is False
    assert held(api, f"?agent={AGENT}")[0] is True
    assert [(one["agent"], one["enabled"]) for one in rows(api("GET", BINDINGS))] in (
        [(None, False), (str(AGENT), True)],
        [(str(AGENT), True), (None, False)],
    )
    assert api("PATCH", BINDINGS, {**on, "enabled": None}) == (
        200,
        {**on, "enabled": None, "effective": False},
    )
    assert SkillBinding.objects.count() == 1


def test_a_switch_permits_nothing(api: Api) -> None:
    api("PATCH", BINDINGS, {"skill_id": "echo", "enabled": True})
    assert held(api) == (True, False, "permission_missing")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"skill_id": "gone"}, (404, "unknown_skill", None)),
        ({"agent": str(FOREIGN_AGENT)}, (404, "agent_not_found", None)),
        ({"enabled": "off"}, (400, "invalid", "enabled")),
        ({"scope": "user"}, (400, "unknown_field", "scope")),
    ],
    ids=by_names,
)
def test_what_can_not_be_switched_is_refused(api: Api, change: dict[str, Any], error: Any) -> None:
    assert error_of(api("PATCH", BINDINGS, {**OFF, **change})) == error
    assert not SkillBinding.objects.exists()


# --- Uses, and lists ---


def test_uses_say_how_they_ended(api: Api, alice: User, bob: User) -> None:
    make_run(bob)
    run = make_run(alice, RunStatus.DENIED, agent_id=AGENT, error_code="permission_missing")
    [row] = rows(api("GET", RUNS))
    assert (row["id"], row["status"], row["error_code"], row["agent"]) == (
        str(run.pk),
        "denied",
        "permission_missing",
        str(AGENT),
    )


def fill(user: User, count: int) -> None:
    for _ in range(count):
        make_run(user)
        agent_id = uuid4()
        make_grant(user, agent_id=agent_id)
        make_switch(user, agent_id=agent_id)


@pytest.mark.parametrize("path", [PERMISSIONS, BINDINGS, RUNS])
def test_lists_have_pages_and_ask_as_often_however_long_they_are(
    api: Api, alice: User, bob: User, path: str, django_assert_num_queries: Any
) -> None:
    fill(bob, 2)
    fill(alice, 1)
    with django_assert_num_queries(4):  # the session, its user, how many, the rows
        assert api("GET", path)[1]["count"] == 1
    fill(alice, 24)
    with django_assert_num_queries(4):
        status, body = api("GET", path)
    assert (status, body["count"], len(body["results"])) == (200, 25, 20)
    assert len(api("GET", f"{path}?page=2")[1]["results"]) == 5
    assert error_of(api("GET", f"{path}?ordering=user"))[:2] == (400, "invalid")


def test_the_catalogue_asks_once(api: Api, alice: User, django_assert_num_queries: Any) -> None:
    fill(alice, 5)
    with django_assert_num_queries(3):  # the session, its user, what was given
        assert api("GET", SKILLS)[0] == 200


def test_the_newest_come_first(api: Api, alice: User) -> None:
    old, new = make_grant(alice, agent_id=AGENT), make_grant(alice, agent_id=OTHER_AGENT)
    PermissionGrant.objects.filter(pk=old.pk).update(granted_at=timezone.now())
    PermissionGrant.objects.filter(pk=new.pk).update(granted_at=timezone.now() + timedelta(hours=1))
    found = [row["id"] for row in rows(api("GET", PERMISSIONS))]
    assert found == [str(new.pk), str(old.pk)]
    assert [row["id"] for row in rows(api("GET", f"{PERMISSIONS}?ordering=granted_at"))] == [
        *reversed(found)
    ]
