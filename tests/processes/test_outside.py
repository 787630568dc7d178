"""Acts outside, killed between intent, sending and receipt: at most once, never silent."""

from contextlib import suppress

import httpx
import pytest

from agents.model_clients.protocol import ModelReply, ToolRequest
from agents.models import Run, RunStatus
from agents.testing import ServerScript, scripted_server
from skills.models import AuditEvent
from tests.processes.harness import Product, Server
from tests.processes.peers import Peer, counting_peer
from tests.processes.people import agent_with, person
from tests.processes.waiting import until
from tools.enums import CallStatus, DraftState
from tools.models import ActionDraft, Tool

QUICK = {
    "GATEHOUSE_RUN_LEASE_SECONDS": "2",
    "GATEHOUSE_RUN_SWEEP_SECONDS": "1",
    "GATEHOUSE_CALL_SETTLE_SECONDS": "0",
}
CONFIG = {"allowed_private_networks": ["127.0.0.1/32"], "timeout_ms": 1000}


def order(peer: Peer) -> dict[str, str]:
    return {"url": peer.url, "method": "POST", "body": '{"amount": 1}'}


def draft_of_direct_call(server: Server, token: str, peer: Peer) -> ActionDraft:
    tool = Tool.objects.get(slug="fetch")
    answer = server.client(token).post(
        f"/api/agent-tools/{tool.pk}/execute/", json={"input": order(peer), "confirm": True}
    )
    assert answer.json()["decision"]["outcome"] == "needs_confirmation", answer.text
    return ActionDraft.objects.get()


def confirm(server: Server, token: str, draft: ActionDraft, *, key: str = "yes") -> httpx.Response:
    return server.client(token).post(
        f"/api/agent/actions/{draft.pk}/confirm/",
        json={"expected_version": draft.version, "idempotency_key": key},
    )


def resolve(server: Server, token: str, draft: ActionDraft, outcome: str) -> httpx.Response:
    return server.client(token).post(
        f"/api/agent/actions/{draft.pk}/resolve/",
        json={"expected_version": draft.version, "outcome": outcome},
    )


def unknown_draft() -> ActionDraft | None:
    return ActionDraft.objects.filter(state=DraftState.OUTCOME_UNKNOWN).first()


@pytest.mark.parametrize(("fault", "sent"), [("draft.confirmed", 0), ("call.sent", 1)])
@pytest.mark.parametrize("outcome", ["done", "retry"])
def test_a_post_that_died_in_between_is_not_repeated_by_itself(
    product: Product, fault: str, sent: int, outcome: str
) -> None:
    product.extra = dict(QUICK)
    _operator, token = person("operator", staff=True)
    Tool.objects.filter(slug="fetch").update(config=CONFIG)
    with counting_peer() as peer:
        dying = product.start(faults=[fault])
        draft = draft_of_direct_call(dying, token, peer)
        with suppress(httpx.TransportError):
            confirm(dying, token, draft)
        dying.wait_killed()
        assert len(peer.keys) == sent

        server = product.start()
        draft = until(unknown_draft)  # type: ignore[assignment]  # true, so there is one
        assert len(peer.keys) == sent
        draft.call.refresh_from_db()
        assert draft.call.status == CallStatus.OUTCOME_UNKNOWN
        repeated = confirm(server, token, draft, key="yes").json()
        assert repeated["draft"]["state"] == "outcome_unknown"
        assert confirm(server, token, draft, key="again").status_code == 409
        assert AuditEvent.objects.filter(reason_code="outcome_unknown").count() == 1

        answer = resolve(server, token, draft, outcome)
        assert answer.status_code == 200, answer.text
        draft.refresh_from_db()
        if outcome == "done":
            assert draft.state == DraftState.EXECUTED
            assert len(peer.keys) == sent
            return
        assert draft.state == DraftState.DRAFT
        assert confirm(server, token, draft, key="second").json()["draft"]["state"] == "executed"
        assert len(peer.keys) == sent + 1
        assert len(set(peer.keys)) == 1  # the same key for the same request: a peer can tell


def test_a_run_goes_on_when_its_post_is_lost(product: Product) -> None:
    """A hosted model asks for the POST, a person confirms, the process dies after sending."""
    _user, token = person("alice")
    agent_with("fetch")
    Tool.objects.filter(slug="fetch").update(config=CONFIG)
    with counting_peer() as peer:
        script = ServerScript(
            [
                ModelReply(tool_calls=(ToolRequest("c1", "fetch", order(peer)),)),
                ModelReply("I can't tell whether it arrived."),
            ]
        )
        with scripted_server(script) as (base_url, _script):
            product.extra = {
                **QUICK,
                "GATEHOUSE_MODEL": "openai/scripted",
                "GATEHOUSE_MODEL_BASE_URL": base_url,
                "GATEHOUSE_MODEL_API_KEY": "none",
            }
            dying = product.start(faults=["call.sent"])
            said = dying.client(token).post(
                "/api/agent/messages/", json={"text": "Order one.", "enable_tools": True}
            )
            assert said.json()["status"] == "NEEDS_CONFIRMATION", said.text
            assert said.json()["action_draft"]["risk"] == "L3"
            with suppress(httpx.TransportError):
                confirm(dying, token, ActionDraft.objects.get())
            dying.wait_killed()

            product.start()
            run = until(lambda: Run.objects.filter(status=RunStatus.COMPLETED).first())
            assert run is not None
            assert len(peer.keys) == 1
            assert ActionDraft.objects.get().state == DraftState.OUTCOME_UNKNOWN
            assert "outcome_unknown" in str(script.bodies[-1]["messages"])
