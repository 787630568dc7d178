"""The examples of docs/skills.md, run as they stand there."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.actions import confirm
from agents.models import Agent, Message
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from documents.models import Document
from jobs import registry as job_registry
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills import registry
from skills.background.services import Order, create_background_job
from skills.cases import MessageCase, PayloadCase
from skills.checks import skills_are_sound
from skills.evaluations.judging import judge_case
from skills.grants import Permission, grant_permission
from skills.models import SkillBinding, SkillRun
from skills.steps import Step
from tests.agents.conftest import Turn, go_on, says
from tests.tools.api import Api
from tools.models import ActionDraft, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

DOCS = Path(__file__).parents[2] / "docs" / "skills.md"
SHIPPED = [type(skill) for skill in registry.declared_skills()]
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOCS.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def documented() -> Iterator[None]:
    """Only they are installed; each builds on the imports of those before."""
    names: dict[str, Any] = {"__name__": "documented"}
    with registry.only():
        for example in EXAMPLES:
            exec(example, names)
        yield
    job_registry.unregister("good-morning")


@pytest.fixture
def person(alice: User) -> Actor:
    return Actor(user=alice, origin=Origin.PAGE)


def told(model: ScriptedClient) -> str:
    return model.requests[-1].messages[-1].content


def test_there_is_one_of_each_kind_and_the_product_starts_with_them() -> None:
    kinds = {skill.manifest.kind.value for skill in registry.list_skills()}
    assert kinds == {"prompt", "tool", "workflow", "background"}
    assert skills_are_sound() == []


def test_the_prompt_skill_says_how_to_answer(
    person: Actor, turn: Turn, model: ScriptedClient
) -> None:
    for text in ("/plain-words What is tax?", "说得简单一点"):
        model.script = [says("Well.")]
        turn(person.user, text)
        assert told(model).startswith("Answer in short sentences")


def test_the_tool_skill_calls_its_tool_once_it_is_granted(
    person: Actor, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [says("Not permitted."), says("Seven!")]
    turn(person.user, "Please roll the dice")
    assert "Roll dice (dice:roll)" in told(model)
    assert "/skills/" in told(model)
    grant_permission(person, Permission(skill_id="dice", code="dice:roll"))
    turn(person.user, "/dice")
    assert re.search(r"The dice show \[\d, \d\], \d+ together", told(model))
    statuses = SkillRun.objects.order_by("started_at").values_list("status", flat=True)
    assert list(statuses) == ["denied", "succeeded"]
    assert ToolCall.objects.get(status="success").skill == "dice"


def test_they_pass_their_cases() -> None:
    skills = registry.list_skills()
    verdicts = [judge_case(skill, case) for skill in skills for case in skill.cases]
    assert len(verdicts) >= 3 * len(skills)
    assert [verdict for verdict in verdicts if not verdict.passed] == []


def test_the_workflow_asks_again_for_what_it_cannot_read_and_writes_what_is_confirmed(
    person: Actor, turn: Turn, model: ScriptedClient
) -> None:
    user = person.user
    user.time_zone = "Europe/Berlin"
    user.save()
    run = turn(user, "/packing-list")

    def say(text: str) -> str:
        nonlocal run
        run = turn(user, text, conversation_id=run.conversation_id)
        said = Message.objects.filter(run=run, role="assistant").first()
        return said.text if said else ""

    assert "**Departure** (2 of 4)" in say("Rome")
    refused = say("soon")
    assert "Say a date and a time" in refused
    assert "**Departure** (2 of 4)" in refused
    assert "**Weather** (3 of 4)" in say("2026-12-01 9:30")
    assert "Choose one of these: 1 Warm, 2 Cold" in say("mild")
    assert "**Things** (4 of 4)" in say("冷")
    say("Boots\nBoots\nA map")
    assert not Document.objects.exists()
    draft = ActionDraft.objects.get()
    confirm(person, draft.pk, expected_version=draft.version, idempotency_key="c")
    go_on(run)
    written = Document.objects.get()
    assert written.title == "Packing list: Rome"
    assert written.content == (
        "Departure: 2026-12-01T08:30:00+00:00\n\n- A wool hat\n- Boots\n- A map\n"
    )
    assert model.requests == []


def test_each_kind_of_step_is_told_and_shown() -> None:
    kinds = {step.__name__ for step in Step.__subclasses__()}
    text = DOCS.read_text("utf-8")
    assert kinds == set(re.findall(r"^\| `(\w+Step)` \|", text, re.MULTILINE))
    assert kinds <= set(re.findall(r"^ +(\w+Step)\(", text, re.MULTILINE))


def test_each_field_of_a_case_is_told() -> None:
    told = set(re.findall(r"`(\w+)`", DOCS.read_text("utf-8").partition("## To prove one")[2]))
    assert {field.name for kind in (MessageCase, PayloadCase) for field in fields(kind)} <= told


def test_the_background_skill_writes_once_it_is_due(person: Actor, guide: Agent) -> None:
    grant_permission(person, Permission(skill_id="good-morning", code="morning:write"))
    due = timezone.now() + timedelta(hours=1)
    order = Order(skill_id="good-morning", agent_id=guide.pk, note="Stretch", scheduled_at=due)
    job = create_background_job(person, order)
    make_due(job)
    run_due_jobs()
    assert "Stretch" in Message.objects.get(pk=job.pk).text
    assert SkillRun.objects.get().skill_id == "good-morning"


# --- What it, and the README, tell to type ---

ROOT = DOCS.parents[1]
CALL = re.compile(r"gh (?:-X (\w+) )?\"?\$BASE(/api/[^ \")]*)\"?(?: -d '(\{.*\})')?")


def typed(path: Path) -> list[tuple[str, str, str]]:
    """(method, path, body) of the lines that speak of skills."""
    calls = CALL.findall(path.read_text("utf-8"))
    return [(method or ("POST" if body else "GET"), at, body) for method, at, body in calls]


@pytest.mark.usefixtures("inline_runs")
@pytest.mark.parametrize("name", ["docs/skills.md", "README.md"])
def test_what_is_typed_works(name: str, alice: User, guide: Agent, model: ScriptedClient) -> None:
    model.script = [says("Well.")]
    api, made = Api(alice), dict[str, str]()
    told = [one for one in typed(ROOT / name) if "skills" in one[1] or "remember which" in one[2]]
    assert len(told) >= 4
    with registry.only(*SHIPPED):
        for method, path, body in told:
            soon = (timezone.now() + timedelta(minutes=2)).isoformat()
            filled = body.replace("'$AGENT'", str(guide.pk)).replace("'$SOON'", soon)
            at = re.sub(r"\$\w+", lambda name: made[name.group()], path)
            answer = api(method, at, json.loads(filled) if filled else None)
            assert answer[0] < 300, (method, path, answer)
            if path.endswith("background-jobs/"):
                made["$DAILY" if "recurrence" in filled else "$JOB"] = answer[1]["id"]
    left = 1 if name == "README.md" else 0  # its reminder comes in two minutes
    assert Job.objects.filter(status="scheduled").count() == left
    assert not SkillBinding.objects.filter(enabled=False).exists()
