"""Unattended runs: each rule with what it lets pass and with its twin that it refuses."""

from typing import Any

import pytest

from config.base.models import Project, User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tests.tools.conftest import Make, actor_of, context_for, parked, run
from tests.tools.factories import ToolFactory
from tools.decisions import Decision, Reason
from tools.drafts import confirm_draft
from tools.enums import DraftState
from tools.errors import CallDenied
from tools.execution import prepare
from tools.gates import judge
from tools.models import ActionDraft, Tool, ToolCall
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.reach import Outgoing, Reach
from tools.testing import Peer, arguments_for

pytestmark = [pytest.mark.django_db, pytest.mark.both]

URL = "http://a.example/page"
NAMED, EVERY = ["a.example"], ["*"]
ASK = "needs_confirmation"


def decide(tool: Tool, user: User, arguments: dict[str, Any], **values: Any) -> Decision:
    context = context_for(user, **{"unattended": True, **values})
    return judge(prepare(tool, arguments, ToolCall(tool_slug=tool.slug), context), context)


def of_gate(decision: Decision) -> tuple[str, str]:
    (reason,) = [one for one in decision.reasons if one.gate == "unattended"]
    return told(reason)


def told(reason: Reason) -> tuple[str, str]:
    return reason.outcome, reason.reason_code


def fetch_tool(**config: Any) -> Tool:
    return ToolFactory.create(type="fetch", config=config)


# --- Inside ---


def test_reads_run(make: Make, alice: User, peer: Peer) -> None:
    assert run(make("echo"), alice, unattended=True).success
    assert peer.executed == ["hello"]


@pytest.mark.parametrize(("unattended", "waits"), [(True, True), (False, False)])
def test_a_write_waits_while_nobody_is_there(
    make: Make, alice: User, project: Project, unattended: bool, waits: bool
) -> None:
    outcome = run(make("rename"), alice, "Atlas", unattended=unattended)
    assert (outcome.draft is not None) == waits
    project.refresh_from_db()
    assert project.name == ("Demo" if waits else "Atlas")


def test_a_write_that_waited_is_done_when_its_person_confirms(
    make: Make, alice: User, project: Project
) -> None:
    draft = parked(make("rename"), alice, "Atlas", unattended=True)
    done = confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    assert done.state == DraftState.EXECUTED
    project.refresh_from_db()
    assert project.name == "Atlas"


# --- Sends ---


@pytest.mark.parametrize(("unattended", "sent"), [(True, 0), (False, 1)])
def test_nothing_is_sent_while_nobody_is_there(
    make: Make, alice: User, peer: Peer, unattended: bool, sent: int
) -> None:
    outcome = run(make("send", config={"risk": 2}), alice, unattended=unattended)
    assert len(peer.texts) == sent
    if unattended:
        assert outcome.error
        assert outcome.error.details["reason_code"] == "unattended_send"


def test_a_send_is_no_draft_either(make: Make, alice: User) -> None:
    run(make("send", needs_approval=True), alice, unattended=True)
    assert not ActionDraft.objects.exists()


def test_what_began_to_send_after_it_was_parked_is_refused(
    make: Make, alice: User, project: Project
) -> None:
    """By a change of the tool's type, say: confirming asks every gate again."""
    tool = make("rename")
    draft = parked(tool, alice, unattended=True)
    Tool.objects.filter(pk=tool.pk).update(type="fake_send")
    ActionDraft.objects.update(proposed_arguments={"text": "secret"})
    with pytest.raises(CallDenied):
        confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")


@pytest.mark.parametrize(
    "extra",
    [
        {"method": "POST"},
        {"method": "POST", "body": "x"},
        {"body": "x"},
        {"body": {"a": 1}},
        {"method": "GET", "body": ""},
    ],
)
@pytest.mark.parametrize("config", [{}, {"write_domains": NAMED}])
def test_a_fetch_that_sends_is_refused_wherever_it_goes(
    alice: User, extra: dict[str, Any], config: dict[str, Any]
) -> None:
    tool = fetch_tool(allowed_domains=NAMED, **config)
    assert of_gate(decide(tool, alice, {"url": URL, **extra})) == ("deny", "unattended_send")
    attended = decide(tool, alice, {"url": URL, **extra}, unattended=False)
    assert of_gate(attended) == ("allow", "attended")


# --- Fetches ---


@pytest.mark.parametrize(
    ("domains", "expected"),
    [
        (NAMED, ("allow", "host_named")),
        (["*.example"], ("allow", "host_named")),
        (["*", "a.example"], ("allow", "host_named")),
        (EVERY, ("deny", "unattended_host")),
        (["*", "b.example"], ("deny", "unattended_host")),
        (["*", "*.a.example"], ("deny", "unattended_host")),
    ],
)
def test_only_hosts_that_the_operator_named_are_asked(
    alice: User, domains: list[str], expected: tuple[str, str]
) -> None:
    decision = decide(fetch_tool(allowed_domains=domains), alice, {"url": URL})
    assert of_gate(decision) == expected
    assert decision.outcome == expected[0]


def test_the_users_own_words_name_no_host(alice: User) -> None:
    decision = decide(fetch_tool(), alice, {"url": URL}, user_urls=(URL,))
    assert of_gate(decision) == ("deny", "unattended_host")


def test_a_read_outside_that_says_not_where_is_refused(make: Make, alice: User) -> None:
    tool = make("open_echo")
    decision = decide(tool, alice, arguments_for(tool.type))
    assert of_gate(decision) == ("deny", "unattended_request")
    attended = decide(tool, alice, arguments_for(tool.type), unattended=False)
    assert attended.outcome == "allow"


def test_a_named_host_after_what_was_read_is_still_free(alice: User) -> None:
    tool = fetch_tool(allowed_domains=NAMED)
    read = frozenset({"private", "untrusted"})
    assert decide(tool, alice, {"url": URL}, provenance=read).outcome == "allow"


# --- Redirects ---


def redirected(alice: User, location: str, domains: list[str], **values: Any) -> CallOutcome:
    moved = http_answer(status="302 Moved", headers={"Location": location})
    answers = [moved, http_answer(body=b"arrived")]
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(answers.pop(0))) as server,
        use_network(FakeNetwork(server.address).network),
    ):
        context = context_for(alice, **values)
        outcome = call_tool(fetch_tool(allowed_domains=domains), {"url": URL}, context)
    assert len(answers) == (0 if outcome.result else 1)  # nobody asked for the second one
    return outcome


@pytest.mark.parametrize("location", ["/other", "http://b.example/"])
def test_a_redirect_among_named_hosts_is_followed(alice: User, location: str) -> None:
    domains = ["*", "a.example", "b.example"]
    assert redirected(alice, location, domains, unattended=True).result is not None


def test_a_redirect_to_another_host_is_not(alice: User) -> None:
    domains = ["*", "a.example"]
    refused = redirected(alice, "http://b.example/", domains, unattended=True)
    assert refused.error
    assert refused.error.code == "redirect_not_allowed"
    assert redirected(alice, "http://b.example/", domains).result is not None


@pytest.mark.parametrize("named", [True, False])
def test_the_rule_of_reach_is_the_same_for_every_hop(named: bool) -> None:
    reach = Reach(user_urls=(URL,), unattended=True)
    assert reach.judge(Outgoing(URL, named_host=named)).free == named
