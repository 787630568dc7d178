"""The context budget: what gives way, in which order, how the model reads on, who is told."""

import json
from itertools import count
from typing import Any

import pytest

from agents.model_clients.protocol import (
    ChatMessage,
    ModelReply,
    ModelRequest,
    ToolDefinition,
    ToolRequest,
)
from agents.model_clients.usage import estimate_prompt
from agents.models import Agent, Message, ModelProfile, RunStatus
from agents.runs.context import Fitted, context_tokens, fit
from agents.runs.cutting import cut_result
from agents.testing import ScriptedClient
from config.base.models import User
from documents.models import Document
from documents.tokens import estimate_tokens
from tests.agents.conftest import Turn, asks, call, says

WORDS = "The quick brown fox jumps over the lazy dog. "
BUDGET = 2_000


def words(tokens: int) -> str:
    return WORDS * (tokens // estimate_tokens(WORDS))


def said(role: Any, content: str) -> ChatMessage:
    return ChatMessage(role, content)


_ids = count()


def read(content: str, *, tool: str = "document", **data: Any) -> list[ChatMessage]:
    """A call and its result, as one step of a run."""
    id_ = str(next(_ids) % 2)  # models use the same ids again and again
    request = ToolRequest(id_, tool, {"action": "read"}, '{"action": "read"}')
    told = json.dumps({"success": True, "data": {"id": "d-1", **data, "content": content}})
    return [
        ChatMessage("assistant", "", tool_calls=(request,)),
        ChatMessage("tool", told, tool_call_id=id_),
    ]


def fitted(*messages: ChatMessage, tools: tuple[ToolDefinition, ...] = ()) -> Fitted:
    return fit(ModelRequest(messages, tools), tokens=BUDGET)


def contents(result: Fitted) -> list[str]:
    return [message.content for message in result.request.messages]


SYSTEM = said("system", "You are Guide.")
QUESTION = said("user", "What does it say?")


def test_what_fits_is_left_as_it_is() -> None:
    request = ModelRequest((SYSTEM, QUESTION, *read("Hello.")))
    assert fit(request, tokens=BUDGET) == Fitted(request)


def test_the_oldest_results_are_shortened_first_and_only_as_many_as_needed() -> None:
    old = [*read(words(600)), *read(words(600)), *read(words(500))]
    result = fitted(SYSTEM, QUESTION, *old, *read(words(500)))
    first, second, third, newest = (json.loads(text) for text in contents(result)[3::2])
    assert "left_out" in first
    assert "Call document again" not in first["left_out"]  # it may have been a write
    assert "call document again" in first["left_out"]
    assert first["data"]["id"] == "d-1"  # what it was about stays
    assert ("left_out" in second, "left_out" in third, "left_out" in newest) == (False,) * 3
    assert estimate_prompt(result.request) <= BUDGET
    assert result.notices == ("Tool results were shortened to fit the model's context.",)


def test_then_the_oldest_messages_are_left_out_but_never_the_newest_question() -> None:
    history = [said(role, words(400)) for _ in range(3) for role in ("user", "assistant")]
    result = fitted(SYSTEM, *history, QUESTION)
    kept = result.request.messages
    assert kept[0] == SYSTEM
    assert "Earlier messages" in kept[1].content
    assert kept[2:] == (*history[-len(kept[2:-1]) :], QUESTION)
    assert 3 <= len(kept[2:-1]) < len(history)
    assert result.notices == ("Earlier messages were left out to fit the model's context.",)


def test_messages_give_way_only_when_no_old_result_is_left_to_shorten() -> None:
    result = fitted(SYSTEM, said("user", words(1_200)), QUESTION, *read(words(850)), *read("x"))
    assert words(1_200) in contents(result)
    assert result.notices == ("Tool results were shortened to fit the model's context.",)


def test_one_result_larger_than_half_of_it_is_cut_and_says_how_to_read_on() -> None:
    result = fitted(SYSTEM, QUESTION, *read(words(50_000), title="Notes"))
    told = json.loads(contents(result)[-1])
    assert told["data"]["title"] == "Notes"
    assert told["data"]["content"].startswith(WORDS)
    assert "characters left out]" in told["data"]["content"]
    assert "Call document again" in told["left_out"]
    assert BUDGET // 4 < estimate_prompt(result.request) <= BUDGET


def test_the_newest_results_are_cut_last_each_to_its_share() -> None:
    calls = tuple(ToolRequest(str(n), "fetch", {}, "{}") for n in range(3))
    results = [
        ChatMessage(
            "tool", json.dumps({"success": True, "data": {"content": words(900)}}), (), str(n)
        )
        for n in range(3)
    ]
    step = [ChatMessage("assistant", "", tool_calls=calls), *results]
    result = fitted(SYSTEM, said("user", words(900)), QUESTION, *step)
    assert words(900) not in contents(result)  # the older message went first
    sizes = [estimate_tokens(text) for text in contents(result)[-3:]]
    assert max(sizes) - min(sizes) < 50
    assert estimate_prompt(result.request) <= BUDGET


def test_a_question_longer_than_all_of_it_is_sent_with_a_warning() -> None:
    result = fitted(SYSTEM, said("assistant", words(100)), said("user", words(5_000)))
    assert contents(result)[-1] == words(5_000)
    assert "This is longer than the model's context is set to hold." in result.notices


def test_definitions_of_tools_count() -> None:
    tool = ToolDefinition("fetch", words(1_500), {"type": "object"})
    result = fitted(SYSTEM, said("user", words(600)), QUESTION, tools=(tool,))
    assert len(result.request.messages) == 3
    assert "Earlier messages" in contents(result)[1]


@pytest.mark.parametrize(
    "data",
    [
        {"content": words(9_000)},
        {"rows": [{"n": n, "text": "x" * 50} for n in range(3_000)]},
        {"deep": [[[words(300)] * 20] * 20]},
        {f"k{n}": n for n in range(20_000)},
        {"content": "汉字" * 20_000},
        {"content": '\\"\n\t' * 9_000},
    ],
)
@pytest.mark.parametrize("tokens", [50, 1_000])
def test_whatever_is_cut_is_json_of_about_the_wanted_size(data: Any, tokens: int) -> None:
    content = json.dumps({"success": True, "data": data}, ensure_ascii=False)
    cut = cut_result(content, tokens=tokens, note="Cut.")
    told = json.loads(cut)
    assert (told["success"], told["left_out"]) == (True, "Cut.")
    assert estimate_tokens(cut) <= tokens * 1.5 + 60


def test_text_that_is_no_json_is_cut_too() -> None:
    assert json.loads(cut_result(words(5_000), tokens=100, note="Cut."))["left_out"] == "Cut."


# --- In a run ---


@pytest.mark.django_db
def test_the_smallest_context_of_the_models_that_may_be_asked_counts(
    guide: Agent, settings: Any
) -> None:
    settings.CONTEXT_TOKENS = 9_000
    assert context_tokens(guide) == 9_000
    small = ModelProfile.objects.create(name="Small", model="openai/s", context_tokens=3_000)
    guide.model_profile = ModelProfile.objects.create(
        name="Large", model="openai/l", context_tokens=100_000, fallback=small
    )
    guide.save()
    assert context_tokens(guide) == 3_000


@pytest.mark.django_db
@pytest.mark.both
def test_a_turn_that_reads_too_much_goes_on_and_says_what_it_left_out(
    alice: User, turn: Turn, model: ScriptedClient, settings: Any
) -> None:
    settings.CONTEXT_TOKENS = 8_000
    documents = [
        Document.objects.create(owner=alice, title=f"D{n}", content=words(1_500), type="document")
        for n in range(4)
    ]

    def reading(document: Document) -> ModelReply:
        arguments = {"action": "read", "id": str(document.pk), "full_content": True}
        return asks(call("document", arguments))

    model.script = [*map(reading, documents), says("Read.")]
    run = turn(alice, "read all of them")
    assert run.status == RunStatus.COMPLETED
    assert run.warnings == ["Tool results were shortened to fit the model's context."]
    last = model.requests[-1].messages
    first, newest = last[3].content, last[-1].content
    assert "call document again" in json.loads(first)["left_out"]
    assert "left_out" not in json.loads(newest)
    assert all(estimate_prompt(request) <= 8_000 for request in model.requests)
    assert last[1].content == "read all of them"
    assert Message.objects.filter(run=run).count() == 2
