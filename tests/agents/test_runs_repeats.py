"""The same call for ever: obeyed three times, then told by rule, until something has changed."""

import pytest

from agents.model_clients.protocol import ModelReply, ToolRequest
from agents.models import RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from documents.models import Document
from skills.models import AuditEvent
from tests.agents.conftest import Turn, asks, call, says
from tools.models import ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def add(expression: str = "1+1", *, id_: str = "1") -> ToolRequest:
    return call("calculator", {"expression": expression}, id_=id_)


def codes() -> list[str]:
    return list(ToolCall.objects.order_by("created_at").values_list("error_code", flat=True))


def test_a_fourth_equal_call_is_told_instead_of_made(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [*[asks(add()) for _ in range(5)], says("Two.")]
    run = turn(alice, "1+1?")
    assert run.status == RunStatus.COMPLETED
    assert codes() == ["", "", "", "repeated_call", "repeated_call"]
    assert "made 3 times in this turn" in model.requests[-1].messages[-2].content
    assert AuditEvent.objects.filter(reason_code="repeated_call").count() == 2


def test_equal_calls_within_one_step_count_too(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [asks(*[add(id_=str(n)) for n in range(5)]), says("Two.")]
    turn(alice, "1+1?")
    assert codes() == ["", "", "", "repeated_call", "repeated_call"]


def test_other_arguments_and_another_turn_are_another_matter(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [asks(*[add() for _ in range(3)], add("2+2")), says("Done.")]
    run = turn(alice, "go")
    model.script = [asks(add()), says("Done.")]
    turn(alice, "again", conversation_id=run.conversation_id)
    assert codes() == [""] * 5


def test_the_order_of_the_arguments_makes_no_difference(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    one = {"operation": "weekday", "date": "2026-03-01"}
    other = dict(reversed(one.items()))
    model.script = [
        asks(*[call("datetime", each) for each in (one, other, one, other)]),
        says("Su"),
    ]
    turn(alice, "which day?")
    assert codes() == ["", "", "", "repeated_call"]


@pytest.mark.parametrize(
    ("bad", "code"),
    [(call("nothing", {}), "unknown_tool"), (call("calculator", None), "repeated_call")],
)
def test_calls_that_can_not_even_be_made_end_the_same_way(
    alice: User, turn: Turn, model: ScriptedClient, bad: ToolRequest, code: str
) -> None:
    model.script = [asks(bad) for _ in range(5)]
    model.script.append(says("I give up."))
    run = turn(alice, "go")
    assert run.status == RunStatus.COMPLETED
    assert codes()[-2:] == [code, code]


def test_a_read_may_be_repeated_after_something_was_written(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    look = call("document", {"action": "list"})
    step = [look, look, look]

    def write(n: int) -> ToolRequest:
        return call("document", {"action": "create", "title": f"D{n}", "content": "x"})

    model.script = [asks(*step, write(1), look, look, look, look), says("Done.")]
    turn(alice, "go")
    assert codes() == ["", "", "", "", "", "", "", "repeated_call"]


def test_an_equal_write_is_not_made_for_ever_either(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    write = call("document", {"action": "create", "title": "D", "content": "x"})
    model.script = [asks(*[write] * 6), says("Done.")]
    turn(alice, "go")
    assert Document.objects.count() == 3


def test_a_model_that_never_stops_ends_with_an_answer_and_a_warning(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    def for_ever(request: object) -> ModelReply:
        return asks(add())

    model.script = [for_ever] * 9
    run = turn(alice, "go")
    assert run.status == RunStatus.COMPLETED
    assert "The limit of tool calls was reached." in run.warnings
    assert "The model gave no answer." in run.warnings
    model.script = [says("Hello.")]
    again = turn(alice, "hi", conversation_id=run.conversation_id)
    assert (again.status, again.warnings) == (RunStatus.COMPLETED, [])
