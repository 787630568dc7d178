"""The tool type http_api: what it sends of what a model says, and what comes back."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from config.base.outbound.urls import parse_url
from tests.tools.secrets import VALUE, make_secret
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.reach import Reach
from tools.registry import get_tool_type
from tools.schemas import Plan, ToolContext, ToolResult
from tools.secrets.errors import SecretHostRefused, SecretUnknown
from tools.types.http_api.config import HttpApiConfig
from tools.types.http_api.tool import HttpApiTool

TOOL = HttpApiTool()
PETS: dict[str, Any] = {"base_url": "http://a.example/v1", "method": "GET", "path": "/pets"}
JSON = {"Content-Type": "application/json"}
A_SECRET = {"secret": "a"}


def parameter(name: str, location: str = "query", **more: Any) -> dict[str, Any]:
    schema = more.pop("schema", {})
    required = {"required": True} if location == "path" else {}
    return {"name": name, "in": location, "schema": schema, **required, **more}


def settings(**config: Any) -> HttpApiConfig:
    return HttpApiConfig.model_validate({**PETS, **config})


def one_pet(**config: Any) -> dict[str, Any]:
    return {"path": "/pets/{id}/toys", "parameters": [parameter("id", "path", **config)]}


def posting(content_type: str, **body: Any) -> dict[str, Any]:
    return {"method": "POST", "body": {"content_type": content_type, "schema": {}, **body}}


def context(seconds: float = 30, reach: Reach | None = None) -> ToolContext:
    return ToolContext(
        actor=Actor(User(username="alice"), Origin.CHAT),
        tool_id=None,
        tool_slug="pets",
        idempotency_key="call-7",
        deadline=time.monotonic() + seconds,
        reach=reach or Reach(),
    )


def plan_of(arguments: dict[str, Any], **config: Any) -> Plan:
    found = settings(**config)
    return TOOL.plan(TOOL.input_model(found).model_validate(arguments), found, context())


def run(arguments: dict[str, Any], *, tainted: bool = False, **config: Any) -> ToolResult:
    reach = Reach(provenance=frozenset({"untrusted"})) if tainted else Reach()
    return TOOL.execute(plan_of(arguments, **config), settings(**config), context(reach=reach))


def failure_of(arguments: dict[str, Any], **config: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        run(arguments, **config)
    return caught.value


def url_of(arguments: dict[str, Any], **config: Any) -> str:
    return plan_of(arguments, **config).targets[0].id


class Peer(ScriptedServer):
    """Answers with what is left in `answers`, then with an empty 200."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        super().__init__(
            lambda _request, peer: peer.sendall(
                self.answers.pop(0) if self.answers else http_answer()
            )
        )

    def heads(self, number: int = -1) -> dict[str, str]:
        """The headers of a request, with its first line under ""."""
        first, *lines = self.requests[number].partition(b"\r\n\r\n")[0].decode().split("\r\n")
        return {"": first, **{k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}}

    def body(self, number: int = -1) -> bytes:
        return self.requests[number].partition(b"\r\n\r\n")[2]


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server


def moved(location: str, status: int = 302) -> bytes:
    return http_answer(status=f"{status} Moved", headers={"Location": location})


# --- Risk and plan ---


@pytest.mark.parametrize(
    ("config", "read_only", "risk"),
    [
        ({}, True, Risk.L1),
        ({"method": "HEAD"}, True, Risk.L1),
        ({"method": "POST"}, False, Risk.L3),
        ({"method": "DELETE", "write_domains": ["b.example"]}, False, Risk.L3),
        ({"method": "DELETE", "write_domains": ["a.example"]}, False, Risk.L2),
        ({"write_domains": ["a.example"]}, True, Risk.L1),
    ],
)
def test_it_knows_its_risk(config: dict[str, Any], read_only: bool, risk: Risk) -> None:
    found = TOOL.annotations(settings(**config))
    assert (found.read_only, found.risk, found.open_world) == (read_only, risk, True)
    assert found.requires_approval is (risk == Risk.L3)
    assert found.destructive is (config.get("method") == "DELETE")


def test_somebody_else_described_it() -> None:
    found = get_tool_type("http_api")
    assert (found.first_party, found.needs_set_up) == (False, True)


def test_a_plan_shows_what_leaves_and_asks_nobody() -> None:
    network = FakeNetwork()
    with use_network(network.network):
        plan = plan_of(
            {"id": "a b", "body": {"name": "Rex"}, "X_Tag": "t"},
            **posting("application/json"),
            path="/pets/{id}",
            parameters=[parameter("id", "path"), parameter("X.Tag", "header")],
        )
    assert (network.lookups, network.dialled) == ([], [])
    assert plan.preview is not None
    assert plan.preview.text.splitlines() == [
        "POST http://a.example/v1/pets/a%20b",
        "content-type: application/json",
        "x.tag: t",
        "",
        '{"name": "Rex"}',
    ]
    assert plan.title == "Send a POST to a.example: /pets/{id}"
    assert plan.editable == ("id", "X_Tag", "body")
    assert (plan.risk, plan.reversible, plan.outgoing) == (Risk.L3, False, None)


def test_a_read_says_what_leaves_with_it() -> None:
    bare, asking = plan_of({}), plan_of({"q": "x"}, parameters=[parameter("q")])
    assert bare.outgoing is not None
    assert asking.outgoing is not None
    assert (bare.outgoing.named_host, bare.outgoing.composed) == (True, False)
    assert (asking.outgoing.url, asking.outgoing.composed) == ("http://a.example/v1/pets?q=x", True)


# --- Where arguments go ---


def test_each_argument_is_put_where_the_operation_wants_it(peer: Peer) -> None:
    run(
        {"id": "7/8", "q": ["a&b", "ü"], "X-Trace": "t", "session": "x;y", "body": {"a": None}},
        **posting("application/json"),
        path="/pets/{id}",
        parameters=[
            parameter("id", "path"),
            parameter("q"),
            parameter("X-Trace", "header"),
            parameter("session", "cookie"),
        ],
    )
    heads = peer.heads()
    assert heads[""] == "POST /v1/pets/7%2F8?q=a%26b&q=%C3%BC HTTP/1.1"
    assert (heads["x-trace"], heads["cookie"]) == ("t", "session=x%3By")
    assert (heads["host"], heads["content-type"]) == ("a.example", "application/json")
    assert heads["idempotency-key"] == "call-7"
    assert peer.body() == b'{"a": null}'


def test_a_read_sends_no_key_of_a_write(peer: Peer) -> None:
    run({})
    assert "idempotency-key" not in peer.heads()


RGB = {"R": 100, "G": 200}


@pytest.mark.parametrize(
    ("style", "explode", "value", "written"),
    [
        # The table of OpenAPI 3.1, 4.8.12.
        ("simple", False, "blue", "blue"),
        ("simple", False, ["blue", "black"], "blue,black"),
        ("simple", False, RGB, "R,100,G,200"),
        ("simple", True, RGB, "R=100,G=200"),
        ("label", False, "blue", ".blue"),
        ("label", False, ["blue", "black"], ".blue,black"),
        ("label", True, ["blue", "black"], ".blue.black"),
        ("label", True, RGB, ".R=100.G=200"),
        ("matrix", False, "blue", ";id=blue"),
        ("matrix", False, ["blue", "black"], ";id=blue,black"),
        ("matrix", True, ["blue", "black"], ";id=blue;id=black"),
        ("matrix", False, RGB, ";id=R,100,G,200"),
        ("matrix", True, RGB, ";R=100;G=200"),
        ("simple", False, True, "true"),
        ("simple", False, 1.5, "1.5"),
        ("simple", False, ["a,b", "c/d"], "a%2Cb,c%2Fd"),
    ],
)
def test_a_path_is_written_in_its_style(
    style: str, explode: bool, value: Any, written: str
) -> None:
    found = url_of({"id": value}, **one_pet(style=style, explode=explode))
    assert found == f"http://a.example/v1/pets/{written}/toys"


@pytest.mark.parametrize(
    ("how", "value", "written"),
    [
        ({}, "blue", "q=blue"),
        ({}, "", "q="),
        ({}, ["blue", "black"], "q=blue&q=black"),
        ({}, [], ""),
        ({}, RGB, "R=100&G=200"),
        ({"explode": False}, ["blue", "black"], "q=blue,black"),
        ({"explode": False}, RGB, "q=R,100,G,200"),
        ({"style": "spaceDelimited"}, ["blue", "black"], "q=blue%20black"),
        ({"style": "pipeDelimited"}, ["blue", "black"], "q=blue%7Cblack"),
        ({"style": "deepObject"}, RGB, "q%5BR%5D=100&q%5BG%5D=200"),
        ({"style": "deepObject"}, {"a": {"b": ["c", "d"]}}, "q%5Ba%5D%5Bb%5D=c&q%5Ba%5D%5Bb%5D=d"),
        ({"as_json": True}, {"a": [1]}, "q=%7B%22a%22%3A%20%5B1%5D%7D"),
        ({}, {"a": {"b": 1}}, "a=%7B%22b%22%3A1%7D"),
        ({}, False, "q=false"),
        ({}, None, ""),
    ],
)
def test_a_query_is_written_in_its_style(how: dict[str, Any], value: Any, written: str) -> None:
    found = url_of({"q": value}, parameters=[parameter("q", **how)])
    assert found == "http://a.example/v1/pets" + (f"?{written}" if written else "")


def test_a_header_and_a_cookie_are_written_in_their_style(peer: Peer) -> None:
    run(
        {"X-List": ["a", "b"], "X-Map": RGB, "c": ["a", "b"], "d": ["x", "y"], "X-No": None},
        parameters=[
            parameter("X-List", "header"),
            parameter("X-Map", "header", explode=True),
            parameter("X-No", "header"),
            parameter("c", "cookie", explode=False),
            parameter("d", "cookie"),
        ],
    )
    heads = peer.heads()
    assert (heads["x-list"], heads["x-map"]) == ("a,b", "R=100,G=200")
    assert heads["cookie"] == "c=a%2Cb; d=x; d=y"
    assert "x-no" not in heads


def test_names_that_a_model_can_not_say_are_spelt_otherwise_and_never_twice() -> None:
    parameters = [
        parameter("filter[name]"),
        parameter("id", "path"),
        parameter("id"),
        parameter("id", "header"),
        parameter("body"),
        parameter("?"),
    ]
    found = settings(**posting("text/plain"), path="/pets/{id}", parameters=parameters)
    names = set(TOOL.input_model(found).model_json_schema()["properties"])
    assert names == {
        *("filter_name", "id", "id_query", "id_header"),
        *("body", "body_query", "value"),
    }


# --- Nothing leaves its place ---


@pytest.mark.parametrize(
    "value",
    [
        *("", ".", "..", "../admin", "a/../b", "..\\x", "%2e%2e", "%2e%2e%2fadmin", "x/.."),
        *("%252e%252e%252f", "..;/x", "..%00/"[:2], ["..", ".."][0], [], {}, None, [".."]),
    ],
)
def test_an_argument_that_leads_out_of_its_segment_is_refused(value: Any) -> None:
    assert failure_of({"id": value}, **one_pet()).code == "path_argument"


def test_two_arguments_can_not_make_dots_together() -> None:
    parameters = [parameter("a", "path"), parameter("b", "path")]
    config = {"path": "/pets/{a}{b}/x", "parameters": parameters}
    assert failure_of({"a": ".", "b": "."}, **config).code == "path_argument"
    assert url_of({"a": "v1", "b": "."}, **config).endswith("/pets/v1./x")


@pytest.mark.parametrize(
    "value",
    [
        "?admin=1",
        "#x",
        "//evil.example",
        "a;b=c",
        "a@b",
        "a:b",
        "http://evil.example/",
        "a b",
        "\r\n",
    ],
)
def test_what_means_something_in_a_url_means_nothing_in_an_argument(peer: Peer, value: str) -> None:
    run({"id": value}, **one_pet())
    path = peer.heads()[""].split(" ")[1]
    assert path.count("/") == 4
    assert unquote(path.split("/")[3]) == value
    assert not set("?#;@:\r\n") & set(path)


@given(value=st.text(min_size=1, max_size=60))
def test_any_text_stays_one_segment_or_is_refused(value: str) -> None:
    try:
        url = parse_url(url_of({"id": value}, **one_pet()))
    except ToolFailure:
        return  # not sent at all
    assert (url.host, url.port) == ("a.example", 80)
    segments = url.target.split("/")
    assert segments[:3] + segments[4:] == ["", "v1", "pets", "toys"]
    assert unquote(segments[3]) == value
    assert "?" not in url.target


@given(
    value=st.dictionaries(st.text(max_size=20), st.text(max_size=40), max_size=5),
    text=st.text(max_size=40),
    items=st.lists(st.text(max_size=20), max_size=4),
)
def test_any_query_reads_back_as_it_was_given(
    value: dict[str, str], text: str, items: list[str]
) -> None:
    parameters = [
        parameter("a"),
        parameter("b[]"),
        parameter("f", style="deepObject"),
    ]
    url = parse_url(url_of({"a": text, "b": items, "f": value}, parameters=parameters))
    found = parse_qsl(url.target.partition("?")[2], keep_blank_values=True)
    deep = [(f"f[{key}]", item) for key, item in value.items()]
    assert found == [("a", text), *(("b[]", item) for item in items), *deep]


@given(value=st.dictionaries(st.text(max_size=20), st.text(max_size=40), min_size=1, max_size=5))
def test_any_form_reads_back_as_it_was_given(value: dict[str, str]) -> None:
    plan = plan_of({"body": value}, **posting("application/x-www-form-urlencoded"))
    assert plan.preview is not None
    body = plan.preview.text.partition("\n\n")[2]
    assert parse_qsl(body, keep_blank_values=True) == list(value.items())


@pytest.mark.parametrize("value", ["a\r\nX-Admin: 1", "a\nb", "a\0b", "漢", "x" * 9000])
def test_a_header_carries_no_second_one(peer: Peer, value: str) -> None:
    config = {"parameters": [parameter("X-Tag", "header")]}
    assert failure_of({"X-Tag": value}, **config).code == "header_not_allowed"
    assert peer.requests == []


def test_a_cookie_carries_no_second_one(peer: Peer) -> None:
    run({"c": 'a; admin=1\r\nX: "y"'}, parameters=[parameter("c", "cookie")])
    assert peer.heads()["cookie"] == "c=a%3B%20admin%3D1%0D%0AX%3A%20%22y%22"


def test_a_url_that_is_too_long_is_refused(peer: Peer) -> None:
    assert failure_of({"q": "x" * 9000}, parameters=[parameter("q")]).code == "url_invalid"


def test_half_a_character_is_no_text() -> None:
    for config in ({"parameters": [parameter("q")]}, {"parameters": [parameter("q", "cookie")]}):
        assert failure_of({"q": "\ud800"}, **config).code == "invalid_arguments"


# --- Bodies ---


def test_a_form_is_written_as_the_document_says(peer: Peer) -> None:
    run(
        {"body": {"name": "a&b", "tags": ["x", "y"], "meta": {"k": "v"}, "raw": {"k": 1}}},
        **posting(
            "application/x-www-form-urlencoded",
            encoding={
                "tags": {"explode": False},
                "meta": {"style": "deepObject"},
                "raw": {"as_json": True},
            },
        ),
    )
    assert peer.body() == b"name=a%26b&tags=x,y&meta%5Bk%5D=v&raw=%7B%22k%22%3A%201%7D"


def test_a_multipart_body_has_a_part_for_each_value(peer: Peer) -> None:
    value = {'na"me\r\n': "a\r\n--x", "tags": ["x", "y"], "meta": {"k": [1]}}
    run({"body": value}, **posting("multipart/form-data"))
    content_type = peer.heads()["content-type"]
    boundary = content_type.removeprefix("multipart/form-data; boundary=")
    parts = peer.body().decode().split(f"--{boundary}")
    assert len(parts) == 6
    assert 'name="na%22me%0D%0A"' in parts[1]
    assert parts[1].endswith("\r\n\r\na\r\n--x\r\n")
    assert [part.split("\r\n\r\n")[1] for part in parts[2:4]] == ["x\r\n", "y\r\n"]
    assert "Content-Type: application/json\r\n\r\n" in parts[4]
    assert parts[5] == "--\r\n"


def test_a_text_is_sent_as_it_is(peer: Peer) -> None:
    run({"body": "<pet/> ü"}, **posting("application/xml"))
    assert peer.body() == "<pet/> ü".encode()
    assert peer.heads()["content-type"] == "application/xml; charset=utf-8"


@pytest.mark.parametrize(
    ("content_type", "value"),
    [
        ("text/plain", {"a": 1}),
        ("application/x-www-form-urlencoded", "a=1"),
        ("multipart/form-data", [1]),
    ],
)
def test_a_body_that_can_not_be_written_so_is_refused(content_type: str, value: Any) -> None:
    assert failure_of({"body": value}, **posting(content_type)).code == "invalid_arguments"


# --- Answers ---


def test_a_json_answer_comes_back_parsed(peer: Peer) -> None:
    peer.answers = [http_answer(b'{"a": [1, null]}', headers=JSON, status="404 Not Found")]
    result = run({})
    assert result.data == {
        "url": "http://a.example/v1/pets",
        "status_code": 404,
        "content_type": "application/json",
        "truncated": False,
        "content": {"a": [1, None]},
    }
    assert result.provenance == {"untrusted"}
    assert result.receipt == {"status_code": 404, "host": "a.example"}


@pytest.mark.parametrize(
    ("kind", "body", "content"),
    [
        ("text/plain", b"hello", "hello"),
        ("application/problem+json", b'{"title": "x"}', {"title": "x"}),
        ("text/html", b"<p>hi</p>", "<p>hi</p>"),
        ("application/json", b"{nonsense", "{nonsense"),
        ("application/json", b"", ""),
        ("image/png", b"\x89PNG\0\0", "[binary body, image/png, 6 bytes]"),
    ],
)
def test_other_answers_come_back_as_text(peer: Peer, kind: str, body: bytes, content: Any) -> None:
    peer.answers = [http_answer(body, headers={"Content-Type": kind})]
    assert run({}).data["content"] == content


def test_a_write_that_is_redirected_elsewhere_stays_where_it_was_planned(peer: Peer) -> None:
    peer.answers = [moved("http://evil.example/", 307)]
    failure = failure_of({"body": {"a": 1}}, **posting("application/json"))
    assert failure.code == "redirect_not_allowed"
    assert failure.details["request_sent"] is True
    assert len(peer.requests) == 1


def test_a_read_of_a_tainted_run_follows_to_no_other_host(peer: Peer) -> None:
    peer.answers = [moved("http://other.example/x"), moved("http://other.example/x"), http_answer()]
    with pytest.raises(ToolFailure) as caught:
        run({}, tainted=True)
    assert caught.value.code == "redirect_not_allowed"
    assert run({}).data["url"] == "http://other.example/x"


# --- Limits of the config, each misused ---


def test_a_slow_answer_ends_in_time() -> None:
    ended = threading.Event()

    def wait(_request: bytes, _peer: object) -> None:
        ended.wait(5)

    with ScriptedServer(wait) as server, use_network(FakeNetwork(server.address).network):
        assert failure_of({}, timeout_ms=50).code == "timeout"
        ended.set()


def test_a_long_answer_is_cut(peer: Peer) -> None:
    peer.answers = [http_answer(b'{"a": "' + b"x" * 100 + b'"}', headers=JSON)]
    result = run({}, max_response_bytes=20)
    assert (result.data["truncated"], result.data["content"]) == (True, '{"a": "' + "x" * 13)
    assert any("max_response_bytes" in warning for warning in result.warnings)


def test_a_long_body_is_not_sent(peer: Peer) -> None:
    config = {**posting("text/plain"), "max_request_bytes": 5}
    assert failure_of({"body": "123456"}, **config).code == "body_too_large"
    assert peer.requests == []


def test_too_many_redirects_end(peer: Peer) -> None:
    peer.answers = [moved("/a"), moved("/b")]
    assert failure_of({}, max_redirects=1).code == "too_many_redirects"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.7", "0x7f.1"])
def test_what_is_not_public_is_not_dialled(peer: Peer, host: str) -> None:
    with pytest.raises(ValidationError, match="allowed_private_networks"):
        settings(base_url=f"http://{host}")
    assert peer.requests == []


def test_an_operator_opens_a_network_on_purpose(peer: Peer) -> None:
    networks = ["10.0.0.0/8"]
    answer = run({}, base_url="http://10.0.0.7", allowed_private_networks=networks)
    assert answer.data["status_code"] == 200


@pytest.mark.parametrize(
    "config",
    [
        {"base_url": "ftp://a.example"},
        {"base_url": "a.example"},
        {"base_url": "https://user@a.example"},
        {"base_url": "https://a.example?key=1"},
        {"base_url": "https://a.example/#x"},
        {"base_url": "https://a.example/../x"},
        {"base_url": "https://a.example/{version}"},
        {"method": "TRACE"},
        {"path": "pets"},
        {"path": "/pets?x=1"},
        {"path": "/a/../b"},
        {"path": "/a/%2e%2e/b"},
        {"path": "/pets/{id}"},
        {"path": "/pets/{", "parameters": []},
        {"parameters": [parameter("id", "path")]},
        {"path": "/{id}", "parameters": [{"name": "id", "in": "path", "schema": {}}]},
        {"parameters": [parameter("q"), parameter("q")]},
        {"parameters": [parameter("X-A", "header"), parameter("x-a", "header")]},
        {"parameters": [parameter("q", style="matrix")]},
        {"parameters": [parameter("q", "header", style="form")]},
        {"parameters": [parameter("Host", "header")]},
        {"parameters": [parameter("Authorization", "header")]},
        {"parameters": [parameter("Idempotency-Key", "header")]},
        {"parameters": [parameter("X-HTTP-Method-Override", "header")]},
        {"parameters": [parameter("a b", "header")]},
        {"parameters": [parameter("a;b", "cookie")]},
        {"parameters": [parameter("q", schema={"type": "strange"})]},
        {"parameters": [parameter("q", schema={"$ref": "http://b.example/schema"})]},
        {"parameters": [parameter("q", schema={"$ref": "#/$defs/Gone"})]},
        {"parameters": [parameter("q", schema={"enum": ["x" * 70_000]})]},
        {"parameters": [parameter(f"q{n}") for n in range(61)]},
        {"definitions": {f"d{n}": {} for n in range(201)}},
        {"body": {"content_type": "application/json", "schema": {}}},
        posting("application/octet-stream"),
        posting("text/plain\r\nX-A: 1"),
        {"security": [{"kind": "bearer", "value": "plain text"}]},
        {"security": [{"kind": "bearer", "name": "X", "value": {"secret": "a"}}]},
        {"security": [{"kind": "api_key", "value": {"secret": "a"}}]},
        {"security": [{"kind": "api_key", "in": "query", "value": {"secret": "a"}}]},
        {"security": [{"kind": "api_key", "name": "Cookie", "value": {"secret": "a"}}]},
        {"security": [{"kind": "api_key", "in": "cookie", "name": "a;b", "value": A_SECRET}]},
        {"security": [{"kind": "bearer", "value": {"secret": name}} for name in "ab"]},
        {
            "security": [{"kind": "api_key", "in": "query", "name": "q", "value": {"secret": "a"}}],
            "parameters": [parameter("q")],
        },
        {"write_domains": ["*"]},
        {"allowed_private_networks": ["everything"]},
        {"timeout_ms": 0},
        {"timeout_ms": 120_001},
        {"max_response_bytes": 0},
        {"max_response_bytes": 10 * 1024 * 1024 + 1},
        {"max_request_bytes": 0},
        {"max_redirects": 21},
        {"unknown": 1},
    ],
    ids=lambda config: json.dumps(config)[:60],
)  # fmt: skip
def test_a_config_that_can_not_work_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settings(**config)


# --- Secrets ---

KEYS: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "api_key", "in": "header", "name": "X-Key"}, "x-key", "sk-1234567"),
    ({"kind": "api_key", "name": "Authorization"}, "authorization", "sk-1234567"),
    ({"kind": "bearer"}, "authorization", "Bearer sk-1234567"),
    ({"kind": "basic"}, "authorization", "Basic c2stMTIzNDU2Nw=="),
    ({"kind": "api_key", "in": "cookie", "name": "sid"}, "cookie", "sid=sk-1234567"),
    ({"kind": "api_key", "in": "query", "name": "key"}, "", "GET /v1/pets?key=sk-1234567 HTTP/1.1"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("credential", "place", "text"), KEYS)
def test_a_secret_goes_to_its_host_only(
    peer: Peer, operator: User, credential: dict[str, Any], place: str, text: str
) -> None:
    make_secret(operator, value="sk-1234567")
    config: dict[str, Any] = {"security": [{**credential, "value": {"secret": "api"}}]}
    peer.answers = [moved("http://other.example/next"), http_answer()]
    plan = plan_of({}, **config)
    assert "sk-1234567" not in str(plan)
    assert plan.preview is not None
    assert "(secret api)" in plan.preview.text
    run({}, **config)
    assert peer.heads(0)[place] == text
    assert b"sk-1234567" not in peer.requests[1]
    assert not {"authorization", "x-key", "cookie"} & set(peer.heads(1))


@pytest.mark.django_db
def test_a_secret_that_was_kept_with_its_scheme_is_sent_once(peer: Peer, operator: User) -> None:
    make_secret(operator)
    run({}, security=[{"kind": "bearer", "value": {"secret": "api"}}])
    assert peer.heads()["authorization"] == VALUE


@pytest.mark.django_db
def test_an_echoed_secret_is_hidden_in_the_address_too(peer: Peer, operator: User) -> None:
    make_secret(operator, value="sk-1234567")
    peer.answers = [http_answer(b'{"you sent": "Basic c2stMTIzNDU2Nw=="}', headers=JSON)]
    result = run({}, security=[{"kind": "basic", "value": {"secret": "api"}}])
    assert "c2stMTIz" not in str(result.data)


@pytest.mark.django_db
def test_nothing_is_sent_to_a_host_that_a_secret_is_not_for(peer: Peer, operator: User) -> None:
    make_secret(operator)
    security = [{"kind": "bearer", "value": {"secret": "api"}}]
    with pytest.raises(SecretHostRefused):
        run({}, base_url="http://b.example", security=security)
    with pytest.raises(SecretUnknown):
        run({}, security=[{"kind": "bearer", "value": {"secret": "gone"}}])
    assert peer.requests == []


def test_an_object_can_not_stand_in_for_a_credential() -> None:
    security = [{"kind": "api_key", "in": "query", "name": "key", "value": {"secret": "api"}}]
    config = {"parameters": [parameter("q")], "security": security}
    assert failure_of({"q": {"key": "mine"}}, **config).code == "invalid_arguments"
