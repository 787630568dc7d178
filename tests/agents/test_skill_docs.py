"""The examples of docs/skills.md, run as they stand there."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Agent, Message
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs import registry as job_registry
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills import registry
from skills.background.services import Order, create_background_job
from skills.checks import skills_are_sound
from skills.context import SkillContext
from skills.errors import AnswerRefused
from skills.grants import Permission, grant_permission
from skills.models import SkillBinding, SkillRun
from skills.steps import Reading
from tests.agents.conftest import Turn, says
from tests.tools.api import Api
from tools.configs import load_config
from tools.models import ToolCall
from tools.registry import get_tool_type

pytestmark = [pytest.mark.django_db, pytest.mark.both]

DOCS = Path(__file__).parents[2] / "docs" / "skills.md"
SHIPPED = [type(skill) for skill in registry.declared_skills()]
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOCS.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def documented() -> Iterator[dict[str, Any]]:
    """Only they are installed; each builds on the imports of those before."""
    names: dict[str, Any] = {"__name__": "documented"}
    with registry.only():
        for example in EXAMPLES:
            exec(example, names)
        yield names
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


def test_the_workflow_makes_arguments_that_its_tool_takes(person: Actor) -> None:
    skill: Any = registry.get_skill("packing-list")
    given = {"place": "  Rome ", "things": "A hat"}
    reading = Reading(now=timezone.now(), time_zone="UTC")
    answers = {step.name: step.read(given[step.name], reading) for step in skill.steps}
    arguments = skill.build_arguments(answers, SkillContext(actor=person))
    assert arguments["title"] == "Packing list: Rome"
    document = get_tool_type("document")
    document.input_model(load_config("document", {})).model_validate(arguments)
    with pytest.raises(AnswerRefused):
        skill.steps[0].read(" ", reading)


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
