"""The demo: people and an agent for the first `make run`, and nowhere else."""

import json
import stat
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from agents.demo import GUIDE_TOOLS, DemoRefused, demo_file, load_demo, suspend_demo
from agents.memories.recall import recall
from agents.memories.services import forget_memory
from agents.models import Agent, AgentTool, Memory
from config.base.actor import Actor, Origin
from config.base.models import ApiToken, Membership, Project, Scope, User
from config.base.tokens import find_token
from documents.knowledge.access import find_role
from documents.knowledge.searching import search_passages
from documents.knowledge.services import delete_space
from documents.models import KnowledgeSpace, Resource, SpaceMember
from jobs.models import Job
from jobs.testing import run_due_jobs
from skills.models import AuditEvent
from tools.models import Tool
from tools.testing import events_of

pytestmark = pytest.mark.django_db

KEPT = (User, ApiToken, Membership, AgentTool, Memory, KnowledgeSpace, SpaceMember, Resource, Job)
PEOPLE = {"operator", "alice", "bob", "sam", "cara"}


@pytest.fixture(autouse=True)
def at_home(settings: Any, tmp_path: Path) -> None:
    settings.HOME, settings.DEBUG, settings.DATABASE_URL = tmp_path, True, ""
    settings.KNOWLEDGE_DIR = tmp_path / "knowledge"


@pytest.mark.parametrize(
    ("debug", "url"), [(False, ""), (True, "postgres://x"), (False, "postgres://x")]
)
def test_it_is_refused_where_it_could_do_harm(settings: Any, debug: bool, url: str) -> None:
    settings.DEBUG, settings.DATABASE_URL = debug, url
    with pytest.raises(DemoRefused):
        load_demo()
    with pytest.raises(CommandError):
        call_command("load_demo")
    assert not User.objects.exists()
    assert not demo_file().exists()


def test_it_makes_the_people_in_their_roles(client: Client) -> None:
    assert set(load_demo()) == PEOPLE
    operator = User.objects.get(username="operator")
    assert operator.is_staff
    assert operator.is_superuser
    assert not User.objects.exclude(username="operator").filter(is_staff=True).exists()
    roles = Membership.objects.filter(project__slug="demo").values_list("user__username", "role")
    assert dict(roles) == {
        "alice": "employee",
        "bob": "employee",
        "sam": "supervisor",
        "cara": "candidate",
    }


def test_passwords_and_tokens_work_and_differ() -> None:
    signins = load_demo()
    for name, signin in signins.items():
        assert Client().login(username=name, password=signin["password"])
        token = find_token(signin["token"])
        assert token is not None
        assert token.user.username == name
        assert set(token.scopes) == set(Scope.values)
    secrets = [value for signin in signins.values() for value in signin.values()]
    assert len(set(secrets)) == 2 * len(PEOPLE)
    assert all(len(secret) >= 16 for secret in secrets)


def test_the_file_is_for_its_owner_only() -> None:
    signins = load_demo()
    assert json.loads(demo_file().read_text()) == signins
    assert stat.S_IMODE(demo_file().stat().st_mode) == 0o600
    assert [path.name for path in demo_file().parent.iterdir() if path.is_file()] == ["demo.json"]


def test_alice_is_remembered_in_both_languages_and_what_she_forgets_stays_forgotten() -> None:
    load_demo()
    alice, guide = User.objects.get(username="alice"), Agent.objects.get(slug="guide")
    assert not Memory.objects.exclude(owner=alice).exists()
    assert "green tea" in recall(alice, guide.pk, "Do you remember which tea I like?")[0].text
    assert "简短" in recall(alice, guide.pk, "你还记得我喜欢什么样的回答吗")[0].text
    for memory in Memory.objects.all():
        forget_memory(Actor(user=alice, origin=Origin.PAGE), memory.pk)
    load_demo()
    assert recall(alice, guide.pk, "") == []


def people(*names: str) -> list[User]:
    return [User.objects.get(username=name) for name in names]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("how much may a hotel cost a night", "120 euros"), ("年假有几天", "28天")],
)
def test_the_handbook_is_read_by_a_job_and_answers_its_members(question: str, answer: str) -> None:
    load_demo()
    resource = Resource.objects.get()
    assert resource.state == "uploaded"
    run_due_jobs()
    resource.refresh_from_db()
    assert resource.state == "ready"
    alice, bob, cara = people("alice", "bob", "cara")
    assert find_role(alice, resource.space) == "manager"
    assert find_role(bob, resource.space) == "reader"
    for member in (alice, bob):
        assert answer in search_passages(member, question).evidence[0].passage.text
    assert search_passages(cara, question).cited == ()


def test_a_space_that_was_deleted_stays_so() -> None:
    load_demo()
    (alice,) = people("alice")
    delete_space(Actor(user=alice, origin=Origin.PAGE), KnowledgeSpace.objects.get().pk)
    load_demo()
    assert not KnowledgeSpace.objects.exists()


def test_a_second_time_changes_nothing() -> None:
    first = load_demo()
    counts = [m._default_manager.count() for m in KEPT]
    before = demo_file().stat().st_mtime_ns
    assert load_demo() == first
    assert [m._default_manager.count() for m in KEPT] == counts
    assert demo_file().stat().st_mtime_ns == before


def test_nobody_has_used_the_tokens_by_loading_them() -> None:
    load_demo()
    load_demo()
    suspend_demo()
    assert not ApiToken.objects.filter(last_used_at__isnull=False).exists()


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"alice": {}}', '{"alice": 1}', "null"])
def test_a_file_that_is_lost_or_spoilt_is_made_anew(content: str | None) -> None:
    load_demo()
    if content is None:
        demo_file().unlink()
    else:
        demo_file().write_text(content)
    signins = load_demo()
    assert json.loads(demo_file().read_text()) == signins
    assert Client().login(username="alice", password=signins["alice"]["password"])
    assert ApiToken.objects.usable().count() == len(PEOPLE)


def test_a_token_that_was_revoked_is_replaced_and_the_password_kept() -> None:
    first = load_demo()
    ApiToken.objects.filter(user__username="alice").delete()
    second = load_demo()
    assert second["alice"]["password"] == first["alice"]["password"]
    assert second["alice"]["token"] != first["alice"]["token"]
    assert find_token(second["alice"]["token"])
    assert second["bob"] == first["bob"]


def test_a_file_of_another_database_opens_nothing_here() -> None:
    load_demo()
    User.objects.all().delete()
    signins = load_demo()
    assert Client().login(username="alice", password=signins["alice"]["password"])
    assert find_token(signins["alice"]["token"])


def test_the_guide_has_its_tools() -> None:
    load_demo()
    guide = Agent.objects.get(slug="guide")
    assert (guide.mode, guide.enabled, guide.roles) == ("loop", True, [])
    assert {row.tool.slug for row in guide.agent_tools.all()} == set(GUIDE_TOOLS)


def test_what_an_operator_changed_stays() -> None:
    load_demo()
    Agent.objects.update(name="Ours", enabled=False, instructions="Be brief.")
    AgentTool.objects.filter(tool__slug="fetch").delete()
    Project.objects.update(name="Our project")
    Membership.objects.filter(user__username="bob").update(role="supervisor")
    load_demo()
    guide = Agent.objects.get(slug="guide")
    assert (guide.name, guide.enabled, guide.instructions) == ("Ours", False, "Be brief.")
    assert not guide.agent_tools.filter(tool__slug="fetch").exists()
    assert Project.objects.get().name == "Our project"
    assert Membership.objects.get(user__username="bob").role == "supervisor"


def test_a_shipped_tool_that_is_not_there_is_left_out() -> None:
    Tool.objects.filter(slug="fetch").delete()
    load_demo()
    guide = Agent.objects.get(slug="guide")
    assert {row.tool.slug for row in guide.agent_tools.all()} == set(GUIDE_TOOLS) - {"fetch"}


def test_the_command_prints_the_sign_ins_and_no_token() -> None:
    out = StringIO()
    call_command("load_demo", stdout=out)
    for name, signin in load_demo().items():
        assert f"{name}" in out.getvalue()
        assert signin["password"] in out.getvalue()
        assert signin["token"] not in out.getvalue()


# --- Where the demo may not be ---


def switched_off() -> set[str]:
    return set(User.objects.filter(is_active=False).values_list("username", flat=True))


def test_what_the_file_opens_is_closed(settings: Any) -> None:
    signins = load_demo()
    settings.DEBUG = False
    assert set(suspend_demo()) == PEOPLE == switched_off()
    for name, signin in signins.items():
        assert not Client().login(username=name, password=signin["password"])
        assert find_token(signin["token"]) is None
        assert events_of(User.objects.get(username=name).pk)[0] == "config.changed"
    assert suspend_demo() == []


def test_loading_the_demo_opens_it_again(settings: Any) -> None:
    first = load_demo()
    suspend_demo()
    assert load_demo() == first
    assert switched_off() == set()
    assert json.loads(demo_file().read_text()) == first
    assert Client().login(username="alice", password=first["alice"]["password"])
    assert find_token(first["alice"]["token"])


def test_who_was_switched_off_by_an_operator_stays_so() -> None:
    load_demo()
    User.objects.filter(username="bob").update(is_active=False)
    assert set(suspend_demo()) == PEOPLE - {"bob"}
    load_demo()
    assert switched_off() == {"bob"}


def test_somebody_else_of_the_same_name_is_left_alone() -> None:
    load_demo()
    User.objects.all().delete()
    User.objects.create_user("alice", password="her own")
    assert suspend_demo() == []
    assert switched_off() == set()


def test_who_changed_their_password_loses_only_the_token_in_the_file() -> None:
    signins = load_demo()
    operator = User.objects.get(username="operator")
    operator.set_password("a new one")
    operator.save()
    assert "operator" not in suspend_demo()
    assert Client().login(username="operator", password="a new one")
    assert find_token(signins["operator"]["token"]) is None


@pytest.mark.parametrize("content", [None, "", "[]", '{"alice": {}}', '{"alice": {"token": ""}}'])
def test_without_a_file_nobody_is_switched_off(content: str | None) -> None:
    load_demo()
    demo_file().unlink()
    if content is not None:
        demo_file().write_text(content)
    assert suspend_demo() == []


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """What `serve` prints before it serves."""
    monkeypatch.setattr("uvicorn.run", lambda *_args, **_options: None)

    def serve() -> str:
        out = StringIO()
        call_command("serve", "--no-migrate", "--only", "web", stdout=out)
        return out.getvalue()

    return serve


def test_serving_loads_the_demo_or_switches_it_off(
    settings: Any, served: Callable[[], str]
) -> None:
    assert "Demo sign-ins:" in served()
    settings.DEBUG = False
    assert "switched off, their passwords lie in a file: alice, bob" in served()
    assert switched_off() == PEOPLE
    assert "alice" not in served()
    settings.DEBUG = True
    assert "Demo sign-ins:" in served()
    assert switched_off() == set()


@pytest.mark.parametrize(
    ("model", "url", "shown"),
    [
        ("", "", "Model: offline (rules)\n"),
        ("rules", "", "Model: offline (rules)\n"),
        ("gpt-x", "", "Model: gpt-x\n"),
        ("openai/x", "http://me:pass@h:1/v1?k=1", "Model: openai/x at http://h:1/v1\n"),
    ],
)
def test_serving_says_which_model_is_used(
    settings: Any, served: Callable[[], str], model: str, url: str, shown: str
) -> None:
    settings.MODEL, settings.MODEL_BASE_URL = model, url
    assert shown in served()


def test_what_it_makes_is_audited_once() -> None:
    load_demo()
    made = AuditEvent.objects.filter(action="config.changed", reason_code="demo_loaded")
    assert Counter(made.values_list("target_type", flat=True)) == {
        "user": 5,
        "project": 1,
        "membership": 4,
        "agent": 1,
        "agenttool": 8,
    }
    assert AuditEvent.objects.filter(action="token.created").count() == len(PEOPLE)
    before = AuditEvent.objects.count()
    load_demo()
    assert AuditEvent.objects.count() == before


def test_a_token_that_is_replaced_is_revoked_and_audited() -> None:
    old = find_token(load_demo()["alice"]["token"])
    assert old is not None
    signins = json.loads(demo_file().read_text())
    signins["alice"]["token"] = "gone"
    demo_file().write_text(json.dumps(signins))
    load_demo()
    old.refresh_from_db()
    assert old.revoked_at is not None
    event = AuditEvent.objects.get(action="token.revoked")
    assert event.target_id == str(old.pk)
