"""The pure parts of the MCP client: events, hidden characters, headers, blocks, descriptors."""

import base64
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.base.hidden import has_hidden, is_hidden, shown, visible
from tests.tools.mcp_servers import TOOL
from tools.mcp.content import MAX_BLOCKS, output_of
from tools.mcp.descriptors import (
    check_descriptor,
    descriptor_hash,
    descriptor_of,
    input_of,
    keepable,
    readable,
    title_of,
)
from tools.mcp.errors import DescriptorInvalid
from tools.mcp.links import Kept
from tools.mcp.param_headers import header_params, header_value
from tools.mcp.stream import MAX_RETRY_MS, EventStream

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)

# --- Events ---


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\r\n\r\n", [b"a"]),
        (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a\ndata:  b\n\n", [b"a\n b"]),
        (b"event: message\nid: 4\nretry: 5\ndata: a\n\n", [b"a"]),
        (b": keep-alive\n\n\n\ndata: a\n\n", [b"a"]),
        (b"data\n\n", [b""]),
        (b"data: unfinished\n", []),
        (b"id: 1\n\n", []),
        (b"datax: a\n\nother: b\n\n", []),
    ],
)
def test_events_are_read_however_they_are_cut(raw: bytes, events: list[bytes]) -> None:
    for size in (1, 2, 3, len(raw)):
        stream = EventStream()
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        assert [data for piece in pieces for data in stream.feed(piece)] == events


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_whatever_comes_is_read_as_if_it_came_at_once(pieces: list[bytes]) -> None:
    cut, whole = EventStream(), EventStream()
    one_by_one = [data for piece in pieces for data in cut.feed(piece)]
    assert one_by_one == list(whole.feed(b"".join(pieces)))
    assert (cut.last_id, cut.retry_ms) == (whole.last_id, whole.retry_ms)


def test_what_a_server_says_of_coming_back_is_bounded() -> None:
    stream = EventStream()
    list(stream.feed(b"retry: 99999999999999\nid: " + b"x" * 5000 + b"\n\n"))
    assert (stream.retry_ms, stream.last_id) == (MAX_RETRY_MS, "")
    list(stream.feed(b"id: a\0b\nretry: -5\nid: 7\n\n"))
    assert (stream.retry_ms, stream.last_id) == (MAX_RETRY_MS, "7")


# --- Hidden characters ---


@pytest.mark.parametrize(
    "character",
    ["\u202e", "\u200b", "\u200d", "\ufeff", "\u2066", "\U000e0041", "\ue000", "\x00", "\x1b",
     "\r", "\x7f", "\x85", "\u2028", "\ufe0f", "\U000e0101", "\u115f", "\u3164", "\u2800",
     "\u00ad", "\ud800", "\u0378"],
)  # fmt: skip
def test_what_prints_nothing_is_hidden(character: str) -> None:
    text = f"a{character}b"
    assert has_hidden(text)
    assert visible(text, 10) == "ab"
    assert shown(text) == f"a⟨U+{ord(character):04X}⟩b"


@pytest.mark.parametrize("text", ["Grüße, 世界!\n\tمرحبا ✓ €", "🙂 नमस्ते", ""])
def test_what_people_write_is_not(text: str) -> None:
    assert not has_hidden(text)
    assert visible(text, 100) == text


@given(st.text(), st.integers(1, 50))
def test_what_is_left_is_visible_and_short(text: str, limit: int) -> None:
    left = visible(text, limit)
    assert not has_hidden(left)
    assert len(left) <= limit + 1
    assert not has_hidden(shown(text))


@given(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Cn"]))
def test_no_control_or_format_character_passes(character: str) -> None:
    assert is_hidden(character) is (character not in "\n\t"), unicodedata.category(character)


# --- Headers ---


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_a_header_and_be_read_again(text: str) -> None:
    value = header_value(text)
    assert value.isascii()
    assert not set(value) & {"\r", "\n", "\0"}
    if value.startswith("=?base64?") and value.endswith("?="):
        value = base64.b64decode(value[9:-2]).decode()
    assert value == text


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("us-west1", "us-west1"),
        (42, "42"),
        (-7, "-7"),
        (True, "true"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ],
)
def test_values_are_encoded_as_the_specification_shows(value: Any, header: str) -> None:
    assert header_value(value) == header


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "schema",
    [
        of(a={"type": "number", "x-mcp-header": "A"}),
        of(a={"x-mcp-header": "A"}),
        of(a={"type": ["string"], "x-mcp-header": "A"}),
        of(a={"type": "string", "x-mcp-header": ""}),
        of(a={"type": "string", "x-mcp-header": "a b"}),
        of(a={"type": "string", "x-mcp-header": "a\r\nb"}),
        of(a={"type": "string", "x-mcp-header": 5}),
        of(a={"type": "string", "x-mcp-header": "A"}, b={"type": "string", "x-mcp-header": "a"}),
        of(a={"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
        of(a={"anyOf": [{"type": "string", "x-mcp-header": "A"}]}),
        {**of(), "$defs": {"a": {"type": "string", "x-mcp-header": "A"}}},
        {**of(), "x-mcp-header": "A"},
    ],
)
def test_a_header_that_breaks_the_rules_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="x-mcp-header"):
        header_params(schema)


def test_what_only_looks_like_one_is_none() -> None:
    data = {"default": {"x-mcp-header": 5}, "enum": [{"x-mcp-header": 5}], "type": "string"}
    schema = of(**{"x-mcp-header": {"type": "string"}, "a": data})
    assert header_params(schema) == {}
    schema = of(**{"x-mcp-header": {"type": "string", "x-mcp-header": "Deep"}})
    assert header_params(schema) == {("x-mcp-header",): "mcp-param-deep"}


# --- Blocks ---


def test_text_is_given_and_the_rest_described() -> None:
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/x", "text": "two"}},
        {"type": "image", "mimeType": "image/png", "data": "AAAA"},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAAAAAA"},
        {"type": "resource", "resource": {"uri": "file:///b", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "https://a.example/", "name": "a\u202eb", "size": 9},
        {"type": "hologram", "data": 5},
    ]
    data, warnings = output_of({"content": blocks, "structuredContent": None})
    assert data["text"] == "one\n\ntwo"
    assert [(one["type"], one.get("size_bytes")) for one in data["attachments"]] == [
        ("resource", None),
        ("image", 3),
        ("audio", 6),
        ("resource", 3),
        ("resource_link", 9),
        ("hologram", None),
    ]
    assert data["attachments"][4]["name"] == "ab"
    assert "AAAA" not in json.dumps(data)
    assert warnings == []


def test_more_blocks_than_anybody_reads_are_left_out() -> None:
    data, warnings = output_of({"content": [{"type": "text", "text": "x"}] * (MAX_BLOCKS + 3)})
    assert data["text"].count("x") == MAX_BLOCKS
    assert warnings == ["3 more blocks were left out."]


@given(st.dictionaries(st.sampled_from(["content", "structuredContent", "isError"]), JSON_VALUES))
def test_whatever_a_result_holds_is_no_bug(result: dict[str, Any]) -> None:
    data, _warnings = output_of(result)
    assert set(data) == {"text", "structured", "attachments"}


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "text", "resource", "data"]),
            JSON_VALUES | st.sampled_from(["text", "image", "resource"]),
        )
    )
)
def test_whatever_a_block_holds_is_no_bug(blocks: list[dict[str, Any]]) -> None:
    data, _warnings = output_of({"content": blocks})
    assert isinstance(data["text"], str)


# --- Descriptors ---


def test_its_hash_is_of_what_counts_in_any_order() -> None:
    listed = {**TOOL, "_meta": {"x": 1}, "icons": [], "title": None, "execution": {}}
    turned = dict(reversed(listed.items()))
    assert descriptor_of(listed) == TOOL
    assert descriptor_hash(descriptor_of(turned)) == descriptor_hash(TOOL)
    for name, value in (
        ("description", "Searches. "),
        ("title", "S"),
        ("annotations", {"readOnlyHint": True}),
        ("outputSchema", {"type": "object"}),
        ("inputSchema", {"type": "object"}),
    ):
        assert descriptor_hash({**TOOL, name: value}) != descriptor_hash(TOOL)


@given(
    st.fixed_dictionaries(
        {"name": JSON_VALUES},
        optional={
            "title": JSON_VALUES,
            "description": JSON_VALUES,
            "annotations": JSON_VALUES,
            "inputSchema": JSON_VALUES
            | st.fixed_dictionaries(
                {"type": st.just("object")},
                optional={
                    "properties": st.dictionaries(st.text(), JSON_VALUES),
                    "required": JSON_VALUES,
                },
            ),
        },
    )
)
def test_any_descriptor_is_either_refused_or_can_be_shown_and_used(found: dict[str, Any]) -> None:
    try:
        check_descriptor(found)
    except DescriptorInvalid:
        assert len(json.dumps(keepable(found))) < 1_000_000
        return
    assert title_of(found)
    assert not has_hidden(readable(found))
    assert input_of(found).model_json_schema()["type"] == "object"


# --- What is kept ---


def test_only_the_last_are_kept_and_not_for_long() -> None:
    kept: Kept[int] = Kept(60)
    for number in range(500):
        kept.put(str(number), number)
    assert kept.get("0") is None
    assert kept.get("499") == 499
    kept.drop("499")
    assert kept.get("499") is None
    old: Kept[int] = Kept(0)
    old.put("a", 1)
    assert old.get("a") is None
