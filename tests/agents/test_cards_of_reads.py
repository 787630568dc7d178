"""A card says what exactly would be done, also of a tool that only reads."""

import json
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from agents.views.cards import card_of, card_urls, edits_from, fields_of
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from tools.drafts.confirm import confirm_draft
from tools.enums import DraftState
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


def confirmed(draft: ActionDraft, user: User) -> ActionDraft:
    actor = Actor(user=user, origin=Origin.PAGE)
    return confirm_draft(actor, draft.pk, expected_version=draft.version, idempotency_key="k")


def rendered(draft: ActionDraft) -> str:
    context = {"draft": card_of(draft), "card_urls": card_urls(draft), "csrf_token": "t"}
    return render_to_string("partials/_draft_card.html", context)


def test_a_long_argument_is_shown_to_its_end(alice: User) -> None:
    text = f"{'é' * PREVIEW_CHARS} THE END"
    draft = asked(alice, "text", {"operation": "count", "text": text})
    assert "THE END" not in card_of(draft)["preview"]["text"]
    assert "THE END" in rendered(draft)
    assert "THE END" in rendered(confirmed(draft, alice))


def test_of_a_tool_that_is_gone_the_slug_is_shown(alice: User) -> None:
    draft = asked(alice, "calculator", {"expression": "2 + 2"})
    assert (card_of(draft)["tool"], card_of(draft)["title"]) == ("Asked", "Asked")
    Tool.objects.get(slug="asked").delete()
    draft = ActionDraft.objects.get()
    assert (card_of(draft)["tool"], card_of(draft)["tool_type"]) == ("asked", "Calculator")


# --- Its answer ---


def test_its_answer_is_masked_and_cut_as_in_the_log(alice: User) -> None:
    template = {"template": "{{ a }} ?token={{ b }}", "values": {"a": "x" * 20_000, "b": "sesame"}}
    answer = card_of(confirmed(asked(alice, "template", template), alice))["answer"]
    assert answer["truncated"]
    assert answer["text"].startswith('{"result":"xxx')
    assert len(answer["text"]) <= 16 * 1024
    Tool.objects.get(slug="asked").delete()
    short = asked(alice, "template", {"template": "u?token={{ b }}", "values": {"b": "sesame"}})
    answer = card_of(confirmed(short, alice))["answer"]
    assert not answer["truncated"]
    assert "u?token=" in answer["text"]
    assert "sesame" not in answer["text"]


def test_what_the_receipt_says_whole_is_not_said_twice(alice: User) -> None:
    draft = confirmed(asked(alice, "calculator", {"expression": "2 + 2"}), alice)
    draft.receipt = (draft.result or {})["data"]
    assert card_of(draft)["answer"] is None


def test_only_operators_are_led_to_the_log(alice: User, operator: User) -> None:
    for user, seen in ((alice, False), (operator, True)):
        draft = confirmed(asked(user, "calculator", {"expression": "2 + 2"}), user)
        client = Client()
        client.force_login(user)
        page = client.get("/actions/?tab=decided").content.decode()
        assert "&quot;result&quot;: &quot;4&quot;" in page
        assert (f"/admin/tools/toolcall/{draft.call_id}/change/" in page) is seen
        Tool.objects.get(slug="asked").delete()


# --- One that failed ---


def failed(user: User) -> ActionDraft:
    draft = asked(user, "calculator", {"expression": "1 / 0"})
    draft = confirmed(draft, user)
    assert draft.state == DraftState.FAILED
    return draft


def test_one_that_failed_can_be_tried_again_while_its_tool_is_there(alice: User) -> None:
    draft = failed(alice)
    assert card_of(draft)["unrepeatable"] == ""
    assert "Try again" in rendered(draft)


@pytest.mark.parametrize(
    ("change", "why"),
    [({"enabled": False}, "switched off"), ({"type": "gone"}, "gone"), (None, "gone")],
)
def test_else_it_says_why_not(alice: User, change: dict[str, Any] | None, why: str) -> None:
    draft = failed(alice)
    row = Tool.objects.filter(slug="asked")
    if change is None:
        row.get().delete()
    else:
        row.update(**change)
    draft = ActionDraft.objects.get(pk=draft.pk)
    assert why in card_of(draft)["unrepeatable"]
    page = rendered(draft)
    assert "Try again" not in page
    assert "<form" not in page
    assert draft.error_message in page
    assert "1 / 0" in page
