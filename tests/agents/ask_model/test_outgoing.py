"""What leaves with a question, what its answer brings, and what is kept of it."""

import pytest

from agents.models import Agent, ModelProfile, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.ask_model.conftest import TASK, configure, data_of
from tests.agents.conftest import Turn, asks, call, go_on, says
from tests.documents.factories import make_document
from tests.tools.conftest import actor_of
from tools.drafts import confirm_draft
from tools.errors import TargetChanged
from tools.models import ActionDraft, Tool, ToolCall, ToolCallContent
from tools.secrets.known import remember

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def cloud(helper: ModelProfile) -> ModelProfile:
    helper.external, helper.base_url = True, "https://user:hunter22@model.example/v1"
    helper.save()
    return helper


def reads_then_asks(model: ScriptedClient, user: User) -> None:
    diary = make_document(user, "Diary", "The code is 4711.")
    read = asks(call("document", {"action": "read", "id": str(diary.pk)}))
    question = {"task": "Summarise.", "text": "The code is 4711."}
    model.script += [read, asks(call("ask_model", question)), says("Done.")]


def test_private_data_goes_to_another_model_outside_only_with_a_person(
    alice: User, cloud: ModelProfile, asked: ScriptedClient, turn: Turn, model: ScriptedClient
) -> None:
    reads_then_asks(model, alice)
    run = turn(alice, "Summarise my diary.")
    assert (run.status, asked.requests) == (RunStatus.WAITING, [])
    draft = ActionDraft.objects.get()
    assert "4711" in draft.plan["preview"]["text"]
    assert draft.plan["preview"]["text"].startswith("helper, model.example\n")
    assert "hunter22" not in str(draft.plan)
    decision = ToolCall.objects.get(pk=draft.call_id).decision or {}
    reasons = {one["reason_code"] for one in decision["reasons"]}
    assert "tainted_request" in reasons
    asked.script = ["A code."]
    confirm_draft(actor_of(alice), draft.pk, expected_version=draft.version, idempotency_key="k")
    assert len(asked.requests) == 1
    assert go_on(run).status == RunStatus.COMPLETED
    step = run.steps.get(n=2)
    assert step.results["0"]["data"]["text"] == "A code."
    assert step.provenance == ["private", "untrusted"]


@pytest.mark.parametrize("where", ["inside", "own"])
def test_it_goes_freely_where_it_goes_anyway(
    alice: User,
    tool: Tool,
    guide: Agent,
    helper: ModelProfile,
    asked: ScriptedClient,
    turn: Turn,
    model: ScriptedClient,
    where: str,
) -> None:
    if where == "own":
        ModelProfile.objects.filter(pk=helper.pk).update(external=True)
        Agent.objects.filter(pk=guide.pk).update(model_profile=helper)
        configure(tool, model_profile="")
    reads_then_asks(model, alice)
    asked.script = ["A code."]
    run = turn(alice, "Summarise my diary.")
    assert run.status == RunStatus.COMPLETED
    assert run.steps.get(n=2).provenance == ["private"]


def test_a_fallback_outside_counts_as_outside(
    alice: User, helper: ModelProfile, asked: ScriptedClient, turn: Turn, model: ScriptedClient
) -> None:
    cloud = ModelProfile.objects.create(name="Cloud", model="openai/x", external=True)
    helper.fallback, helper.fallback_may_leave = cloud, True
    helper.save()
    reads_then_asks(model, alice)
    assert turn(alice, "Summarise my diary.").status == RunStatus.WAITING
    assert asked.requests == []


def test_a_profile_that_moves_between_card_and_confirmation_is_looked_at_again(
    alice: User, cloud: ModelProfile, asked: ScriptedClient, turn: Turn, model: ScriptedClient
) -> None:
    reads_then_asks(model, alice)
    turn(alice, "Summarise my diary.")
    ModelProfile.objects.filter(pk=cloud.pk).update(base_url="https://evil.example/v1")
    draft = ActionDraft.objects.get()
    with pytest.raises(TargetChanged):
        confirm_draft(
            actor_of(alice), draft.pk, expected_version=draft.version, idempotency_key="k"
        )
    assert asked.requests == []


def test_what_it_is_told_and_says_is_in_no_log(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    asked.script = ["A very private answer."]
    data_of(tool, alice, {"task": "Summarise.", "text": "A very private word."})
    row = ToolCall.objects.get()
    contents = ToolCallContent.objects.filter(call=row)
    kept = list(contents.values_list("input", "output", "error_message"))
    assert "very private" not in f"{kept} {row.receipt}"


def test_a_known_secret_in_an_answer_is_hidden(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    remember("correct-horse-battery")
    asked.script = ["The key is correct-horse-battery."]
    assert "horse" not in str(data_of(tool, alice, TASK))
