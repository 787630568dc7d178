"""fetch with a secret header: who gets it, who does not, and what anybody sees of it."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, http_answer
from tests.tools.conftest import actor_of, context_for
from tests.tools.secrets import VALUE, make_secret, operator_actor
from tests.tools.test_fetch import Peer, moved
from tools.drafts import confirm_draft
from tools.errors import ConditionsChanged
from tools.models import ActionDraft, Secret, Tool, ToolCall, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.secrets.known import forget_all
from tools.secrets.services import change_secret
from tools.services import create_tool, update_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]

URL = "http://a.example/items"
TOKEN = VALUE.partition(" ")[2]


@pytest.fixture
def peer() -> Iterator[Peer]:
    forget_all()
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server
    forget_all()


@pytest.fixture
def secret(operator: User) -> Secret:
    return make_secret(operator)


@pytest.fixture
def tool(operator: User, secret: Secret) -> Tool:
    headers = {"Authorization": {"secret": "api"}, "x-plain": "text"}
    return create_tool(
        operator_actor(operator), name="API", slug="api_call", type="fetch",
        config={"default_headers": headers},
    )  # fmt: skip


def fetch(tool: Tool, user: User, url: str = URL, **arguments: Any) -> CallOutcome:
    return call_tool(tool, {"url": url, **arguments}, context_for(user))


def code_of(outcome: CallOutcome) -> str:
    return outcome.error.code if outcome.error else ""


def sent(request: bytes) -> str:
    """What came as authorization."""
    found = re.search(rb"(?im)^authorization: (.*)\r$", request)
    return found[1].decode() if found else ""


def confirm(draft: ActionDraft, user: User) -> None:
    confirm_draft(actor_of(user), draft.pk, expected_version=draft.version, idempotency_key="k")


def kept() -> str:
    """All that rows of calls and drafts hold."""
    models = (ToolCall, ToolCallContent, ActionDraft, Tool, Secret)
    return str([list(model._default_manager.values()) for model in models])


# --- Who gets it ---


def test_the_host_gets_it_and_nobody_else_sees_it(tool: Tool, alice: User, peer: Peer) -> None:
    outcome = fetch(tool, alice)
    assert outcome.success
    assert sent(peer.requests[0]) == VALUE
    assert b"x-plain: text" in peer.requests[0]
    assert TOKEN not in kept()
    assert tool.config["default_headers"]["authorization"] == {"secret": "api"}
    assert Secret.objects.get().last_used_at is not None


def test_another_host_is_refused_before_anything_is_sent(
    tool: Tool, alice: User, peer: Peer
) -> None:
    for url in ("http://b.example/", "http://a.example.b.example/", "http://x.a.example/"):
        assert code_of(fetch(tool, alice, url)) == "secret_host_not_allowed"
    assert peer.requests == []


def test_http_needs_leave(tool: Tool, operator: User, secret: Secret, peer: Peer) -> None:
    change_secret(operator_actor(operator), secret.pk, allow_http=False)
    assert code_of(fetch(tool, operator)) == "secret_needs_https"
    assert peer.requests == []


def test_a_header_of_the_call_takes_its_place(tool: Tool, alice: User, peer: Peer) -> None:
    """Then the secret stays here, and its hosts do not matter."""
    assert fetch(tool, alice, "http://b.example/", headers={"AUTHORIZATION": "mine"}).success
    assert sent(peer.requests[0]) == "mine"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "place",
    ["http://b.example/", "http://a.example:81/", "//b.example/x", "http://x.a.example/"],
)
def test_another_origin_gets_nothing_of_it(
    tool: Tool, alice: User, peer: Peer, status: int, place: str
) -> None:
    peer.answers = [moved(place, status), http_answer(b"there")]
    assert fetch(tool, alice).success
    first, second = peer.requests
    assert (sent(first), sent(second)) == (VALUE, "")
    assert TOKEN.encode() not in second


def test_coming_back_it_is_not_sent_again(tool: Tool, alice: User, peer: Peer) -> None:
    peer.answers = [moved("http://b.example/"), moved(URL), http_answer(b"back")]
    assert fetch(tool, alice).success
    assert [sent(request) for request in peer.requests] == [VALUE, "", ""]


def test_within_the_origin_it_goes_along(tool: Tool, alice: User, peer: Peer) -> None:
    peer.answers = [moved("/other"), http_answer(b"there")]
    assert fetch(tool, alice).success
    assert [sent(request) for request in peer.requests] == [VALUE, VALUE]


@pytest.mark.parametrize("spelt", [TOKEN, quote(TOKEN, safe=""), quote(quote(TOKEN, safe=""))])
def test_a_redirect_that_carries_it_away_is_not_followed(
    tool: Tool, alice: User, peer: Peer, spelt: str
) -> None:
    peer.answers = [moved(f"http://b.example/?t={spelt}"), http_answer(b"got it")]
    outcome = fetch(tool, alice)
    assert code_of(outcome) == "redirect_not_allowed"
    assert len(peer.requests) == 1
    assert TOKEN not in f"{outcome.error}{kept()}"


def test_one_that_is_gone_or_sealed_away_is_a_clear_failure(
    tool: Tool, alice: User, peer: Peer, settings: Any
) -> None:
    settings.SECRETS_KEYS = ["z" * 40]
    assert code_of(fetch(tool, alice)) == "secret_key_missing"
    Secret.objects.all().delete()
    assert code_of(fetch(tool, alice)) == "secret_unknown"
    assert peer.requests == []


def test_one_that_no_header_can_carry_is_a_clear_failure(
    tool: Tool, operator: User, secret: Secret, peer: Peer
) -> None:
    change_secret(operator_actor(operator), secret.pk, value="two\r\nlines: injected")
    outcome = fetch(tool, operator)
    assert code_of(outcome) == "header_not_allowed"
    assert "injected" not in f"{outcome.error}{kept()}"
    assert peer.requests == []


# --- What comes back ---


BODIES = [
    f"you sent {VALUE}".encode(),
    json.dumps({"headers": {"Authorization": VALUE}, "list": [TOKEN]}).encode(),
    f"<html><body><p>It is <b>{VALUE}</b></p></body></html>".encode(),
    base64.b64encode(f"x{VALUE}y".encode()),
    quote(VALUE, safe="").encode(),
    f"you sent {VALUE}".encode("utf-16"),
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("mode", ["raw", "markdown", "json"])
@pytest.mark.parametrize(
    "kind", ["text/html", "application/json", "text/plain; charset=utf-16", "text/plain"]
)
def test_an_echo_reaches_nobody(
    tool: Tool, operator: User, peer: Peer, body: bytes, mode: str, kind: str
) -> None:
    config = {**tool.config, "parse_mode": mode}
    tool = update_tool(operator_actor(operator), tool.pk, config=config)
    cut_within = f"{kind}; x=".ljust(190, "x") + TOKEN
    echo = {"Content-Type": cut_within, "X-Echo": VALUE}
    peer.answers = [http_answer(body, headers=echo)]
    outcome = fetch(tool, operator)
    assert outcome.success
    told = f"{outcome.for_model()}{outcome.result}{kept()}"
    assert TOKEN[:9] not in told
    for spelling in (TOKEN, quote(TOKEN, safe=""), base64.b64encode(TOKEN.encode()).decode()[3:-4]):
        assert spelling not in told
        assert spelling not in told.replace("\\", "")


def test_an_echo_that_is_cut_in_the_middle_is_hidden(
    tool: Tool, operator: User, peer: Peer
) -> None:
    config = {**tool.config, "max_response_bytes": 40, "parse_mode": "raw"}
    tool = update_tool(operator_actor(operator), tool.pk, config=config)
    peer.answers = [http_answer(b"x" * 20 + VALUE.encode())]
    outcome = fetch(tool, operator)
    assert outcome.result
    assert outcome.result.data["content"] == "x" * 20 + "***"
    assert outcome.result.metadata["response_size"] == 40


def test_an_echo_in_the_final_address_is_hidden(tool: Tool, alice: User, peer: Peer) -> None:
    """Also from a call that carries nothing: this process still knows the value."""
    fetch(tool, alice)
    outcome = fetch(tool, alice, f"{URL}?t={quote(TOKEN, safe='')}")
    assert outcome.result
    assert quote(TOKEN, safe="") not in f"{outcome.result}"
    assert "sk-live" not in str(list(ToolCallContent.objects.values()))


# --- What a person sees ---


def test_a_card_carries_the_reference_and_confirming_sends_the_value(
    tool: Tool, alice: User, peer: Peer
) -> None:
    outcome = fetch(tool, alice, method="POST", body={"a": 1})
    draft = outcome.draft
    assert draft
    assert "authorization: *** (secret api)" in draft.plan["preview"]["text"]
    assert TOKEN not in kept()
    peer.answers = [http_answer(f"stored for {VALUE}".encode())]
    confirm(draft, alice)
    assert sent(peer.requests[0]) == VALUE
    assert TOKEN not in kept()


def test_a_card_with_many_headers_can_be_confirmed(tool: Tool, alice: User, peer: Peer) -> None:
    headers = {"x-second-of-all": "1", "x-a": "2", "accept": "3"}
    draft = fetch(tool, alice, method="POST", body="x", headers=headers).draft
    assert draft
    confirm(draft, alice)
    assert len(peer.requests) == 1


def test_another_reference_is_another_effect(tool: Tool, operator: User, peer: Peer) -> None:
    draft = fetch(tool, operator, method="POST", body="x").draft
    assert draft
    make_secret(operator, "second", value="a second value")
    other = {"default_headers": {"authorization": {"secret": "second"}}}
    update_tool(operator_actor(operator), tool.pk, config=other)
    with pytest.raises(ConditionsChanged):
        confirm(draft, operator)
    assert peer.requests == []


def test_a_new_value_is_the_same_effect(
    tool: Tool, operator: User, secret: Secret, peer: Peer
) -> None:
    draft = fetch(tool, operator, method="POST", body="x").draft
    assert draft
    change_secret(operator_actor(operator), secret.pk, value="Bearer the-new-one")
    confirm(draft, operator)
    assert sent(peer.requests[0]) == "Bearer the-new-one"
