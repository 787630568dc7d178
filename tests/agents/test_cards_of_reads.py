"""A card says what exactly would be done, also of a tool that only reads."""

import json
from typing import Any

import pytest

from agents.views.cards import card_of, edits_from, fields_of
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from tools.models import ActionDraft, Tool
from tools.pipeline import call_tool
from tools.schemas import PREVIEW_CHARS, CallContext, Plan, Preview

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def asked(user: User, type_name: str, arguments: dict[str, Any]) -> ActionDraft:
    tool = Tool.objects.create(name="Asked", slug="asked", type=type_name, needs_approval=True)
    actor = Actor(user=user, origin=Origin.CHAT)
    context = CallContext(actor=actor, idempotency_key=str(uuid7()))
    draft = call_tool(tool, arguments, context).draft
    assert draft is not None
    return draft


def test_its_arguments_stand_on_the_card(alice: User) -> None:
    draft = asked(alice, "calculator", {"expression": "2 + 2"})
    preview = card_of(draft)["preview"]
    assert preview["kind"] == "text"
    assert json.loads(preview["text"]) == {"expression": "2 + 2"}


def test_a_plan_with_a_preview_of_its_own_keeps_it_and_a_long_one_is_cut() -> None:
    long = {"text": "é" * PREVIEW_CHARS}
    own = Plan(title="t", arguments=long, shows_arguments=True, preview=Preview("text", "own"))
    assert own.as_json()["preview"] == {"kind": "text", "text": "own"}
    text = Plan(title="t", arguments=long, shows_arguments=True).as_json()["preview"]["text"]
    assert (len(text), text[-1]) == (PREVIEW_CHARS + 1, "…")
    assert Plan(title="t", arguments={}, shows_arguments=True).as_json()["preview"] is None
    assert Plan(title="t", arguments=long).as_json()["preview"] is None


def test_what_is_made_of_others_has_lines_and_comes_back_unchanged(alice: User) -> None:
    draft = asked(alice, "json_query", {"expression": "a", "data": {"a": [1, 2]}})
    draft.plan = {**draft.plan, "editable": ["data"]}
    data = next(field for field in fields_of(draft) if field["name"] == "data")
    assert data["multiline"]
    assert '\n  "a": [' in data["value"]
    assert edits_from(draft, {"argument-data": data["value"].replace("\n", "\r\n")}) == {}
    assert edits_from(draft, {"argument-data": '{"a": 1}'}) == {"data": {"a": 1}}
