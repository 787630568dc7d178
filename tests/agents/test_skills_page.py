"""The page of skills: what is on and why, what is permitted, how skills were used."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from config.base.actor import Actor, Origin
from config.base.models import Role, User
from skills.bindings import is_enabled, switch_skill
from skills.enums import RunStatus
from skills.grants import Permission, grant_permission
from skills.models import AuditEvent, PermissionGrant, SkillBinding
from tests.agents.cards import conversation_of
from tests.agents.skills_pages import (
    READ,
    URL,
    is_on,
    one,
    page,
    permission_line,
    press,
    signed_in,
    skill_line,
    soup,
    text_of,
)
from tests.jobs.factories import JobFactory
from tests.skills.factories import make_run

pytestmark = [pytest.mark.django_db, pytest.mark.both]
NOBODYS = "01a22d1b-0000-7000-8000-000000000000"  # no agent has this id

RECALL = "memory-recall"


@pytest.fixture
def client(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def other(db: None) -> Agent:
    return Agent.objects.create(slug="other", name="Other")


@pytest.fixture
def permission() -> Permission:
    return Permission(skill_id=RECALL, code=READ)


def actor(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def switches(user: User) -> list[tuple[Any, bool]]:
    return list(SkillBinding.objects.for_user(user).values_list("agent_id", "enabled"))


# --- What there is ---


def test_each_skill_says_what_it_is_and_how_to_ask_for_it(client: Client, guide: Agent) -> None:
    found = page(client)
    line = text_of(skill_line(found, RECALL))
    for words in ("Memory recall", "uses a tool", "/memory-recall", "“do you remember”"):
        assert words in line
    reminder = skill_line(found, "goal-check-in-reminder")
    assert "works in the background" in text_of(reminder)
    assert one(reminder, "a[href='#reminders']")


def test_in_chinese_it_names_chinese_phrases(client: Client, alice: User, guide: Agent) -> None:
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    assert "“还记得”" in text_of(skill_line(page(client), RECALL))


def test_a_skill_that_lacks_a_permission_leads_to_its_switch(client: Client, guide: Agent) -> None:
    found = page(client)
    line = skill_line(found, RECALL)
    assert "permission missing" in text_of(line)
    link = one(line, "a[href^='#permission-']")
    assert one(found, str(link["href"])) is permission_line(found, READ)


# --- On and off ---


def test_a_switch_switches_for_all_agents_and_says_so(
    client: Client, alice: User, guide: Agent
) -> None:
    line = skill_line(page(client), RECALL)
    assert (is_on(line), "On by default." in text_of(line)) == (True, True)
    answer = press(client, line)
    assert answer.redirect_chain == [(f"{URL}#catalogue", 302)]
    assert [str(one) for one in answer.context["messages"]] == ["“Memory recall” is off."]
    line = skill_line(soup(answer), RECALL)
    assert (is_on(line), "Set by you." in text_of(line)) == (False, True)
    assert not is_enabled(alice, RECALL)
    assert AuditEvent.objects.get(action="skill.disabled").skill == RECALL
    press(client, line)
    assert switches(alice) == [(None, True)]


def test_what_is_said_of_one_agent_counts_before_what_is_said_of_all(
    client: Client, alice: User, guide: Agent, other: Agent
) -> None:
    press(client, skill_line(page(client), RECALL))
    inherited = skill_line(page(client, guide), RECALL)
    assert (is_on(inherited), "Same as for all agents." in text_of(inherited)) == (
        False,
        True,
    )
    answer = press(client, inherited)
    assert answer.redirect_chain == [(f"{URL}?agent={guide.pk}#catalogue", 302)]
    own = skill_line(soup(answer), RECALL)
    assert (is_on(own), "Set by you for this agent." in text_of(own)) == (True, True)
    assert "On for Guide." in text_of(skill_line(page(client), RECALL))
    assert not is_on(skill_line(page(client, other), RECALL))
    forgotten = press(client, own, "button.quiet")
    assert not is_on(skill_line(soup(forgotten), RECALL))
    assert switches(alice) == [(None, False)]


# --- Permissions ---


def test_a_permission_says_its_risk_what_it_lets_happen_and_who_uses_it(
    client: Client, guide: Agent
) -> None:
    line = permission_line(page(client), READ)
    for words in ("Read agent memories", READ, "Risk L1", "It changes nothing.", "Memory recall"):
        assert words in text_of(line)


def test_granting_is_apart_from_switching_on(client: Client, alice: User, guide: Agent) -> None:
    answer = press(client, permission_line(page(client), READ))
    assert answer.redirect_chain == [(f"{URL}#permissions", 302)]
    found = soup(answer)
    assert is_on(permission_line(found, READ))
    assert "ready" in text_of(skill_line(found, RECALL))
    assert not SkillBinding.objects.exists()
    given = PermissionGrant.objects.get()
    assert (given.user, given.code, given.agent_id) == (alice, READ, None)
    taken = press(client, permission_line(found, READ))
    assert not is_on(permission_line(soup(taken), READ))
    assert [event.action for event in AuditEvent.objects.filter(skill=RECALL).order_by("id")] == [
        "grant.granted",
        "grant.revoked",
    ]


def test_one_for_an_agent_is_seen_from_where_all_are(
    client: Client, alice: User, guide: Agent, other: Agent
) -> None:
    press(client, permission_line(page(client, guide), READ))
    assert PermissionGrant.objects.get().agent_id == guide.pk
    everywhere = permission_line(page(client), READ)
    assert not is_on(everywhere)
    assert "Granted on its own for Guide." in text_of(everywhere)
    assert is_on(permission_line(page(client, guide), READ))
    assert not is_on(permission_line(page(client, other), READ))


def test_one_for_all_is_taken_back_where_it_was_given(
    client: Client, alice: User, guide: Agent, permission: Permission
) -> None:
    grant_permission(actor(alice), permission)
    line = permission_line(page(client, guide), READ)
    assert is_on(line)
    assert one(line, "[role=switch]").has_attr("disabled")
    assert one(line, f"a[href^='{URL}#permission-']")


def test_one_for_an_older_contract_is_to_be_granted_anew(
    client: Client, alice: User, guide: Agent, permission: Permission
) -> None:
    grant_permission(actor(alice), permission)
    PermissionGrant.objects.update(version="0.9.0")
    line = permission_line(page(client), READ)
    assert not is_on(line)
    assert "version 0.9.0" in text_of(line)
    press(client, line)
    assert PermissionGrant.objects.active().get().version == "1.0.0"


# --- Last uses ---


def test_the_last_ten_uses_are_listed_with_how_they_ended(
    client: Client, alice: User, bob: User, guide: Agent
) -> None:
    talk = conversation_of(alice, guide, title="Tea")
    facts: dict[str, Any] = {"agent_id": guide.pk, "conversation_id": talk.pk}
    for status in [*RunStatus, *RunStatus]:
        make_run(alice, status, **facts)
    make_run(bob, agent_id=guide.pk, conversation_id=conversation_of(bob, guide, title="Hers").pk)
    uses = one(page(client), "#uses")
    assert len(uses.select(".line")) == 10
    assert "timed out" in text_of(uses)
    assert one(uses.select(".line")[0], "a")["href"] == f"/chat/{talk.pk}/"
    assert "Hers" not in text_of(uses)


def test_where_nothing_is_there_it_says_what_to_do(client: Client) -> None:
    found = page(client)
    assert "Not used yet" in text_of(one(found, "#uses"))
    assert "No reminder yet" in text_of(one(found, "#reminder-jobs"))
    assert "no agent that you may use" in text_of(one(found, "#reminders-why"))


# --- Who may, and what is no answer ---


@pytest.mark.parametrize("path", ["switch/", "permit/", "remind/"])
def test_forms_need_their_csrf_token_and_are_not_got(alice: User, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.post(f"{URL}{path}").status_code == 403
    assert client.get(f"{URL}{path}").status_code == 405


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("switch/", {"skill_id": "none-such", "enabled": "on"}, 404),
        ("switch/", {"skill_id": "none\x00such", "enabled": "off"}, 404),
        ("switch/", {"skill_id": RECALL, "enabled": "maybe"}, 400),
        ("switch/", {"skill_id": RECALL, "enabled": "on", "agent": "x"}, 404),
        ("switch/", {"skill_id": RECALL, "enabled": "on", "agent": NOBODYS}, 404),
        ("permit/", {"skill_id": RECALL, "code": "tests:write", "granted": "on"}, 400),
        ("permit/", {"skill_id": RECALL, "code": READ, "granted": ""}, 400),
        (
            "permit/",
            {"skill_id": RECALL, "code": READ, "granted": "on", "agent": NOBODYS},
            404,
        ),
    ],
    ids=lambda value: "".join(value.values())[:40] if isinstance(value, dict) else None,
)
def test_what_no_form_of_ours_sends_changes_nothing(
    client: Client, guide: Agent, path: str, body: dict[str, str], status: int
) -> None:
    assert client.post(f"{URL}{path}", body).status_code == status
    assert not SkillBinding.objects.exists()
    assert not PermissionGrant.objects.exists()


def test_an_agent_that_is_not_open_to_me_is_none(client: Client, guide: Agent) -> None:
    boss = Agent.objects.create(slug="boss", name="Boss", roles=[Role.SUPERVISOR])
    assert "Boss" not in text_of(page(client))
    for agent in (boss.pk, "x", "\x00"):
        assert client.get(URL, {"agent": str(agent)}).status_code == 404
        assert client.get(f"{URL}jobs/", {"agent": str(agent)}).status_code == 404
    body = {"skill_id": RECALL, "enabled": "off", "agent": str(boss.pk)}
    assert client.post(f"{URL}switch/", body).status_code == 404


def test_what_bob_has_said_is_his(
    client: Client, bob: User, guide: Agent, permission: Permission
) -> None:
    grant_permission(actor(bob), permission)
    switch_skill(actor(bob), RECALL, enabled=False)
    found = page(client)
    assert is_on(skill_line(found, RECALL))
    assert not is_on(permission_line(found, READ))


# --- What it costs ---


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_it_costs_the_same_however_much_there_is(
    client: Client, alice: User, guide: Agent, permission: Permission
) -> None:
    def more() -> None:
        talk = conversation_of(alice, guide, title="Tea")
        make_run(alice, agent_id=guide.pk, conversation_id=talk.pk)
        JobFactory.create(owner=alice, kind="goal-check-in-reminder", future=True)
        agent = Agent.objects.create(slug=f"a{uuid4()}", name="More")
        one = Permission(skill_id=RECALL, code=READ, agent_id=agent.pk)
        grant_permission(actor(alice), one)
        switch_skill(actor(alice), RECALL, enabled=False, agent_id=agent.pk)

    more()
    few = queries(client, URL)
    for _ in range(5):
        more()
    assert queries(client, URL) == few
    assert few <= 18
