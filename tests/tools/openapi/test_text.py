"""Documents as text: JSON and YAML, whole ones and broken ones, and those that would cost much."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.base.errors import GatehouseError
from config.base.storable import storable
from tests.tools.openapi.conftest import read
from tests.tools.openapi.documents import LIBRARY, PETSTORE, as_bytes
from tools.bounded.failures import Refused
from tools.bounded.parent import Limits
from tools.openapi import document
from tools.openapi import text as parsing
from tools.openapi.document import read_document
from tools.openapi.errors import DocumentInvalid, DocumentTooLarge, VersionUnsupported
from tools.openapi.limits import MAX_DOCUMENT_BYTES
from tools.openapi.text import parse

HEAD = "openapi: 3.0.0\ninfo: {title: T}\npaths: {}\n"


def test_json_and_yaml_read_the_same() -> None:
    as_json = json.dumps(LIBRARY)
    assert parse(as_json) == parse(f"# a comment\n{as_json}") == LIBRARY


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("NO", "NO"),
        ("on", "on"),
        ("2020-01-31", "2020-01-31"),
        ("12:30", "12:30"),
        ("010", 10),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        ("~", None),
        ("", None),
        ("true", True),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("'a\\0'", "a\\0"),
        ('"a\\0"', "a\ufffd"),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_a_scalar_of_yaml_is_what_json_would_say(written: str, value: Any) -> None:
    assert parse(f"a: {written}") == {"a": value}


def test_keys_are_texts_and_merges_are_made() -> None:
    text = "base: &b {200: x, y: 1}\nown: {<<: *b, y: 2}\nlist: {<<: [*b, {z: 3}]}\n"
    assert parse(text) == {
        "base": {"200": "x", "y": 1},
        "own": {"200": "x", "y": 2},
        "list": {"200": "x", "y": 1, "z": 3},
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=15,
    )
)
def test_any_json_reads_back_as_it_was_written(value: Any) -> None:
    assert parse(json.dumps({"a": value})) == {"a": storable(value)}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 500)}]",
        "[" * 150 + "]" * 150,
        "{" + '"a":{' * 150 + "}" * 151,
        "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60,
        "- a\n" * 11_000,
        json.dumps({"a": [1] * 11_000}),
        '{"a": "' + "x" * 600_000 + '"}',
        "a: " + "x" * 600_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_would_cost_much_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MAX_NODES", 10_000)
    monkeypatch.setattr(parsing, "MAX_CHARS", 500_000)
    with pytest.raises(Refused) as caught:
        parse(text)
    assert caught.value.code == "limit"


@pytest.mark.parametrize(
    "text",
    [
        "{nonsense",
        '{"a": NaN}',
        '{"a": 1e999}',
        "a: [",
        "a: *gone",
        "a: &a [*a]",
        "a: !!python/object:os.system x",
        "a: !!binary aGk=",
        "a: !mine {b: 1}",
        "!!set {a, b}",
        "? [a, b]\n: c",
        "<<: 1\na: {<<: 3}",
        "a: 1\n---\nb: 2",
        "a: \x01",
        "\t- a",
        "%YAML 9.9\n---\na: 1\n... x",
    ],
)
def test_what_is_neither_json_nor_yaml_of_json_is_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(text)
    assert caught.value.code == "invalid"


# --- Through the child ---


@pytest.mark.parametrize("written", [PETSTORE, LIBRARY])
def test_a_document_is_read(written: Any) -> None:
    found = read_document(as_bytes(written))
    assert found.title in {"Pet Store", "Library"}
    assert found.paths


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", DocumentInvalid),
        (b"hello", DocumentInvalid),
        (b"[1]", DocumentInvalid),
        (b"\xff\xfe\x00", DocumentInvalid),
        (b"{nonsense", DocumentInvalid),
        (b'{"info": {}}', DocumentInvalid),
        (b'{"openapi": "3.0.0", "paths": []}', DocumentInvalid),
        (b'{"swagger": "2.0", "paths": {}}', VersionUnsupported),
        (b'{"openapi": "4.0.0", "paths": {}}', VersionUnsupported),
        (b"openapi: 2\npaths: {}", VersionUnsupported),
        (BOMB.encode(), DocumentTooLarge),
        (b" " * (MAX_DOCUMENT_BYTES + 1), DocumentTooLarge),
    ],
)
def test_what_is_no_document_is_said_with_a_code(
    content: bytes, error: type[GatehouseError]
) -> None:
    with pytest.raises(error) as caught:
        read_document(content)
    assert caught.value.code.startswith("openapi_")
    assert caught.value.message


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_LIMITS", Limits(0.01, 2048, 1000))
    with pytest.raises(DocumentTooLarge):
        read_document(HEAD.encode() + b"# x\n" * 1_000_000)


def test_the_parser_knows_no_django() -> None:
    program = "import sys, tools.openapi.text; assert 'django' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


def test_a_title_is_words_on_one_line() -> None:
    hidden = {"openapi": "3.1.0", "info": {"title": "A\nB\u202e\u200bC" + "x" * 200}, "paths": {}}
    title = read(hidden).title
    assert title.startswith("A B C")
    assert len(title) == 100
    assert read({"openapi": "3.1.0", "info": 3, "paths": {}}).title == "Untitled API"
