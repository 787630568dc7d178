"""The fetch tool type: risk, plan, what leaves, what comes back. Refusals: test_fetch_cases.py."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.registry import get_tool_type
from tools.schemas import Plan, ToolContext, ToolResult
from tools.types.fetch.config import FetchConfig, FetchInput
from tools.types.fetch.tool import FetchTool

TOOL = FetchTool()
HTML = {"Content-Type": "text/html; charset=utf-8"}
JSON = {"Content-Type": "application/json"}

type Answer = Callable[[bytes], bytes]


def context(seconds: float = 30) -> ToolContext:
    return ToolContext(
        actor=Actor(User(username="alice"), Origin.CHAT),
        tool_id=None,
        tool_slug="fetch",
        idempotency_key="call-7",
        deadline=time.monotonic() + seconds,
    )


def plan_of(arguments: dict[str, Any], **config: Any) -> Plan:
    settings = FetchConfig.model_validate(config)
    return TOOL.plan(FetchInput.model_validate(arguments), settings, context())


def run(arguments: dict[str, Any], **config: Any) -> ToolResult:
    settings = FetchConfig.model_validate(config)
    return TOOL.execute(plan_of(arguments, **config), settings, context())


class Peer(ScriptedServer):
    """Answers with what is left in `answers`, then with an empty 200."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        super().__init__(
            lambda _request, peer: peer.sendall(
                self.answers.pop(0) if self.answers else http_answer()
            )
        )


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server


def moved(location: str, status: int = 302) -> bytes:
    return http_answer(status=f"{status} Moved", headers={"Location": location})


# --- Annotations ---


@pytest.mark.parametrize(
    ("arguments", "config", "read_only", "risk"),
    [
        ({"url": "https://a.example/"}, {}, True, Risk.L1),
        ({"url": "https://a.example/", "method": "get"}, {}, True, Risk.L1),
        ({"url": "https://a.example/", "method": "POST"}, {}, False, Risk.L3),
        ({"url": "https://a.example/", "body": "x"}, {}, False, Risk.L3),
        ({"url": "https://a.example/", "body": ""}, {}, False, Risk.L3),
        ({"url": "https://a.example/"}, {"default_method": "POST"}, False, Risk.L3),
        ({"url": "https://a.example/", "method": "GET"}, {"default_method": "POST"}, True, Risk.L1),
        ({"url": "https://a.example/", "method": "POST"}, {"write_domains": ["a.example"]},
         False, Risk.L2),
        ({"url": "https://A.example./", "method": "POST"}, {"write_domains": ["a.example"]},
         False, Risk.L2),
        ({"url": "https://b.example/", "method": "POST"}, {"write_domains": ["a.example"]},
         False, Risk.L3),
        ({"url": "https://x@a.example/", "method": "POST"}, {"write_domains": ["a.example"]},
         False, Risk.L3),
        ({"url": "nonsense", "method": "POST"}, {"write_domains": ["a.example"]}, False, Risk.L3),
        ({"url": "nonsense"}, {}, True, Risk.L1),
    ],
)  # fmt: skip
def test_it_knows_its_risk(
    arguments: dict[str, Any], config: dict[str, Any], read_only: bool, risk: Risk
) -> None:
    found = TOOL.annotations(
        FetchConfig.model_validate(config), FetchInput.model_validate(arguments)
    )
    assert (found.read_only, found.risk, found.open_world) == (read_only, risk, True)
    assert found.idempotent is read_only
    assert found.requires_approval is (risk == Risk.L3)


def test_it_is_at_worst_a_write_outside() -> None:
    worst = TOOL.annotations(FetchConfig())
    assert (worst.read_only, worst.risk) == (False, Risk.L3)


def test_it_is_registered() -> None:
    assert isinstance(get_tool_type("fetch"), FetchTool)


# --- Plan ---


@pytest.fixture
def no_peer() -> Iterator[FakeNetwork]:
    """A plan asks nobody."""
    network = FakeNetwork()
    with use_network(network.network):
        yield network
    assert (network.lookups, network.dialled) == ([], [])


def test_it_plans_a_read(no_peer: FakeNetwork) -> None:
    plan = plan_of({"url": "HTTPS://Example.com/a?b#c"})
    assert plan.title == "Fetch https://example.com/a?b"
    assert [(target.type, target.id) for target in plan.targets] == [
        ("url", "https://example.com/a?b")
    ]
    assert plan.arguments == {"url": "https://example.com/a?b", "method": "GET", "headers": {}}
    assert (plan.risk, plan.reversible, plan.editable) == (Risk.L1, True, ("url",))


def test_it_plans_a_write_with_the_bytes_that_would_leave(no_peer: FakeNetwork) -> None:
    plan = plan_of(
        {
            "url": "https://a.example/x",
            "method": "POST",
            "body": "Grüße\n",
            "headers": {"X-A": "1"},
        },
        default_headers={"Authorization": "Bearer s3cret", "x-a": "hidden"},
    )
    assert plan.title == "Send a POST to a.example"
    assert plan.preview is not None
    assert plan.preview.text == (
        "POST https://a.example/x\nX-A: 1\ncontent-type: text/plain; charset=utf-8\n"
        "authorization: ***\n\nGrüße\n"
    )
    assert (plan.risk, plan.reversible, plan.editable) == (Risk.L3, False, ("url", "body"))
    assert "s3cret" not in json.dumps([plan.as_json(), plan.arguments])


def test_it_plans_again_what_was_planned(no_peer: FakeNetwork) -> None:
    plan = plan_of({"url": "https://ü.example", "method": "POST", "body": {"a": "ü", "b": [1]}})
    assert plan.arguments["body"] == '{"a": "ü", "b": [1]}'
    assert plan.arguments["headers"] == {"content-type": "application/json"}
    assert plan_of(plan.arguments) == plan


@pytest.mark.parametrize(
    ("arguments", "config", "code"),
    [
        ({"url": "https://user:pw@a.example/"}, {}, "url_invalid"),
        ({"url": "file:///etc/passwd"}, {}, "scheme_not_allowed"),
        ({"url": "http://127.0.0.1/"}, {}, "address_refused"),
        ({"url": "http://0x7f.1/"}, {}, "address_refused"),
        ({"url": "http://b.example/"}, {"allowed_domains": ["a.example"]}, "domain_not_allowed"),
        ({"url": "http://b.example/"}, {"blocked_domains": ["b.example"]}, "domain_blocked"),
        ({"url": "http://b.example/", "headers": {"Host": "x"}}, {}, "header_not_allowed"),
        ({"url": "http://b.example/", "body": "x" * 1_100_000}, {}, "body_too_large"),
        ({"url": "http://b.example/", "body": "\ud800"}, {}, "invalid_arguments"),
    ],
)
def test_it_refuses_in_the_plan_what_needs_no_network(
    no_peer: FakeNetwork, arguments: dict[str, Any], config: dict[str, Any], code: str
) -> None:
    with pytest.raises(ToolFailure) as failed:
        plan_of(arguments, **config)
    assert failed.value.code == code


# --- What leaves ---


def test_it_sends_exactly_the_planned_bytes(peer: Peer) -> None:
    run({"url": "http://a.example/x", "method": "POST", "body": "Grüße\r\n\0"})
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    assert body == "Grüße\r\n\0".encode()
    assert b"idempotency-key: call-7" in head.lower()


def test_it_sends_no_key_with_a_read(peer: Peer) -> None:
    run({"url": "http://a.example/x"})
    assert b"idempotency-key" not in peer.requests[0].lower()
    assert peer.requests[0].startswith(b"GET /x HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("plain", b"text/plain; charset=utf-8"),
        ('{"a": 1}', b"application/json"),
        ("{no json", b"text/plain; charset=utf-8"),
        ([1, 2], b"application/json"),
    ],
)
def test_it_says_what_a_body_is(peer: Peer, body: object, content_type: bytes) -> None:
    run({"url": "http://a.example/", "method": "POST", "body": body})
    assert b"content-type: " + content_type + b"\r\n" in peer.requests[0]


def test_it_opens_a_private_network_only_on_purpose(peer: Peer) -> None:
    inside = {"url": "http://10.1.2.3/"}
    with pytest.raises(ToolFailure, match="Ask an operator"):
        run(inside)
    assert run(inside, allowed_private_networks=["10.0.0.0/8"]).data["status_code"] == 200


def test_it_never_reaches_our_own_origin(peer: Peer, settings: Any) -> None:
    settings.OWN_ORIGINS = ["127.0.0.1:8123"]
    with pytest.raises(ToolFailure, match="no setting opens it") as failed:
        run({"url": "http://127.0.0.2:8123/"}, allowed_private_networks=["0.0.0.0/0", "::/0"])
    assert failed.value.code == "address_refused"


@pytest.mark.parametrize(
    ("location", "config", "arrives"),
    [
        ("/next", {}, True),
        ("http://a.example:80/next", {}, True),
        ("http://b.example/next", {}, False),
        ("http://a.example:8080/next", {}, False),
        ("http://b.example/next", {"write_domains": ["b.example"]}, True),
    ],
)
def test_it_keeps_a_write_where_it_was_planned(
    peer: Peer, location: str, config: dict[str, Any], arrives: bool
) -> None:
    peer.answers = [moved(location, 307)]
    post = {"url": "http://a.example/", "method": "POST", "body": "x"}
    if arrives:
        assert run(post, **config).data["status_code"] == 200
    else:
        with pytest.raises(ToolFailure) as failed:
            run(post, **config)
        assert failed.value.code == "redirect_not_allowed"
    assert len(peer.requests) == (2 if arrives else 1)


def test_it_reads_on_elsewhere_after_a_write(peer: Peer) -> None:
    peer.answers = [moved("http://b.example/receipt", 303), http_answer(b"thanks")]
    result = run({"url": "http://a.example/", "method": "POST", "body": "x"}, parse_mode="raw")
    assert result.data["url"] == "http://b.example/receipt"
    assert peer.requests[1].startswith(b"GET ")
    assert b"idempotency-key" not in peer.requests[1].lower()


def test_it_ends_with_the_call_that_it_serves(peer: Peer) -> None:
    plan = plan_of({"url": "http://a.example/"})
    with pytest.raises(ToolFailure) as failed:
        TOOL.execute(plan, FetchConfig(), context(seconds=-1))
    assert failed.value.code == "timeout"


# --- What comes back ---


def test_it_tells_what_came_and_keeps_no_text(peer: Peer) -> None:
    page = b"<title>Prices</title><nav>menu</nav><p>Tea <a href='/tea'>3 EUR</a></p>"
    peer.answers = [http_answer(page, status="404 Not Found", headers=HTML)]
    result = run({"url": "http://a.example/list?q=1"})
    assert result.data == {
        "url": "http://a.example/list?q=1",
        "status_code": 404,
        "content_type": "text/html; charset=utf-8",
        "content": "# Prices\n\nTea [3 EUR](http://a.example/tea)",
    }
    assert result.receipt == {"status_code": 404, "host": "a.example"}
    assert result.provenance == {"untrusted"}
    assert result.warnings == []
    assert result.metadata.pop("duration_ms") >= 0
    assert result.metadata == {"status_code": 404, "response_size": len(page), "truncated": False}
    TOOL.output_model.model_validate(result.data)


def test_it_reads_json_when_told_to(peer: Peer) -> None:
    peer.answers = [http_answer(b'{"a": [1, null]}', headers=JSON)]
    assert run({"url": "http://a.example/"}, parse_mode="json").data["content"] == {"a": [1, None]}


def test_it_cuts_and_says_so(peer: Peer) -> None:
    peer.answers = [http_answer(b"x" * 50)]
    result = run({"url": "http://a.example/"}, max_response_bytes=10)
    assert result.metadata["truncated"] is True
    assert result.warnings == ["The body was cut after 10 bytes (max_response_bytes)."]


# --- Config ---


@pytest.mark.parametrize(
    "config",
    [
        {"allowed_private_networks": ["10.0.0.1/8"]},
        {"allowed_private_networks": ["everything"]},
        {"allowed_domains": ["https://example.com"]},
        {"blocked_domains": ["*evil.com"]},
        {"write_domains": ["*"]},
        {"write_domains": ["a.example", "*"]},
        {"default_headers": {"Host": "x"}},
        {"default_headers": {"X-A": "a\r\nb"}},
        {"default_headers": {"Idempotency-Key": "x"}},
        {"timeout_ms": 0},
        {"timeout_ms": 10_000_000},
        {"max_response_bytes": 0},
        {"max_response_bytes": 10**9},
        {"max_redirects": -1},
        {"max_redirects": 1000},
        {"parse_mode": "xml"},
        {"default_method": "DELETE"},
        {"verify_tls": False},
    ],
)
def test_it_refuses_a_config_that_makes_no_sense(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FetchConfig.model_validate(config)


def test_it_has_the_defaults_of_the_design() -> None:
    assert FetchConfig().model_dump(mode="json") == {
        "default_method": "GET",
        "default_headers": {},
        "timeout_ms": 10000,
        "write_domains": [],
        "max_response_bytes": 102400,
        "allowed_domains": ["*"],
        "blocked_domains": [],
        "allowed_private_networks": [],
        "parse_mode": "markdown",
        "max_redirects": 5,
    }


def test_it_describes_its_limits_but_no_secret() -> None:
    config = FetchConfig(
        allowed_domains=("a.example",), default_headers={"X-Key": "s3cret"}, timeout_ms=2500
    )
    text = TOOL.description(config)
    assert "a.example" in text
    assert "2500 ms" in text
    assert "s3cret" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"url": 1},
        {"url": "http://a.example/", "method": "DELETE"},
        {"url": "http://a.example/", "timeout": 1},
        {"url": "http://a.example/", "body": 5},
    ],
)
def test_it_refuses_arguments_of_another_shape(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FetchInput.model_validate(arguments)
