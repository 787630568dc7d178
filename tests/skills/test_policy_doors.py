"""Who sees the table of whom: in Python, over REST and on the console's page of a person."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.base.errors import NotPermitted
from config.base.ids import uuid7
from config.base.models import Scope, User
from skills.errors import AgentNotYours
from skills.models import AuditEvent
from skills.policy_table import PolicyQuestion, look_at
from tests.skills.conftest import AGENT, FOREIGN_AGENT
from tests.skills.factories import READ, make_grant
from tests.tools.api import Api, error_of
from tests.tools.conftest import actor_of
from tests.tools.factories import ToolFactory
from tools.testing import FakeDirectory, Peer

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents", "skills")]

POLICY = "/api/skills/policy/"
_SAVEPOINTS = ("SAVEPOINT", "RELEASE SAVEPOINT")  # of the test's own transaction


# --- Who may look ---


def test_at_another_person_looks_who_may_see_grants_and_it_is_seen(
    alice: User, operator: User, stranger: User, tools: Any
) -> None:
    question = PolicyQuestion(person=alice, agent_id=AGENT)
    with pytest.raises(NotPermitted):
        look_at(actor_of(stranger), question)
    assert not AuditEvent.objects.filter(action="policy.previewed").exists()
    look_at(actor_of(operator), question)
    event = AuditEvent.objects.get(action="policy.previewed")
    assert event.target_id == str(alice.pk)
    assert event.metadata == {"agent": str(AGENT), "unattended": False}


def test_an_agent_that_is_not_theirs_is_none(alice: User, tools: Any) -> None:
    with pytest.raises(AgentNotYours):
        look_at(actor_of(alice), PolicyQuestion(person=alice, agent_id=uuid7()))


# --- REST ---


def listed(api: Api, **query: Any) -> list[dict[str, Any]]:
    asked = "&".join(f"{name}={value}" for name, value in {"agent": AGENT, **query}.items())
    status, body = api("GET", f"{POLICY}?{asked}")
    assert status == 200, body
    rows: list[dict[str, Any]] = body["results"]
    return rows


def test_the_api_says_it_for_oneself(alice: User, tools: Any) -> None:
    make_grant(alice)
    before = AuditEvent.objects.count()
    rows = {(row["kind"], row["id"]): row for row in listed(Api(alice))}
    assert rows["skill", "echo"]["decision"]["outcome"] == "allow"
    assert rows["tool", "fake_echo"]["decision"]["outcome"] == "allow"
    gates = [reason["gate"] for reason in rows["tool", "fake_echo"]["decision"]["reasons"]]
    assert gates == ["enabled", "grant", "quota", "consent", "taint", "unattended", "approval"]
    assert AuditEvent.objects.count() == before + _SIGNED_IN


_SIGNED_IN = 1  # the client's own sign-in


def test_the_api_has_pages(alice: User, tools: Any) -> None:
    everything = listed(Api(alice))
    assert listed(Api(alice), page_size=3, page=2) == everything[3:6]


def test_only_operators_ask_for_others(alice: User, bob: User, operator: User, tools: Any) -> None:
    refused = error_of(Api(bob)("GET", f"{POLICY}?agent={AGENT}&user={alice.pk}"))
    assert refused[:2] == (403, "permission_denied")
    nobody = error_of(Api(bob)("GET", f"{POLICY}?agent={AGENT}&user={uuid7()}"))
    assert nobody == refused
    make_grant(alice)
    rows = {row["id"]: row for row in listed(Api(operator), user=alice.pk)}
    assert rows["echo"]["decision"]["reason_code"] == "granted"
    gone = error_of(Api(operator)("GET", f"{POLICY}?agent={AGENT}&user={uuid7()}"))
    assert gone[:2] == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (400, "required", "agent")),
        ("?agent=all", (400, "invalid", "agent")),
        (f"?agent={FOREIGN_AGENT}", (404, "agent_not_found", None)),
        (f"?agent={AGENT}&unattended=maybe", (400, "invalid", "unattended")),
        (f"?agent={AGENT}&user=alice", (400, "invalid", "user")),
    ],
)
def test_what_can_not_be_asked_is_told(
    alice: User, tools: Any, query: str, expected: tuple[int, str, str | None]
) -> None:
    assert error_of(Api(alice)("GET", POLICY + query)) == expected


def test_unattended_is_asked_for(alice: User, tools: Any) -> None:
    rows = {row["id"]: row for row in listed(Api(alice), unattended="true")}
    assert rows["fake_send"]["decision"]["reason_code"] == "unattended_send"


def test_a_token_needs_the_scope(alice: User, tools: Any) -> None:
    others = sorted(set(Scope.values) - {Scope.SKILLS})
    refused = error_of(Api(alice, others)("GET", f"{POLICY}?agent={AGENT}"))
    assert refused[:2] == (403, "scope_missing")


# --- The console ---


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def page(console: Client, person: User, **query: Any) -> str:
    response = console.get(reverse("admin:base_user_policy", args=[person.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_of_a_person_leads_to_it(console: Client, alice: User) -> None:
    text = console.get(reverse("admin:base_user_change", args=[alice.pk])).content.decode()
    assert reverse("admin:base_user_policy", args=[alice.pk]) in text


def test_the_page_asks_for_an_agent_and_then_shows_the_table(
    console: Client, alice: User, tools: Any
) -> None:
    assert "Right now" not in page(console, alice)
    assert not AuditEvent.objects.filter(action="policy.previewed").exists()
    make_grant(alice)
    text = page(console, alice, agent=AGENT)
    for words in ("Right now", "Echo", READ, "alice has granted", "permission_missing"):
        assert words in text
    assert AuditEvent.objects.filter(action="policy.previewed").count() == 1


def test_an_agent_that_is_not_theirs_is_told_at_its_field(
    console: Client, alice: User, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeDirectory, "may_use", lambda *_: False)
    assert "may not use that agent" in page(console, alice, agent=AGENT)


def test_it_is_not_for_who_may_not_see_grants(
    client: Client, alice: User, operator: User, tools: Any
) -> None:
    User.objects.filter(pk=operator.pk).update(is_superuser=False)
    client.force_login(User.objects.get(pk=operator.pk))
    address = reverse("admin:base_user_policy", args=[alice.pk])
    assert client.get(address, {"agent": str(AGENT)}).status_code == 403


def test_the_page_costs_the_same_however_many_tools_there_are(
    console: Client, alice: User, peer: Peer, skills: Any
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            page(console, alice, agent=AGENT)
        return len([q for q in found if not q["sql"].startswith(_SAVEPOINTS)])

    facts: dict[str, Any] = {"type": "fake_echo", "config": {"permission_codes": [READ]}}
    make_grant(alice)
    FakeDirectory.tool_sets[AGENT] = {ToolFactory.create(**facts).slug: False}
    queries()
    few = queries()
    for _ in range(30):
        FakeDirectory.tool_sets[AGENT][ToolFactory.create(**facts).slug] = False
    assert queries() == few
