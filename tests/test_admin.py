"""The operator's console as a whole: pages open for operators only, changes are audited."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, escape
from django.utils.text import capfirst

from agents.models import (
    Agent,
    AgentTool,
    Consent,
    Conversation,
    Memory,
    Message,
    MessageRole,
    ModelProfile,
    Run,
    RunStatus,
)
from config.base.admin_base import row_link
from config.base.models import Project, User
from config.base.tokens import create_token
from config.console import UNFOLD
from documents.models import Document
from jobs.models import JobSeries, WorkerBeat
from skills.alerts.models import AlertRule
from skills.models import AuditEvent
from skills.sealer import seal_once
from tests.documents.factories import make_document, share_by_link
from tests.documents.knowledge.rows import make_row
from tests.factories import MembershipFactory, UserFactory
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND
from tests.skills.alerts import make_alert
from tests.skills.audit import NOW
from tests.skills.factories import (
    make_evaluation,
    make_grant,
    make_run,
    make_session,
    make_skill_job,
    make_switch,
)
from tests.tools.conftest import actor_of, parked, run
from tests.tools.factories import ToolFactory
from tests.tools.secrets import make_secret
from tools.models import ActionDraft, Secret, StandingApproval, Tool, ToolCall, UserBudget
from tools.testing import events_of, fake_types

pytestmark = pytest.mark.django_db

SECRET = "xyzzy"  # what alice wrote, everywhere somebody can write
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
OURS = [model for model in MODELS if model._meta.label != "skills.AuditSeal"]


def label(model: type[Model]) -> str:
    return model._meta.label


def page(model: type[Model], kind: str, *key: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}", args=key)


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def add_rows(user: User) -> None:
    """One row of everything that is `user`'s."""
    agent = Agent.objects.create(slug=f"agent-{user.username}", name="Guide")
    AgentTool.objects.create(agent=agent, tool=ToolFactory.create(type="fake_echo"))
    talk = Conversation.objects.create(owner=user, agent=agent, title=SECRET)
    turn = Run.objects.create(
        owner=user, agent=agent, conversation=talk, status=RunStatus.QUEUED, origin="chat"
    )
    Consent.objects.create(
        conversation=talk, kind="web", service="a.example", given_at=NOW, until=NOW
    )
    Message.objects.create(
        conversation=talk, position=1, role=MessageRole.USER, text=SECRET, run=turn
    )
    Memory.objects.create(owner=user, agent=agent, text=SECRET, subject=SECRET)
    share_by_link(user, make_document(user, title=SECRET, content=SECRET))
    make_row(user, SECRET)
    ModelProfile.objects.create(name=f"profile {user.username}", model="rules")
    Group.objects.create(name=f"group {user.username}")
    UserBudget.objects.create(user=user, calls_per_day=1_000)
    make_secret(UserFactory.create(is_staff=True), f"of-{user.pk}", value=f"{SECRET} {user.pk}")
    create_token(user, actor=actor_of(user), name="a token")
    job = JobFactory.create(
        failed=True, owner=user, payload={"text": SECRET}, result={"text": SECRET}
    )
    make_skill_job(user, job, agent.pk)
    make_evaluation(f"of-{user.pk}", evaluated_by=user)
    make_session(user)
    about = {"text": SECRET}
    make_grant(user, agent_id=agent.pk)
    make_switch(user, agent_id=agent.pk)
    make_run(user, agent_id=agent.pk, conversation_id=talk.pk)
    JobSeries.objects.create(owner=user, kind=KIND, payload=about, cron="0 8 * * *")
    now = timezone.now()
    make_alert(user, name=f"of {user.username}")
    WorkerBeat.objects.create(
        name=f"of {user.username}", machine="host", slots=2, started_at=now, seen_at=now
    )
    run(ToolFactory.create(type="fake_secret_echo"), user, SECRET)
    draft = parked(ToolFactory.create(type="fake_secret_echo", needs_approval=True), user, SECRET)
    StandingApproval.objects.create(
        owner=user,
        tool=draft.call.tool,
        tool_slug=draft.call.tool_slug,
        agent_id=agent.pk,
        conversation_id=talk.pk,
        annotations={},
        reasons=[],
        draft=draft,
        expires_at=now,
    )


@pytest.fixture
def everything(alice: User) -> None:
    with fake_types():
        add_rows(alice)
    seal_once(NOW)


# --- Every page ---


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", MODELS, ids=label)
def test_every_page_opens_for_the_operator(console: Client, model: type[Model]) -> None:
    row = model._default_manager.first()
    assert row is not None
    assert console.get(page(model, "changelist")).status_code == 200
    assert console.get(page(model, "changelist"), {"q": "a"}).status_code == 200
    assert console.get(page(model, "change", row.pk)).status_code == 200
    may_add = console.get(page(model, "add")).status_code
    assert may_add in {200, 403}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", MODELS, ids=label)
def test_no_page_opens_for_anybody_else(client: Client, alice: User, model: type[Model]) -> None:
    row = model._default_manager.first()
    assert row is not None
    pages = [page(model, "changelist"), page(model, "add"), page(model, "change", row.pk)]
    for user in (None, alice):
        if user:
            client.force_login(user)
        for address in pages:
            response = client.get(address)
            assert response.status_code == 302
            assert "login" in response.headers["Location"]


def test_the_models_that_hold_content_only_are_not_registered() -> None:
    registered = {label(model) for model in MODELS}
    assert not registered & {"agents.RunStep", "agents.RunEvent", "tools.ToolCallContent"}
    assert not [name for name in registered if name.startswith("django_q.")]
    assert registered >= {
        *("base.User", "base.Project", "base.Membership", "base.ApiToken"),
        *("tools.Tool", "tools.ToolCall", "tools.ActionDraft", "tools.Secret"),
        *("agents.Agent", "agents.ModelProfile", "agents.Conversation", "agents.Message"),
        *("agents.Consent", "agents.Memory"),
        *("agents.Run", "documents.Document", "skills.AuditEvent", "skills.AuditSeal"),
        *("jobs.Job", "jobs.JobSeries", "jobs.WorkerBeat"),
        *("skills.AlertRule", "skills.Alert"),
    }


def test_the_sidebar_leads_to_every_list(console: Client) -> None:
    text = console.get(reverse("admin:index")).content.decode()
    for model in MODELS:
        assert f'href="{page(model, "changelist")}"' in text, label(model)


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", MODELS, ids=label)
def test_no_page_shows_what_people_wrote(console: Client, model: type[Model]) -> None:
    pages = [page(model, "changelist")]
    pages += [page(model, "change", row.pk) for row in model._default_manager.all()[:3]]
    for address in pages:
        assert SECRET not in console.get(address).content.decode()


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", OURS, ids=label)
def test_a_list_costs_the_same_for_one_row_and_for_many(
    console: Client, model: type[Model]
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert console.get(page(model, "changelist")).status_code == 200
        return len(queries)

    cost()  # warms what is cached once
    few = cost()
    with fake_types():
        for _ in range(4):
            add_rows(MembershipFactory.create().user)
    assert cost() <= few + 1  # a filter that appears with its second value


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", MODELS, ids=label)
def test_no_page_shows_how_python_writes_a_tuple(console: Client, model: type[Model]) -> None:
    row = model._default_manager.first()
    assert row is not None
    for address in (page(model, "changelist"), page(model, "change", row.pk)):
        text = console.get(address).content.decode()
        assert "(&#x27;" not in text
        assert "('" not in re.sub(r"<script.*?</script>|<[^>]*>", "", text, flags=re.DOTALL)


def test_the_sidebar_has_the_names_of_the_models() -> None:
    pages = {
        str(item["link"]): str(item["title"])
        for group in UNFOLD["SIDEBAR"]["navigation"]
        for item in group["items"]
    }
    # No lists of a model.
    assert pages.pop(reverse("admin:jobs_job_kinds")) == "Kinds of jobs"
    assert pages.pop(reverse("admin:tools_tool_types")) == "Types of tools"
    assert pages.pop(reverse("admin:skills_permissiongrant_installed")) == "Installed skills"
    named = {page(model, "changelist"): model._meta.verbose_name_plural for model in MODELS}
    assert pages == {address: capfirst(str(name)) for address, name in named.items()}


# --- From row to row ---


@pytest.fixture
def turn(alice: User) -> Run:
    """A run with a call that waits."""
    agent = Agent.objects.create(slug="guide", name="Guide")
    talk = Conversation.objects.create(owner=alice, agent=agent)
    turn = Run.objects.create(
        owner=alice, agent=agent, conversation=talk, status=RunStatus.WAITING, origin="chat"
    )
    actor = actor_of(alice, agent_id=agent.pk, conversation_id=talk.pk, run_id=turn.pk)
    with fake_types():
        run(ToolFactory.create(type="fake_send"), alice, actor=actor)
    return turn


def test_an_operator_goes_from_row_to_row(console: Client, turn: Run) -> None:
    assert turn.agent
    assert turn.conversation
    draft, call = ActionDraft.objects.get(), ToolCall.objects.get()
    event = AuditEvent.objects.filter(target_type="tool_call").latest("pk")
    where = {
        page(Agent, "change", turn.agent.pk),
        page(Conversation, "change", turn.conversation.pk),
    }
    in_run = where | {page(Run, "change", turn.pk)}
    calls = page(ToolCall, "changelist") + f"?q={turn.pk}"
    ways: list[tuple[Model, set[str]]] = [
        (call, in_run | {page(ActionDraft, "change", draft.pk)}),
        (draft, in_run | {page(ToolCall, "change", call.pk)}),
        (turn, where | {calls, page(AuditEvent, "changelist") + f"?q={turn.pk}"}),
        (event, in_run | {page(ToolCall, "change", call.pk)}),
    ]
    for row, addresses in ways:
        text = console.get(page(type(row), "change", row.pk)).content.decode()
        assert not {address for address in addresses if f'href="{address}"' not in text}
        for address in addresses:
            assert console.get(address).status_code == 200


def test_what_is_gone_is_shown_by_its_id_alone(console: Client, turn: Run) -> None:
    gone = turn.pk
    turn.delete()
    text = console.get(page(ToolCall, "change", ToolCall.objects.get().pk)).content.decode()
    assert str(gone) in text
    assert page(Run, "change", gone) not in text


@pytest.mark.parametrize("kind", ["nonsense", "run", "document", "audit_event"])
@pytest.mark.parametrize("key", ["x", "<b>", "0", str(UUID(int=1))])
def test_a_key_that_leads_nowhere_is_shown_as_it_is(db: None, kind: str, key: str) -> None:
    assert conditional_escape(row_link(kind, key)) == escape(key)


# --- Words ---


@pytest.mark.parametrize(
    ("model", "shown"),
    [("", "None: offline (rules)."), ("openai/x", "None: openai/x at http://h/v1.")],
)
def test_an_agent_without_a_profile_says_which_model_it_has(
    console: Client, settings: Any, model: str, shown: str
) -> None:
    settings.MODEL, settings.MODEL_BASE_URL = model, "http://h/v1"
    assert shown in console.get(page(Agent, "add")).content.decode()


@pytest.mark.usefixtures("everything")
def test_approval_is_as_the_tool_says_unless_told_otherwise(console: Client) -> None:
    text = console.get(page(Agent, "change", Agent.objects.get().pk)).content.decode()
    assert "As the tool says" in text
    assert "Unknown" not in text


# --- Deleting ---


@pytest.mark.usefixtures("everything")
def test_deleting_a_person_says_how_much_goes_and_not_what(console: Client, alice: User) -> None:
    address = page(User, "delete", alice.pk)
    text = console.get(address).content.decode()
    assert "conversations: 1" in text
    assert SECRET not in text
    assert console.post(address, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=alice.pk).exists()
    assert not Document.objects.exists()
    assert events_of(alice.pk)[-1] == "config.changed"


@pytest.mark.usefixtures("everything")
def test_an_agent_that_people_talked_to_stays_and_no_title_is_shown(console: Client) -> None:
    agent = Agent.objects.get()
    text = console.get(page(Agent, "delete", agent.pk)).content.decode()
    assert "conversations: 1" in text
    assert SECRET not in text
    console.post(page(Agent, "delete", agent.pk), {"post": "yes"})
    assert Agent.objects.exists()


# --- Auditing ---


def created(console: Client, model: type[Model], values: dict[str, Any]) -> Any:
    before = set(model._default_manager.values_list("pk", flat=True))
    response = console.post(page(model, "add"), values)
    assert response.status_code == 302, response.context["adminform"].form.errors
    return model._default_manager.exclude(pk__in=before).get()


NO_TOOLS = {"agent_tools-TOTAL_FORMS": 0, "agent_tools-INITIAL_FORMS": 0}
NO_MEMBERS = {"memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
CASES: list[tuple[type[Model], dict[str, Any], dict[str, Any]]] = [
    (Project, {"name": "New", "slug": "new", **NO_MEMBERS}, {"name": "Newer"}),
    (Group, {"name": "auditors"}, {"name": "readers"}),
    (
        ModelProfile,
        {
            "name": "a",
            "model": "rules",
            "retries": 0,
            "sort_order": 0,
            "context_tokens": 9000,
            "timeout_seconds": 5,
            "connect_timeout_seconds": 5,
            "first_byte_timeout_seconds": 5,
            "idle_timeout_seconds": 5,
        },
        {"retries": 1},
    ),
    (
        Agent,
        {"name": "a", "slug": "a", "mode": "loop", "max_steps": 3, "enabled": "on", **NO_TOOLS},
        {"roles": ["employee"]},
    ),
    (
        Tool,
        {"name": "a", "slug": "a", "type": "calculator", "config": "{}", "sort_order": 0},
        {"enabled": "on"},
    ),
    (
        Secret,
        {"name": "a", "value": "a long enough value", "allowed_hosts": "a.example"},
        {"note": "mine", "value": ""},
    ),
    (AlertRule, {"name": "a", "denials": 3, "minutes": 5, "enabled": "on"}, {"tool": "fetch"}),
]


@pytest.mark.parametrize(("model", "values", "changes"), CASES, ids=lambda case: str(case)[:20])
def test_every_change_is_audited_with_the_names_of_the_fields(
    console: Client, model: type[Model], values: dict[str, Any], changes: dict[str, Any]
) -> None:
    row = created(console, model, values)
    address = page(model, "change", row.pk)
    assert console.post(address, {**values, **changes}).status_code == 302
    assert console.post(address, {**values, **changes}).status_code == 302  # changes nothing
    assert console.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 302
    events = AuditEvent.objects.filter(target_id=str(row.pk)).order_by("pk")
    assert [event.action for event in events] == ["config.changed"] * 3
    assert events[1].metadata["fields"] == sorted(name for name in changes if changes[name])
    assert events[2].metadata["fields"] == ["deleted"]
    assert {event.origin for event in events} == {"admin"}


def test_deleting_many_audits_each(console: Client) -> None:
    rows = [Project.objects.create(name=name, slug=name) for name in ("one", "two")]
    values = {"action": "delete_selected", "_selected_action": [row.pk for row in rows]}
    console.post(page(Project, "changelist"), {**values, "post": "yes"})
    assert not Project.objects.exists()
    assert [events_of(row.pk) for row in rows] == [["config.changed"]] * 2


def test_rows_within_a_page_are_audited_too(console: Client, alice: User) -> None:
    project = Project.objects.create(name="One", slug="one")
    inline = {
        "memberships-TOTAL_FORMS": 1,
        "memberships-INITIAL_FORMS": 0,
        "memberships-0-user": alice.pk,
        "memberships-0-project": project.pk,
        "memberships-0-role": "employee",
    }
    values = {"name": "One", "slug": "one", **inline}
    assert console.post(page(Project, "change", project.pk), values).status_code == 302
    membership = project.memberships.get()
    assert events_of(membership.pk) == ["config.changed"]
    values.update({"memberships-INITIAL_FORMS": 1, "memberships-0-id": membership.pk})
    values["memberships-0-role"] = "supervisor"
    console.post(page(Project, "change", project.pk), values)
    values["memberships-0-DELETE"] = "on"
    console.post(page(Project, "change", project.pk), values)
    assert events_of(membership.pk) == ["config.changed"] * 3
    assert not project.memberships.exists()


def test_a_change_that_fails_is_audited_by_nobody(
    console: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_facts: Any) -> None:
        raise RuntimeError("no audit, no change")

    monkeypatch.setattr("config.base.audit.record", fail)
    with pytest.raises(RuntimeError):
        console.post(page(Project, "add"), {"name": "New", "slug": "new", **NO_MEMBERS})
    assert not Project.objects.exists()


def test_a_name_is_shown_as_it_is_written(console: Client) -> None:
    tool = ToolFactory.create(name="petkey", slug="petkey", type="fake_echo")
    trail = console.get(page(Tool, "change", tool.pk)).content.decode()
    parts = re.findall(r'<a href="[^"]*" class="align-middle[^"]*">\s*([^<]*?)\s*</a', trail)
    assert parts == ["Tools", "Tools", "petkey"]
