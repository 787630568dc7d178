"""What the table says is what a call then gets, and saying it changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.base.errors import NotPermitted
from config.base.ids import uuid7
from config.base.models import Project, Scope, User
from skills import registry
from skills.background.services import Order, check_order
from skills.bindings import switch_skill
from skills.context import SkillContext
from skills.enums import ApprovalMode
from skills.errors import AgentNotYours
from skills.grants import Permission, grant_permission, revoke_permission
from skills.manifests import Matchers
from skills.models import AuditEvent
from skills.policy_table import PolicyQuestion, PolicyRow, PolicyTable, look_at
from skills.runner import run_prompt_skill, run_tool_skill
from tests.skills.conftest import AGENT, FOREIGN_AGENT, OTHER_AGENT
from tests.skills.factories import READ, WRITE, Later, Tone, make_grant, permission, skill
from tests.tools.api import Api, error_of
from tests.tools.conftest import actor_of
from tests.tools.factories import ToolFactory
from tools.budgets.limits import day_of
from tools.configs import load_config
from tools.gates.cover import conditions_of
from tools.models import StandingApproval, Tool, ToolDay, UserBudget
from tools.pipeline import call_tool
from tools.registry import get_tool_type
from tools.testing import FakeDirectory, Peer, arguments_for

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents", "skills")]

POLICY = "/api/skills/policy/"
KINDS = ("echo", "rename", "open_echo", "send", "destroy")
EACH_TIME = permission(WRITE, ApprovalMode.PER_OPERATION)


@pytest.fixture
def skills(peer: Peer) -> Any:
    with registry.only(
        skill(),
        skill(skill_id="asks", permissions=(permission(), EACH_TIME)),
        skill(Later, skill_id="later", permissions=(permission(WRITE),), matchers=Matchers()),
        skill(Tone, skill_id="tone", permissions=(), matchers=Matchers()),
        skill(Tone, skill_id="tone-asks", permissions=(EACH_TIME,), matchers=Matchers()),
    ):
        yield


@pytest.fixture
def tools(db: None, skills: Any) -> dict[str, Tool]:
    """One of each kind, all given to the agent."""
    made = {kind: ToolFactory.create(type=f"fake_{kind}", slug=f"fake_{kind}") for kind in KINDS}
    FakeDirectory.tool_sets[AGENT] = {tool.slug: False for tool in made.values()}
    return made


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(slug="demo", name="Demo")


def anew(user: User) -> User:
    """As another request would have them: what is remembered of their budget is not."""
    return User.objects.get(pk=user.pk)


def table_of(user: User, **facts: Any) -> PolicyTable:
    values = {"agent_id": AGENT, "every_tool": True, **facts}
    return PolicyTable(PolicyQuestion(person=anew(user), **values))


def row_of(user: User, subject: str, **facts: Any) -> PolicyRow:
    [row] = [one for one in table_of(user, **facts)[:] if one.entry.id == subject]
    return row


def said(user: User, subject: str, **facts: Any) -> tuple[str, str, str]:
    decisive = row_of(user, subject, **facts).decision.decisive
    return decisive.outcome.value, decisive.gate, decisive.reason_code


# --- What it says of each gate ---


def test_it_says_what_is_allowed(alice: User, tools: Any) -> None:
    assert said(alice, "fake_echo")[0] == "allow"
    assert said(alice, "tone") == ("allow", "grant", "no_permission_needed")


def test_it_names_the_missing_permission_and_then_the_grant(alice: User, tools: Any) -> None:
    Tool.objects.filter(slug="fake_echo").update(config={"permission_codes": [READ]})
    for subject in ("fake_echo", "echo"):
        assert said(alice, subject) == ("deny", "grant", "permission_missing")
    grant = make_grant(alice)
    for subject in ("fake_echo", "echo"):
        decisive = row_of(alice, subject).decision.decisive
        assert str(decisive.leave) == f"permission_grant:{grant.pk}"
    assert row_of(alice, "fake_echo").entry.permissions == (READ,)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"enabled": False}, ("deny", "enabled", "tool_disabled")),
        ({"needs_approval": True}, ("needs_confirmation", "approval", "tool_needs_approval")),
        (
            {"config": {"requires_approval": True}},
            ("needs_confirmation", "approval", "type_requires_approval"),
        ),
        ({"config": {"risk": 4}}, ("deny", "approval", "risk_refused")),
        ({"type": "gone"}, ("deny", "tool", "unknown_type")),
        ({"config": {"nothing": 1}}, ("deny", "tool", "invalid_config")),
        ({"calls_per_day": 5}, ("deny", "quota", "tool_quota_exceeded")),
    ],
)
def test_it_says_why_not(
    alice: User, tools: Any, changes: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    ToolDay.objects.create(tool=tools["rename"], day=day_of(timezone.now()), calls=5)
    Tool.objects.filter(slug="fake_rename").update(**changes)
    assert said(alice, "fake_rename") == expected


def test_it_says_what_a_day_has_left(alice: User, tools: Any) -> None:
    UserBudget.objects.create(user=alice, calls_per_day=1)
    assert said(alice, "fake_echo") == ("allow", "enabled", "enabled")
    call_tool(tools["echo"], {"text": "hi"}, _context(alice, f"k{uuid7()}"))
    assert said(alice, "fake_echo") == ("deny", "quota", "day_quota_exceeded")


def test_what_the_agent_was_not_given_is_said_last_or_not_at_all(alice: User, tools: Any) -> None:
    FakeDirectory.tool_sets[AGENT] = {"fake_send": True}
    assert said(alice, "fake_echo") == ("deny", "enabled", "not_in_tool_set")
    assert said(alice, "fake_send") == ("needs_confirmation", "approval", "agent_needs_approval")
    names = [one.entry.id for one in table_of(alice)[:] if one.entry.kind == "tool"]
    assert names[0] == "fake_send"
    own = [one.entry.id for one in table_of(alice, every_tool=False)[:]]
    assert [name for name in own if name.startswith("fake_")] == ["fake_send"]


def test_while_nobody_is_there_writes_wait_and_nothing_is_sent(alice: User, tools: Any) -> None:
    away = {"unattended": True}
    assert said(alice, "fake_echo", **away)[0] == "allow"
    waits = ("needs_confirmation", "unattended", "unattended_write")
    assert said(alice, "fake_rename", **away) == waits
    assert said(alice, "fake_send", **away) == ("deny", "unattended", "unattended_send")
    subjects = [one.entry.id for one in table_of(alice, **away)[:]]
    assert "later" in subjects
    assert "echo" not in subjects  # no message asks for it then


def test_a_skill_whose_tool_is_not_there_says_so(alice: User, tools: Any) -> None:
    make_grant(alice)
    Tool.objects.filter(slug="fake_echo").delete()
    assert said(alice, "echo") == ("deny", "tool", "tool_missing")


def test_what_is_asked_each_time_is_refused_where_nothing_is_called(
    alice: User, tools: Any
) -> None:
    assert said(alice, "tone-asks") == ("deny", "grant", "per_operation")


# --- It is what a call gets ---


def _context(user: User, key: str, **facts: Any) -> Any:
    question = PolicyQuestion(person=anew(user), agent_id=AGENT, **facts)
    return replace(question.context, idempotency_key=key)


def _in_short(decision: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (one["gate"], one["outcome"], one["reason_code"], one["reason"], one.get("leave"))
        for one in decision["reasons"]
    ]


def undone(act: Callable[[], Any]) -> Any:
    """What it gives; nothing is left of it."""
    with transaction.atomic():
        answer = act()
        transaction.set_rollback(True)
    return answer


def check_tools(user: User, tools: dict[str, Tool], *, unattended: bool) -> None:
    rows = {one.entry.id: one for one in table_of(user, unattended=unattended)[:]}
    for slug in [tool.slug for tool in tools.values()]:
        tool = Tool.objects.get(slug=slug)
        context = _context(user, f"probe:{uuid7()}", unattended=unattended)
        outcome = undone(lambda: call_tool(tool, arguments_for(tool.type), context))  # noqa: B023  (at once)
        told = rows[slug].decision
        recorded = outcome.call.told_decision
        assert _in_short(told.as_json()) == _in_short(recorded), slug
        got = "allow" if outcome.success else "deny" if outcome.error else "ask"
        expected = {"needs_confirmation": "ask", "needs_consent": "ask"}
        assert got == expected.get(told.outcome.value, told.outcome.value), slug


def check_skills(user: User) -> None:
    for row in table_of(user)[:]:
        if row.entry.kind == "skill":
            got = undone(lambda: _use(anew(user), row.entry.id))  # noqa: B023  (at once)
            told = row.decision.decisive
            expected = (told.outcome.value, told.reason_code if told.outcome == "deny" else "")
            assert got == expected, row.entry.id


_ENDED = {"succeeded": "allow", "waiting": "needs_confirmation", "denied": "deny"}


def _use(user: User, skill_id: str) -> tuple[str, str]:
    """The skill as it would really be used: what came of it, and why not."""
    one = registry.get_skill(skill_id)
    if skill_id == "later":
        return _order(user)
    actor = replace(_context(user, "none").actor, agent_id=AGENT)
    context = SkillContext(actor=actor, text="hello", message_id=uuid7())
    run: Any = run_prompt_skill if skill_id.startswith("tone") else run_tool_skill
    outcome = run(one, context)
    reason = ""
    if outcome.status == "denied":
        decision = (outcome.call.call.decision if outcome.call else None) or {}
        reason = decision.get("reason_code", outcome.error_code)
    return _ENDED[outcome.status], reason


def _order(user: User) -> tuple[str, str]:
    due = timezone.now() + timedelta(hours=1)
    try:
        check_order(actor_of(user), Order(skill_id="later", agent_id=AGENT, scheduled_at=due))
    except NotPermitted as error:
        return "deny", error.code
    return "allow", ""


CHANGES = st.one_of(
    st.tuples(
        st.sampled_from(["grant", "revoke"]),
        st.sampled_from([("echo", READ), ("asks", READ), ("later", WRITE)]),
        st.sampled_from([None, AGENT, OTHER_AGENT]),
    ),
    st.tuples(
        st.just("switch"),
        st.sampled_from(["echo", "asks", "later", "tone"]),
        st.sampled_from([None, AGENT]),
        st.booleans(),
    ),
    st.tuples(st.just("enable"), st.sampled_from(KINDS), st.booleans()),
    st.tuples(st.just("ask"), st.sampled_from(KINDS), st.booleans()),
    st.tuples(
        st.just("configure"),
        st.sampled_from(["echo", "rename"]),
        st.sampled_from([[], [READ], [WRITE], [READ, WRITE], ["tests:other"]]),
        st.booleans(),
    ),
    st.tuples(st.just("give"), st.sampled_from(KINDS), st.sampled_from([None, False, True])),
    st.tuples(st.just("limit"), st.sampled_from(KINDS), st.integers(0, 2)),
    st.tuples(st.just("budget"), st.sampled_from([None, 1, 50])),
    st.tuples(st.just("approve"), st.sampled_from(KINDS), st.sampled_from([None, 1])),
    st.tuples(st.just("call"), st.sampled_from(KINDS)),
)


class World:
    def __init__(self, person: User, tools: dict[str, Tool]) -> None:
        self.person, self.tools = person, tools

    def do(self, name: str, *facts: Any) -> None:
        getattr(self, name)(*facts)

    def grant(self, what: tuple[str, str], agent: Any) -> None:
        grant_permission(actor_of(self.person), _permission(what, agent))

    def revoke(self, what: tuple[str, str], agent: Any) -> None:
        revoke_permission(actor_of(self.person), _permission(what, agent))

    def switch(self, skill_id: str, agent: Any, on: bool) -> None:
        switch_skill(actor_of(self.person), skill_id, enabled=on, agent_id=agent)

    def change(self, kind: str, **values: Any) -> None:
        Tool.objects.filter(pk=self.tools[kind].pk).update(**values)

    def enable(self, kind: str, on: bool) -> None:
        self.change(kind, enabled=on)

    def ask(self, kind: str, on: bool) -> None:
        self.change(kind, needs_approval=on)

    def configure(self, kind: str, codes: list[str], asks: bool) -> None:
        self.change(kind, config={"permission_codes": codes, "requires_approval": asks})

    def give(self, kind: str, adds: bool | None) -> None:
        """None: the agent has it no longer."""
        given = FakeDirectory.tool_sets[AGENT]
        given.pop(f"fake_{kind}", None)
        if adds is not None:
            given[f"fake_{kind}"] = adds

    def limit(self, kind: str, calls: int) -> None:
        self.change(kind, calls_per_day=calls)

    def budget(self, calls: int | None) -> None:
        UserBudget.objects.update_or_create(user=self.person, defaults={"calls_per_day": calls})

    def approve(self, kind: str, uses: int | None) -> None:
        tool = Tool.objects.get(pk=self.tools[kind].pk)
        tool_type, config = get_tool_type(tool.type), load_config(tool.type, tool.config)
        StandingApproval.objects.create(
            owner=self.person,
            tool=tool,
            tool_slug=tool.slug,
            agent_id=AGENT,
            conditions=conditions_of(tool, tool_type, config),
            annotations=tool_type.annotations(config).as_json(),
            reasons=["tool_needs_approval", "type_requires_approval"],
            uses_left=uses,
            expires_at=timezone.now() + timedelta(hours=1),
        )

    def call(self, kind: str) -> None:
        tool = Tool.objects.get(pk=self.tools[kind].pk)
        call_tool(tool, arguments_for(tool.type), _context(self.person, f"call:{uuid7()}"))


def _permission(what: tuple[str, str], agent: Any) -> Permission:
    return Permission(skill_id=what[0], code=what[1], agent_id=agent)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=st.lists(CHANGES, min_size=1, max_size=12), unattended=st.booleans())
def test_whatever_was_given_a_call_gets_what_the_table_says(
    alice: User,
    tools: dict[str, Tool],
    project: Project,
    changes: list[tuple[Any, ...]],
    unattended: bool,
) -> None:
    FakeDirectory.tool_sets[AGENT] = {tool.slug: False for tool in tools.values()}
    with transaction.atomic():
        world = World(alice, tools)
        for change in changes:
            world.do(*change)
        check_tools(alice, tools, unattended=unattended)
        check_skills(alice)
        transaction.set_rollback(True)


# --- It changes nothing, and costs the same however much there is ---


def counts() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def test_looking_at_ones_own_writes_nothing(alice: User, tools: Any) -> None:
    World(alice, tools).approve("rename", 1)
    World(alice, tools).ask("rename", True)
    World(alice, tools).limit("rename", 1)
    before = counts()
    with CaptureQueriesContext(connection) as queries:
        rows = look_at(actor_of(alice), PolicyQuestion(person=alice, agent_id=AGENT))[:]
    assert {row.decision.decisive.reason_code for row in rows} >= {"standing_approval"}
    assert counts() == before
    written = [q["sql"] for q in queries if not q["sql"].startswith(("SELECT", *_SAVEPOINTS))]
    assert written == []


_SAVEPOINTS = ("SAVEPOINT", "RELEASE SAVEPOINT")  # of the test's own transaction


def cost(user: User) -> int:
    with CaptureQueriesContext(connection) as queries:
        table_of(user)[:]
    return len([q for q in queries if not q["sql"].startswith(_SAVEPOINTS)])


def test_two_hundred_tools_cost_what_one_costs(alice: User, peer: Peer, skills: Any) -> None:
    facts: dict[str, Any] = {"needs_approval": True, "calls_per_day": 3}
    facts["config"] = {"permission_codes": [READ]}
    first = ToolFactory.create(type="fake_rename", **facts)
    make_grant(alice)
    FakeDirectory.tool_sets[AGENT] = {first.slug: True}
    few = cost(alice)
    for _ in range(199):
        FakeDirectory.tool_sets[AGENT][ToolFactory.create(type="fake_rename", **facts).slug] = True
    assert cost(alice) == few <= 9
    assert len(table_of(alice, every_tool=False)) == 200 + 5


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
    before = counts()
    rows = {(row["kind"], row["id"]): row for row in listed(Api(alice))}
    assert rows["skill", "echo"]["decision"]["outcome"] == "allow"
    assert rows["tool", "fake_echo"]["decision"]["outcome"] == "allow"
    gates = [reason["gate"] for reason in rows["tool", "fake_echo"]["decision"]["reasons"]]
    assert gates == ["enabled", "grant", "quota", "consent", "taint", "unattended", "approval"]
    assert counts()["skills.AuditEvent"] == before["skills.AuditEvent"] + _SIGNED_IN


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
