"""Suggesting what to remember: always a card, and nothing before a person has confirmed it."""

from typing import Any

import pytest

from agents import actions
from agents.memories.services import create_memory
from agents.models import Agent, AgentTool, Memory, Message, Run
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.errors import InvalidInput
from config.base.models import Project, User
from skills.models import AuditEvent
from tests.agents.conftest import Turn, asks, call, go_on
from tests.skills.factories import make_grant
from tests.tools.api import Api
from tests.tools.conftest import actor_of, context_for
from tools.errors import ConditionsChanged, TargetChanged
from tools.models import ActionDraft, Tool, ToolCall, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]
MARK = "zanzibar"


@pytest.fixture(autouse=True)
def tool(guide: Agent) -> Tool:
    tool = Tool.objects.get(slug="memory_capture")
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


@pytest.fixture
def suggested(turn: Turn, model: ScriptedClient) -> Any:
    """What a model suggests in a turn of hers, as a card."""

    def suggest(user: User, text: str, said: str = "Remember it.", **more: Any) -> ActionDraft:
        model.script = [asks(call("memory_capture", {"text": text, **more})), "As you say."]
        run = turn(user, said)
        return ActionDraft.objects.get(call__run_id=run.pk)

    return suggest


def fill(draft: ActionDraft, **arguments: Any) -> ActionDraft:
    return actions.revise(
        page(draft.owner), draft.pk, expected_version=draft.version, arguments=arguments
    )


def confirm(draft: ActionDraft, **arguments: Any) -> ActionDraft:
    return actions.confirm(
        page(draft.owner),
        draft.pk,
        expected_version=draft.version,
        idempotency_key=f"{draft.pk}:{draft.version}",
        arguments=arguments,
    )


def kept() -> list[tuple[str, str, str]]:
    rows = Memory.objects.order_by("pk")
    return list(rows.values_list("text", "visibility", "status"))


def test_it_is_a_card_that_asks_for_whom_with_nothing_chosen(alice: User, suggested: Any) -> None:
    draft = suggested(alice, "Likes green tea.")
    assert (draft.state, draft.plan["missing_fields"]) == ("needs_input", ["visibility"])
    assert draft.arguments["visibility"] == ""
    assert draft.plan["risk"] == "L2"
    assert set(draft.plan["editable"]) == {
        *("text", "subject", "importance", "layer", "agents", "visibility"),
    }
    assert not Memory.objects.exists()


@pytest.mark.parametrize("chosen", [{"visibility": "company"}, {"visibility": "private"}])
def test_what_a_model_chooses_does_not_count(
    alice: User, suggested: Any, chosen: dict[str, str]
) -> None:
    draft = suggested(alice, "Likes green tea.", **chosen)
    assert (draft.state, draft.arguments["visibility"]) == ("needs_input", "")


def test_an_open_question_can_not_be_confirmed(alice: User, suggested: Any) -> None:
    draft = suggested(alice, "Likes green tea.")
    with pytest.raises(InvalidInput) as refused:
        confirm(draft)
    assert refused.value.code == "needs_input"
    assert not Memory.objects.exists()


def test_confirmed_it_is_hers_with_its_source_and_told_to_the_model(
    alice: User, guide: Agent, suggested: Any
) -> None:
    draft = confirm(fill(suggested(alice, "Likes green tea."), visibility="private"))
    assert draft.state == "executed"
    memory = Memory.objects.get()
    assert (memory.owner, memory.agent, memory.project) == (alice, guide, None)
    assert (memory.text, memory.status, memory.provenance) == (
        "Likes green tea.",
        "active",
        ["own"],
    )
    run = Run.objects.get()
    assert memory.source_message == Message.objects.get(run=run, role="user")
    assert memory.conversation_id == run.conversation_id
    go_on(run)
    assert Message.objects.get(run=run, role="assistant").text == "As you say."


def test_every_field_of_it_can_be_changed_on_the_card(alice: User, suggested: Any) -> None:
    draft = fill(suggested(alice, "Likes green tea."), visibility="private", importance=5)
    confirm(draft, text="Loves green tea.", subject="Tea", layer="session", agents="all")
    memory = Memory.objects.get()
    assert (memory.text, memory.subject, memory.importance) == ("Loves green tea.", "Tea", 5)
    assert (memory.layer, memory.agent) == ("session", None)


def test_for_the_company_it_waits_for_an_operator(
    alice: User, project: Project, suggested: Any
) -> None:
    confirm(fill(suggested(alice, "We meet on Mondays."), visibility="company"))
    memory = Memory.objects.get()
    assert (memory.project, memory.status) == (project, "pending")


def test_without_a_project_it_can_not_be_the_companys(stranger: User, suggested: Any) -> None:
    draft = suggested(stranger, "We meet on Mondays.")
    with pytest.raises(InvalidInput) as refused:
        fill(draft, visibility="company")
    assert refused.value.code == "no_project"


def test_who_has_left_the_project_tells_it_nothing(alice: User, suggested: Any) -> None:
    draft = fill(suggested(alice, "We meet on Mondays."), visibility="company")
    alice.memberships.all().delete()
    with pytest.raises((ConditionsChanged, TargetChanged)):
        confirm(draft)
    assert not Memory.objects.exists()


def test_what_resembles_another_asks_one_question_more(alice: User, suggested: Any) -> None:
    old = create_memory(page(alice), "Lives in Hamburg.")
    draft = suggested(alice, "Lives in Munich.", if_similar="replace")
    assert draft.plan["missing_fields"] == ["visibility", "if_similar"]
    assert [target["id"] for target in draft.plan["targets"]] == [str(old.pk)]
    assert "Lives in Hamburg" in draft.plan["preview"]["text"]


@pytest.mark.parametrize(("choice", "status"), [("replace", "superseded"), ("keep_both", "active")])
def test_the_answer_decides_what_becomes_of_it(
    alice: User, suggested: Any, choice: str, status: str
) -> None:
    old = create_memory(page(alice), "Lives in Hamburg.")
    confirm(fill(suggested(alice, "Lives in Munich."), visibility="private", if_similar=choice))
    old.refresh_from_db()
    new = Memory.objects.exclude(pk=old.pk).get()
    assert (new.status, old.status) == ("active", status)
    assert old.superseded_by == (new if choice == "replace" else None)


def test_one_that_resembles_it_and_came_in_between_is_asked_about(
    alice: User, suggested: Any
) -> None:
    draft = fill(suggested(alice, "Lives in Munich."), visibility="private")
    create_memory(page(alice), "Lives in Hamburg.")
    with pytest.raises(TargetChanged):
        confirm(draft)
    draft.refresh_from_db()
    assert (draft.state, draft.plan["missing_fields"]) == ("needs_input", ["if_similar"])


@pytest.mark.parametrize("text", ["Lives in Hamburg.", " lives in hamburg", "Ｌives in Hamburg!"])
def test_what_is_known_already_is_said_and_nothing_written(
    alice: User, turn: Turn, model: ScriptedClient, text: str
) -> None:
    create_memory(page(alice), "Lives in Hamburg.")
    model.script = [
        asks(call("memory_capture", {"text": text})),
        lambda request: f"It said: {request.messages[-1].content}",
    ]
    run = turn(alice, "Remember it.")
    assert "remembered already" in Message.objects.get(run=run, role="assistant").text
    assert not ActionDraft.objects.exists()
    assert Memory.objects.count() == 1


def test_what_others_remember_is_neither_found_nor_replaced(
    alice: User, bob: User, suggested: Any
) -> None:
    create_memory(page(bob), "Lives in Hamburg.")
    draft = suggested(alice, "Lives in Hamburg.")
    assert draft.plan["missing_fields"] == ["visibility"]
    assert draft.plan["targets"] == []


# --- What was read before ---


def captured(user: User, guide: Agent, *provenance: str) -> CallOutcome:
    tool = Tool.objects.get(slug="memory_capture")
    actor = actor_of(user, agent_id=guide.pk)
    context = context_for(user, actor=actor, provenance=frozenset(provenance))
    return call_tool(tool, {"text": "Likes tea."}, context)


def test_what_may_come_from_others_says_so_and_keeps_it(alice: User, guide: Agent) -> None:
    draft = captured(alice, guide, "untrusted", "private").draft
    assert draft is not None
    assert "somebody else wrote" in draft.plan["preview"]["text"]
    confirm(fill(draft, visibility="private"))
    assert Memory.objects.get().provenance == ["private", "untrusted"]


def test_no_standing_approval_is_offered_with_it(alice: User, suggested: Any) -> None:
    draft = fill(suggested(alice, "Likes green tea."), visibility="private")
    shown = Api(alice)("GET", f"/api/agent/actions/{draft.pk}/")[1]
    assert shown["rememberable"] is False


def test_neither_card_nor_memory_stands_in_the_records(alice: User, suggested: Any) -> None:
    confirm(fill(suggested(alice, f"Was in {MARK}."), visibility="private"))
    for rows in (ToolCall, ToolCallContent, AuditEvent):
        assert rows.objects.exists()
        assert MARK not in str(list(rows.objects.values()))


# --- By hand ---


def test_a_person_who_calls_it_says_for_whom(operator: User) -> None:
    tool = Tool.objects.get(slug="memory_capture")
    path = f"/api/agent-tools/{tool.pk}/execute/"
    body = {"input": {"text": "Likes tea."}, "confirm": True}
    status, answer = Api(operator)("POST", path, body)
    assert (status, answer["error"]["code"]) == (200, "needs_input")
    assert not Memory.objects.exists()
    body["input"] = {"text": "Likes tea.", "visibility": "private"}
    status, answer = Api(operator)("POST", path, body)
    assert (status, answer["success"]) == (200, True)
    assert kept() == [("Likes tea.", "private", "active")]


# --- The offline model ---


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("remember that my favourite fruit is the quince", "My favourite fruit is the quince"),
        ("记住我最喜欢的水果是木瓜", "我最喜欢的水果是木瓜"),
    ],
)
def test_the_offline_model_suggests_what_it_is_told_to_remember(
    alice: User, guide: Agent, turn: Turn, said: str, text: str
) -> None:
    AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug="memory_search"))
    make_grant(alice, "memory:read", skill_id="memory-recall")
    run = turn(alice, said)
    draft = ActionDraft.objects.get()
    assert (draft.state, draft.arguments["text"]) == ("needs_input", text)
    confirm(fill(draft, visibility="private"))
    go_on(run)
    memory = Memory.objects.get()
    assert f"/memories/{memory.pk}/" in Message.objects.get(run=run, role="assistant").text
    asked = "我最喜欢的水果是什么？" if "水果" in said else "what is my favourite fruit?"
    answer = Message.objects.get(run=turn(alice, asked), role="assistant")
    assert text in answer.text


def test_it_says_that_it_is_known_already(alice: User, turn: Turn) -> None:
    create_memory(page(alice), "I like tea")
    answer = Message.objects.get(run=turn(alice, "remember that I like tea"), role="assistant")
    assert answer.text == "I remember that already, so nothing was written."


def test_it_says_why_it_may_not_look(alice: User, guide: Agent, turn: Turn) -> None:
    AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug="memory_search"))
    create_memory(page(alice), "My favourite fruit is the quince")
    answer = Message.objects.get(run=turn(alice, "what is my favourite fruit?"), role="assistant")
    assert "/skills/" in answer.text
    assert "quince" not in answer.text
