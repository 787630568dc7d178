"""What a person confirms to be sent is what they see: no letter of it is hidden from them."""

from typing import Any

import pytest

from config.base.models import User
from tests.tools.conftest import actor_of, context_for
from tests.tools.mcp_servers import TOOL
from tests.tools.secrets import operator_actor
from tools.drafts import confirm_draft
from tools.mcp.descriptors import descriptor_hash
from tools.models import ActionDraft, Tool
from tools.pipeline import call_tool
from tools.services import create_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]

SMUGGLED = "weather" + "".join(chr(0xE0000 + ord(letter)) for letter in "4711")
TAGS = "weather⟨U+E0034⟩⟨U+E0037⟩⟨U+E0031⟩⟨U+E0031⟩"


def draft_of(user: User, tool: Tool, arguments: dict[str, Any]) -> ActionDraft:
    draft = call_tool(tool, arguments, context_for(user)).draft
    assert draft is not None
    return draft


def mcp(operator: User) -> Tool:
    config = {"url": "https://mcp.example/mcp", "remote_tool": "search", "descriptor": TOOL}
    config |= {"descriptor_hash": descriptor_hash(TOOL)}
    return create_tool(operator_actor(operator), name="S", slug="s", type="mcp", config=config)


@pytest.mark.parametrize("hidden", [SMUGGLED, "weather\u202e4711", "weather\u200b\ufe01"])
def test_letters_that_print_nothing_are_shown(hidden: str, operator: User) -> None:
    fetch = Tool.objects.get(slug="fetch")
    sent = {"url": "https://a.example/", "method": "POST", "body": hidden}
    for draft in (
        draft_of(operator, fetch, sent),
        draft_of(operator, mcp(operator), {"query": hidden}),
    ):
        text = draft.plan["preview"]["text"]
        assert "weather⟨U+" in text
        assert not [letter for letter in hidden if letter in text and not letter.isascii()]
        assert hidden in draft.arguments.values()


def test_a_long_call_is_shown_to_its_end(operator: User) -> None:
    draft = draft_of(operator, mcp(operator), {"query": "x" * 30_000 + "4711"})
    assert "4711" in draft.plan["preview"]["text"]


def test_what_is_shown_so_is_confirmed_and_nothing_has_moved(operator: User) -> None:
    fetch = Tool.objects.get(slug="fetch")
    sent = {"url": "https://127.0.0.1:9/", "method": "POST", "body": f"{SMUGGLED}\r\n"}
    Tool.objects.filter(pk=fetch.pk).update(
        config={"allowed_private_networks": ["127.0.0.1/32"], "timeout_ms": 500}
    )
    fetch.refresh_from_db()
    draft = draft_of(operator, fetch, sent)
    assert TAGS in draft.plan["preview"]["text"]
    assert "⟨U+000D⟩" not in draft.plan["preview"]["text"]
    confirmed = confirm_draft(
        actor_of(operator), draft.pk, expected_version=draft.version, idempotency_key="k"
    )
    assert confirmed.error_code == "connect_failed"
