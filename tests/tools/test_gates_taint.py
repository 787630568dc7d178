"""Taint: what a run has read decides what it may still do without a person."""

from typing import Any

import pytest

from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from documents.models import Document
from tests.tools.conftest import Make, context_for
from tests.tools.factories import ToolFactory
from tools.decisions import Reason
from tools.execution import prepare
from tools.gates import judge
from tools.models import Tool, ToolCall
from tools.pipeline import call_tool
from tools.reach import Outgoing, Reach
from tools.schemas import CallContext
from tools.testing import arguments_for

pytestmark = pytest.mark.django_db

NONE: frozenset[str] = frozenset()
PRIVATE, UNTRUSTED = frozenset({"private"}), frozenset({"untrusted"})
BOTH = PRIVATE | UNTRUSTED
URL = "https://a.example/page?q=1"


def taint_of(tool: Tool, arguments: dict[str, Any], context: CallContext) -> Reason:
    call = prepare(tool, arguments, ToolCall(tool_slug=tool.slug), context)
    decision = judge(call, context)
    (reason,) = [one for one in decision.reasons if one.gate == "taint"]
    return reason


def told(reason: Reason) -> tuple[str, str]:
    return reason.outcome, reason.reason_code


# --- Reads outside: the table ---


def fetch_tool(**config: Any) -> Tool:
    return ToolFactory.create(type="fetch", config=config)


FREE, ASK = "allow", "needs_confirmation"


@pytest.mark.parametrize(
    ("read", "user_urls", "content", "config", "extra", "expected"),
    [
        (NONE, (), (), {}, {}, (FREE, "untainted")),
        (NONE, (), (), {}, {"headers": {"x-a": "b"}}, (FREE, "untainted")),
        (UNTRUSTED, (URL,), (), {}, {}, (FREE, "url_of_user")),
        (PRIVATE, (URL,), (), {}, {}, (FREE, "url_of_user")),
        (BOTH, (URL,), (), {}, {}, (FREE, "url_of_user")),
        (BOTH, (), (), {"allowed_domains": ["a.example"]}, {}, (FREE, "host_named")),
        (BOTH, (), (), {"allowed_domains": ["*", "a.example"]}, {}, (FREE, "host_named")),
        (BOTH, (), (), {"allowed_domains": ["*"]}, {}, (ASK, "tainted_private")),
        (BOTH, (), (), {"allowed_domains": ["*", "b.example"]}, {}, (ASK, "tainted_private")),
        (UNTRUSTED, (), (URL,), {}, {}, (FREE, "url_was_read")),
        (PRIVATE, (), (URL,), {}, {}, (ASK, "tainted_private")),
        (BOTH, (), (URL,), {}, {}, (ASK, "tainted_private")),
        (UNTRUSTED, (), (), {}, {}, (ASK, "tainted_url")),
        (UNTRUSTED, ("https://a.example/",), (), {}, {}, (ASK, "tainted_url")),
        (UNTRUSTED, (), ("https://a.example/page?q=",), {}, {}, (ASK, "tainted_url")),
        (UNTRUSTED, (URL,), (), {}, {"headers": {"x-a": "secret"}}, (ASK, "tainted_request")),
        (
            UNTRUSTED,
            (),
            (),
            {"allowed_domains": ["a.example"]},
            {"headers": {"x-a": "secret"}},
            (ASK, "tainted_request"),
        ),
    ],
)
def test_a_further_fetch_is_free_where_no_model_made_up_its_address(
    alice: User,
    read: frozenset[str],
    user_urls: tuple[str, ...],
    content: tuple[str, ...],
    config: dict[str, Any],
    extra: dict[str, Any],
    expected: tuple[str, str],
) -> None:
    context = context_for(
        alice, provenance=read, user_urls=user_urls, has_read=lambda url: url in content
    )
    assert told(taint_of(fetch_tool(**config), {"url": URL, **extra}, context)) == expected


@pytest.mark.parametrize(
    ("written", "free"),
    [
        ("https://a.example/page?q=1.", True),
        ("https://a.example/page?q=1#part", True),
        ("HTTPS://A.example/page?q=1", True),
        ("http://a.example/page?q=1", True),
        ("a.example/page?q=1", True),
        ("(https://a.example/page?q=1)", False),
        ("https://a.example/page?q=12", False),
        ("https://a.example:8443/page?q=1", False),
        ("https://b.example/page?q=1", False),
        ("no url at all", False),
    ],
)
def test_people_write_addresses_in_their_own_way(written: str, free: bool) -> None:
    reach = Reach(PRIVATE, (written,))
    assert reach.judge(Outgoing(URL, named_host=False)).free == free


def test_a_plain_address_of_the_users_is_not_reached_over_less_safe_a_way() -> None:
    reach = Reach(PRIVATE, ("https://a.example/",))
    assert not reach.judge(Outgoing("http://a.example/", named_host=False)).free


# --- Everything else ---


@pytest.mark.parametrize("read", [PRIVATE, UNTRUSTED, BOTH])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("echo", (FREE, "reads_inside")),
        ("open_echo", (ASK, "tainted_request")),
        ("rename", (FREE, "marked")),
        ("send", (ASK, "tainted_send")),
    ],
)
def test_what_sends_needs_a_person_and_what_stays_inside_does_not(
    make: Make, alice: User, kind: str, expected: tuple[str, str], read: frozenset[str]
) -> None:
    tool = make(kind)
    context = context_for(alice, provenance=read)
    assert told(taint_of(tool, arguments_for(tool.type), context)) == expected


def test_a_post_needs_a_person_even_where_writes_are_reversible(alice: User) -> None:
    tool = fetch_tool(write_domains=["a.example"], allowed_domains=["a.example"])
    arguments = {"url": URL, "method": "POST", "body": "x"}
    context = context_for(alice, provenance=UNTRUSTED, user_urls=(URL,))
    assert told(taint_of(tool, arguments, context)) == (ASK, "tainted_send")
    assert told(taint_of(tool, arguments, context_for(alice))) == (FREE, "untainted")


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ({"private"}, "Private data was read before, and this sends."),
        ({"untrusted"}, "Something that somebody else wrote was read before, and this sends."),
        (
            {"private", "untrusted"},
            "Private data and something that somebody else wrote were read before, and this sends.",
        ),
    ],
)
def test_it_says_what_kind_was_read(make: Make, alice: User, read: set[str], expected: str) -> None:
    tool = make("send")
    context = context_for(alice, provenance=frozenset(read))
    assert taint_of(tool, arguments_for(tool.type), context).reason == expected
    document = Document.objects.create(owner=alice, title="t", content="c", type="document")
    deletion = {"action": "delete", "id": str(document.pk)}
    told = taint_of(Tool.objects.get(slug="document"), deletion, context)
    assert told.reason == expected.replace("sends", "deletes")


def test_a_person_who_confirms_answers_it(make: Make, alice: User) -> None:
    tool = make("open_echo")
    context = context_for(alice, provenance=UNTRUSTED)
    call = prepare(tool, arguments_for(tool.type), ToolCall(tool_slug=tool.slug), context)
    assert judge(call, context).outcome == ASK
    assert judge(call, context, confirmed=True).outcome == FREE


# --- Redirects ---


def moved(location: str) -> bytes:
    return http_answer(status="302 Moved", headers={"Location": location})


@pytest.mark.parametrize(
    ("read", "location", "arrives"),
    [
        (NONE, "https://b.example/", True),
        (UNTRUSTED, "https://b.example/?q=secret", False),
        (PRIVATE, "https://b.example/", False),
        (PRIVATE, "/other", True),
        (PRIVATE, "https://known.example/", True),
    ],
)
def test_a_redirect_leads_a_tainted_run_nowhere_else(
    alice: User, read: frozenset[str], location: str, arrives: bool
) -> None:
    start = "http://a.example/"
    answers = [moved(location.replace("https:", "http:")), http_answer(body=b"arrived")]
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(answers.pop(0))) as server,
        use_network(FakeNetwork(server.address).network),
    ):
        context = context_for(
            alice, provenance=read, user_urls=(start, "http://known.example/"), tool_set=None
        )
        outcome = call_tool(fetch_tool(), {"url": start}, context)
    if arrives:
        assert outcome.result is not None
    else:
        assert outcome.error is not None
        assert outcome.error.code == "redirect_not_allowed"
        assert len(answers) == 1  # nobody asked for the second one
