"""A long content is read in parts: nothing is lost, nothing comes twice, no sign is torn apart."""

from typing import Any

import pytest

from config.base.models import User
from documents.tokens import estimate_tokens
from documents.tool.parts import MAX_PART_TOKENS, take_part
from documents.tool.tool import DocumentTool
from tests.documents.factories import agent_of, make_document, tool_context

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("content", "limit", "first"),
    [
        ("abcdef", 4, "abcd"),
        ("abce\u0301f", 4, "abc"),  # e and its accent
        ("a\r\nb", 2, "a"),
        (f"a{FAMILY}b", 3, "a"),
        ("a\u2764\ufe0fb", 2, "a"),
        ("a\U0001f44b\U0001f3fdb", 2, "a"),
        ("e\u0301", 1, "e"),  # there is no earlier place
        ("x" + "\u0301" * 100, 50, "x" + "\u0301" * 49),  # no end to it
    ],
)
def test_a_part_ends_where_a_sign_does(content: str, limit: int, first: str) -> None:
    assert take_part(content, 0, limit, 50_000).text == first


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 64])
def test_the_parts_make_the_whole(limit: int) -> None:
    content = f"Ein Text\r\nmit e\u0301 und {FAMILY} 和中文。" * 7
    parts, offset = [], 0
    while True:
        part = take_part(content, offset, limit, 50_000)
        parts.append(part.text)
        if not part.has_more:
            break
        assert part.end > offset
        offset = part.end
    assert "".join(parts) == content


@pytest.mark.parametrize("letter", ["a ", "字", "\U0001f600"])
def test_without_a_limit_a_part_is_what_a_model_can_take(letter: str) -> None:
    content = letter * 200_000
    part = take_part(content, 0, None, 1_000_000)
    assert estimate_tokens(part.text) <= MAX_PART_TOKENS
    assert part.has_more
    assert len(part.text) > 20_000


@pytest.mark.parametrize("text", ["The gate decides whether an action may happen. ", "字"])
def test_a_text_of_full_length_comes_at_once(text: str) -> None:
    content = (text * 50_000)[:50_000]
    assert take_part(content, 0, None, 50_000).text == content


# --- The tool ---


def read(user: User, **arguments: Any) -> dict[str, Any]:
    tool = DocumentTool()
    config = tool.config_model()
    parsed = tool.input_model(config).model_validate({"action": "read", **arguments})
    context = tool_context(agent_of(user))
    result = tool.execute(tool.plan(parsed, config, context), config, context)
    data: dict[str, Any] = result.data
    return data


@pytest.mark.django_db
def test_each_part_says_how_to_go_on(alice: User) -> None:
    document = make_document(alice, content="x" * 1_000)
    first = read(alice, id=str(document.pk), full_content=True, limit=400)
    assert first["hint"] == (
        "These are the characters 0 to 400 of 1000. Read on with full_content=true and offset=400."
    )
    assert (first["content_length"], first["next_offset"]) == (1_000, 400)
    last = read(alice, id=str(document.pk), full_content=True, offset=800)
    assert last["hint"] == "These are the last characters, 800 to 1000 of 1000."
    assert (len(last["content"]), last["has_more_content"]) == (200, False)
    past = read(alice, id=str(document.pk), full_content=True, offset=2_000)
    assert past["hint"] == "The content ends at character 1000; offset 2000 is past it."
    assert (past["content"], past["has_more_content"]) == ("", False)
    whole = read(alice, id=str(document.pk), full_content=True)
    assert "hint" not in whole
