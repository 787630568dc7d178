"""What the encode tool answers, by published vectors; and what it refuses."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from config.base.models import User
from tests.tools.api import Api
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool, ToolCallContent
from tools.types.encode.operation_table import OPERATION_ARGUMENTS
from tools.types.encode.operations import Encoded, run
from tools.types.encode.schemas import EncodeConfig, EncodeInput
from tools.types.encode.tool import EncodeType

CODES = {"encoding", "algorithm", "limit", "empty"}


def encoded(operation: str, *, max_chars: int = 100_000, **arguments: Any) -> Encoded:
    given = EncodeInput.model_validate({"operation": operation, **arguments})
    return run(given, max_chars)


def answer(operation: str, **arguments: Any) -> Any:
    return encoded(operation, **arguments).result


def code_of(operation: str, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as failure:
        encoded(operation, **arguments)
    return failure.value.code


@pytest.mark.parametrize(
    ("operation", "data", "expected"),
    [
        ("base64_encode", "foobar", "Zm9vYmFy"),  # RFC 4648, section 10
        ("base64_encode", "fooba", "Zm9vYmE="),
        ("base64_encode", "", ""),
        ("base64_encode", "你好", "5L2g5aW9"),
        ("base64_decode", "Zm9vYmE=", "fooba"),
        ("base64_decode", "Zm9v\n Ym\tFy", "foobar"),
        ("base64url_encode", "a?>b~~", "YT8-Yn5-"),
        ("base64url_encode", "fooba", "Zm9vYmE"),
        ("base64url_decode", "YT8-Yn5-", "a?>b~~"),
        ("base64url_decode", "Zm9vYmE", "fooba"),
        ("base64url_decode", "Zm9vYmE=", "fooba"),
        ("hex_encode", "é", "c3a9"),
        ("hex_decode", "C3 A9", "é"),
        ("hex_decode", "0xc3,0xA9", "é"),
        ("hex_decode", "66:6f:6f", "foo"),
        ("percent_encode", "a b/ü&=~", "a%20b%2F%C3%BC%26%3D~"),
        ("percent_decode", "a%20b%2f+%C3%BC", "a b/+ü"),
        ("query_decode", "?a=1&b=x+y%26&a=", [("a", "1"), ("b", "x y&"), ("a", "")]),
    ],
)
def test_it_encodes_and_decodes(operation: str, data: str, expected: Any) -> None:
    assert answer(operation, data=data) == expected


def test_it_leaves_what_is_safe() -> None:
    assert answer("percent_encode", data="/a b/?", safe="/") == "/a%20b/%3F"


def test_it_builds_a_query() -> None:
    assert answer("query_encode", fields={"q": "a b&c", "tag": ["x", "ü"]}) == (
        "q=a+b%26c&tag=x&tag=%C3%BC"
    )


def test_it_takes_bytes_as_hex_or_base64() -> None:
    assert answer("base64_encode", data="ff00", data_as="hex") == "/wA="
    assert answer("hex_encode", data="/wA=", data_as="base64") == "ff00"
    assert answer("percent_encode", data="ff20", data_as="hex") == "%FF%20"


@pytest.mark.parametrize("data", ["iVBORw0KGgo=", "AAEC", "/////w=="])
def test_it_says_when_bytes_are_no_text(data: str) -> None:
    decoded = encoded("base64_decode", data=data)
    assert decoded.result_as == "hex"
    assert decoded.warnings
    again = encoded("base64_decode", data=data, bytes_as="base64")
    assert (again.result, again.result_as) == (data, "base64")


def test_it_says_when_they_are_text() -> None:
    decoded = encoded("base64_decode", data="Zm9v")
    assert (decoded.result_as, decoded.warnings) == ("text", ())


@pytest.mark.parametrize(
    ("algorithm", "expected"),
    [
        ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        ("md5", "900150983cd24fb0d6963f7d28e17f72"),
        ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ],
)
def test_it_digests_abc(algorithm: str, expected: str) -> None:
    assert answer("hash", data="abc", algorithm=algorithm) == expected


@pytest.mark.parametrize(
    ("algorithm", "start"),
    [
        ("sha384", "cb00753f"),
        ("sha512", "ddaf35a1"),
        ("sha3_512", "b751850b"),
        ("blake2b", "ba80a53f"),
    ],
)
def test_it_knows_the_long_digests(algorithm: str, start: str) -> None:
    assert answer("hash", data="abc", algorithm=algorithm).startswith(start)


def test_it_warns_of_broken_digests_only() -> None:
    assert encoded("hash", data="abc", algorithm="md5").warnings
    assert not encoded("hash", data="abc", algorithm="sha256").warnings


def test_it_makes_the_codes_of_rfc_4231() -> None:
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    text = "what do ya want for nothing?"
    code = {"data": text, "algorithm": "sha256", "bytes_as": "hex"}
    assert answer("hmac", **code, secret_key="Jefe") == expected
    assert answer("hmac", **code, secret_key="4a656665", key_as="hex") == expected
    assert answer("hmac", **{**code, "bytes_as": "base64url"}, secret_key="Jefe").startswith("W9zB")


def test_it_names_uuids() -> None:
    expected = "886313e1-3b8a-5372-9b90-0c9aee199e5d"  # python.org
    assert answer("uuid5", namespace="dns", name="python.org") == expected
    namespace = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert answer("uuid5", namespace=namespace, name="python.org") == expected


@pytest.mark.parametrize(("operation", "version"), [("uuid4", 4), ("uuid7", 7)])
def test_it_makes_new_uuids(operation: str, version: int) -> None:
    made = [UUID(answer(operation)) for _time in range(50)]
    assert {found.version for found in made} == {version}
    assert len(set(made)) == 50
    if version == 7:
        assert made == sorted(made)


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("base64_decode", {"data": "Zm9vYmE"}, "encoding"),
        ("base64_decode", {"data": "YT8-"}, "encoding"),
        ("base64_decode", {"data": "=AAA"}, "encoding"),
        ("base64url_decode", {"data": "YT8+"}, "encoding"),
        ("base64url_decode", {"data": "A"}, "encoding"),
        ("hex_decode", {"data": "abc"}, "encoding"),
        ("hex_decode", {"data": "10x0"}, "encoding"),
        ("hex_encode", {"data": "zz", "data_as": "hex"}, "encoding"),
        ("percent_decode", {"data": "100%"}, "encoding"),
        ("percent_encode", {"data": "a", "safe": "%"}, "encoding"),
        ("percent_encode", {"data": "a", "safe": "ü"}, "encoding"),
        ("query_decode", {"data": "a=%ff"}, "encoding"),
        ("query_decode", {"data": "a=%f"}, "encoding"),
        ("query_decode", {"data": "&".join(["a=1"] * 1_001)}, "limit"),
        ("query_encode", {"fields": {"a": ["1"] * 1_001}}, "limit"),
        ("query_encode", {"fields": {}}, "empty"),
        ("base64_decode", {"data": " \n"}, "empty"),
        ("query_decode", {"data": ""}, "empty"),
        ("hmac", {"data": "a", "secret_key": "", "algorithm": "sha256"}, "empty"),
        ("hmac", {"data": "a", "secret_key": "k", "algorithm": "md4"}, "algorithm"),
        ("hash", {"data": "a", "algorithm": "shake_128"}, "algorithm"),
        ("hash", {"data": "a", "algorithm": "x" * 90_000}, "algorithm"),
        ("uuid5", {"namespace": "nowhere", "name": "a"}, "encoding"),
    ],
)
def test_it_refuses(operation: str, arguments: dict[str, Any], code: str) -> None:
    assert code_of(operation, **arguments) == code


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("hash", {"data": "a" * 101, "algorithm": "sha256"}),
        ("hmac", {"data": "a", "secret_key": "k" * 100, "algorithm": "sha256"}),
        ("uuid5", {"namespace": "dns", "name": "a" * 98}),
        ("query_encode", {"fields": {"a": ["b" * 50, "c" * 50]}}),
        ("query_encode", {"fields": {"a" * 101: ""}}),
    ],
)
def test_it_keeps_to_the_configured_length(operation: str, arguments: dict[str, Any]) -> None:
    assert code_of(operation, max_chars=100, **arguments) == "limit"
    assert encoded(operation, max_chars=200, **arguments)


def test_it_says_which_arguments_an_operation_needs() -> None:
    with pytest.raises(ValidationError, match="hmac needs: secret_key"):
        encoded("hmac", data="a", algorithm="sha256")
    with pytest.raises(ValidationError, match="uuid4 does not take: data"):
        encoded("uuid4", data="a")


ROUND_TRIPS = ["base64", "base64url", "hex", "percent"]


@given(st.text(max_size=60), st.sampled_from(ROUND_TRIPS))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_what_was_encoded_decodes_to_itself(text: str, form: str) -> None:
    there = answer(f"{form}_encode", data=f"x{text}")
    back = encoded(f"{form}_decode", data=there)
    if back.result_as == "text":
        assert back.result == f"x{text}"
    else:
        assert bytes.fromhex(str(back.result)).decode() == f"x{text}"


@given(st.text(max_size=60), st.sampled_from([*ROUND_TRIPS, "query"]))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_decodes_or_is_refused_with_a_code(text: str, form: str) -> None:
    try:
        encoded(f"{form}_decode", data=text)
        code = "encoding"
    except ToolFailure as failure:
        code = failure.code
    assert code in CODES


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9), min_size=1, max_size=9))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_query_decodes_to_its_fields(fields: dict[str, str]) -> None:
    query = answer("query_encode", fields=fields)
    assert answer("query_decode", data=query) == list(fields.items())


# --- As a tool ---


@pytest.fixture
def tool(db: None) -> Tool:
    return Tool.objects.get(slug="encode")


def execute(tool: Tool, user: User, **arguments: Any) -> dict[str, Any]:
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, body = Api(user)("POST", path, {"input": arguments})
    assert status == 200
    answered: dict[str, Any] = body
    return answered


def test_it_answers_through_rest(tool: Tool, operator: User) -> None:
    body = execute(tool, operator, operation="query_decode", data="a=1&b=2")
    assert body["data"] == {"result": [["a", "1"], ["b", "2"]], "result_as": "pairs"}


def test_a_key_is_masked_in_the_log(tool: Tool, operator: User) -> None:
    body = execute(
        tool, operator, operation="hmac", data="a", secret_key="hunter2", algorithm="sha256"
    )
    assert body["success"]
    kept = ToolCallContent.objects.get()
    assert "hunter2" not in str(kept.input)


def test_a_random_uuid_is_not_the_same_again() -> None:
    config = EncodeConfig()
    for operation, same in (("uuid4", False), ("uuid7", False), ("hex_encode", True)):
        more = {"data": "a"} if same else {}
        given = EncodeInput.model_validate({"operation": operation, **more})
        annotations = EncodeType().annotations(config, given)
        assert (annotations.read_only, annotations.risk) == (True, Risk.L0)
        assert annotations.idempotent is same
    assert not EncodeType().annotations(config).idempotent


def test_its_description_tells_operations_and_codes() -> None:
    text = EncodeType().description(EncodeConfig(max_chars=777))
    assert all(f"- {name}(" in text for name in OPERATION_ARGUMENTS)
    assert "777" in text
    assert all(code in text for code in CODES)
