"""The hand checks at the end of seed 4, 1 to 6: the migrations, the catalogue, and recall."""

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from agents.memories.services import create_memory
from agents.models import Agent
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.models import AuditEvent, PermissionGrant, SkillJob
from skills.triggers import missing_triggers
from tests.agents.hand_checks.conftest import CHECK_IN, READ_MEMORIES, RECALL, Person, last_run
from tools.models import ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ENGLISH = "Do you remember which tea I like?"
CHINESE = "你还记得我喜欢什么吗"
HERS, OF_ALL_AGENTS = "我喜欢喝绿茶, the tea that I like", "我喜欢周五 and jasmine tea"
FOREIGN = {"another agent": "我喜欢咖啡, no tea", "another person": "我喜欢可乐, no tea"}

questions = pytest.mark.parametrize("question", [ENGLISH, CHINESE], ids=["English", "Chinese"])
doors = pytest.mark.parametrize("door", [Person.says, Person.types], ids=["API", "page"])


@pytest.fixture(autouse=True)
def memories(alice: User, bob: User, guide: Agent) -> None:
    other = Agent.objects.create(slug="other", name="Other")
    hers, his = (Actor(user=user, origin=Origin.PAGE) for user in (alice, bob))
    create_memory(hers, HERS, agent_id=guide.pk)
    create_memory(hers, OF_ALL_AGENTS)
    create_memory(hers, FOREIGN["another agent"], agent_id=other.pk)
    create_memory(his, FOREIGN["another person"])


def nothing_was_read() -> bool:
    return not ToolCall.objects.exists()


def test_1_every_migration_was_applied_to_an_empty_database_and_none_is_missing() -> None:
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    there = set(connection.introspection.table_names())
    kept = (PermissionGrant, ToolCall, AuditEvent, SkillJob)  # seed 4's four tables
    assert {model._meta.db_table for model in kept} <= there
    assert missing_triggers(connection) == []


def test_2_the_catalogue_shows_recall_and_the_reminder(her: Person) -> None:
    shown = {one["skill_id"]: one for one in her.results("/api/skills/")}
    for skill_id, kind, code, risk in (
        (RECALL, "tool", READ_MEMORIES, "L1"),
        (CHECK_IN, "background", "proactive_message:write", "L2"),
    ):
        skill = shown[skill_id]
        assert (skill["kind"], skill["version"], skill["enabled"]) == (kind, "1.0.0", True)
        [permission] = skill["permissions"]
        assert (permission["code"], permission["risk"]) == (code, risk)
        assert (permission["granted"], skill["decision"]["outcome"]) == (False, "deny")


@questions
@doors
def test_3_without_the_permission_nothing_is_read_and_the_answer_says_where_to_give_it(
    her: Person, question: str, door: Callable[[Person, str], str]
) -> None:
    answer = door(her, question)
    assert READ_MEMORIES in answer
    assert "/skills/" in answer
    assert "绿茶" not in answer
    assert nothing_was_read()
    [use] = her.results("/api/skills/runs/")
    assert (use["skill_id"], use["status"], use["error_code"]) == (
        RECALL,
        "denied",
        "permission_missing",
    )


@questions
@doors
def test_4_with_it_the_answer_is_from_this_agents_memories_of_her_and_no_others(
    her: Person, question: str, door: Callable[[Person, str], str]
) -> None:
    door(her, question)
    her.permits(RECALL, READ_MEMORIES)
    answer = door(her, question)
    assert HERS in answer
    assert OF_ALL_AGENTS in answer
    for text in FOREIGN.values():
        assert text not in answer
    call = ToolCall.objects.get()
    assert (call.status, call.skill, call.user, call.agent_id) == (
        "success",
        RECALL,
        her.user,
        her.agent.pk,
    )


def test_4_it_counts_for_nobody_else(
    her: Person, bob: User, person_of: Callable[[User], Person]
) -> None:
    her.permits(RECALL, READ_MEMORIES)
    assert "/skills/" in person_of(bob).says(CHINESE)
    assert nothing_was_read()


@doors
def test_5_the_command_asks_for_it_and_the_newest_run_shows_the_tool_skill(
    her: Person, door: Callable[[Person, str], str]
) -> None:
    her.permits(RECALL, READ_MEMORIES)
    assert HERS in door(her, "/memory-recall tea")
    use = her.results("/api/skills/runs/")[0]
    call = ToolCall.objects.get()
    assert (use["skill_id"], use["version"], use["kind"], use["status"]) == (
        RECALL,
        "1.0.0",
        "tool",
        "succeeded",
    )
    assert (use["tool_call"], use["message"] is not None) == (str(call.pk), True)
    assert last_run().tools == ["memory_search"]


@questions
def test_6_switched_off_the_same_question_calls_no_tool(her: Person, question: str) -> None:
    her.permits(RECALL, READ_MEMORIES)
    her.switches(RECALL, enabled=False)
    for text in (question, "/memory-recall tea"):
        assert "绿茶" not in her.says(text)
    assert nothing_was_read()
    [use] = her.results("/api/skills/runs/")  # of the command: it is answered that it is off
    assert (use["status"], use["error_code"]) == ("denied", "skill_disabled")
    her.switches(RECALL, enabled=True)
    assert HERS in her.says(question)
