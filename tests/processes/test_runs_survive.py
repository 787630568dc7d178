"""Web processes killed at every step of a run: each effect exactly once, each run resumed once."""

import threading
from contextlib import suppress

import httpx
import pytest

from agents.models import Message, MessageRole, Run, RunEvent, RunStatus, RunStep
from config.base.models import User
from documents.models import Document, DocumentVersion
from skills.models import AuditEvent
from tests.processes.harness import Product, Server
from tests.processes.people import agent_with, person
from tests.processes.waiting import until
from tools.enums import CallStatus, DraftState
from tools.models import ActionDraft, ToolCall

QUICK = {"GATEHOUSE_RUN_LEASE_SECONDS": "2", "GATEHOUSE_RUN_SWEEP_SECONDS": "1"}
CREATE = "create a document called Notes with the content Hello there"
DELETE = "delete the document Notes"


def say(server: Server, token: str, text: str, *, key: str) -> httpx.Response:
    body = {"text": text, "enable_tools": True}
    headers = {"Idempotency-Key": key}
    return server.client(token).post("/api/agent/messages/", json=body, headers=headers)


def say_and_die(server: Server, token: str, text: str, *, key: str) -> None:
    """The server kills itself on the way, so there may be no answer."""
    with suppress(httpx.TransportError):
        say(server, token, text, key=key)
    server.wait_killed()


def finished_run() -> Run | None:
    return Run.objects.filter(status__in=(RunStatus.COMPLETED, RunStatus.FAILED)).first()


def assert_told_once(run: Run) -> None:
    """One answer, one end, events without a gap, steps in order."""
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED, (run.error_code, run.error_message)
    assert Message.objects.filter(run=run, role=MessageRole.ASSISTANT).count() == 1
    events = list(RunEvent.objects.filter(run=run).values_list("seq", "type"))
    assert [seq for seq, _type in events] == list(range(1, len(events) + 1))
    assert [type_ for _seq, type_ in events].count("run.finished") == 1
    steps = list(RunStep.objects.filter(run=run).values_list("n", flat=True))
    assert steps == list(range(1, len(steps) + 1))
    assert AuditEvent.objects.filter(action="run.finished", run_id=run.pk).count() == 1


@pytest.mark.parametrize(
    "fault",
    [
        "run.claimed",
        "step.asked",
        "step.replied",
        "call.opened",
        "call.effect",
        "call.executed",
        "step.result",
        "run.answering",
    ],
)
def test_a_run_killed_at_any_step_writes_its_document_once(product: Product, fault: str) -> None:
    product.extra = dict(QUICK)
    user, token = person("alice")
    agent_with("document")
    say_and_die(product.start(faults=[fault]), token, CREATE, key="one")
    assert product.fired() == {fault}

    server = product.start()
    run = until(finished_run)
    assert run is not None
    assert_told_once(run)
    assert Document.objects.for_user(user).filter(title="Notes").count() == 1
    assert ToolCall.objects.filter(run_id=run.pk, status=CallStatus.SUCCESS).count() == 1
    assert AuditEvent.objects.filter(action="document.created").count() == 1
    again = say(server, token, CREATE, key="one")
    assert again.json()["run_id"] == str(run.pk)  # the repeated send joins the run
    assert Run.objects.count() == 1


@pytest.fixture
def notes(product: Product) -> tuple[Product, User, str]:
    """Alice has the document Notes; nothing runs."""
    product.extra = dict(QUICK)
    user, token = person("alice")
    agent_with("document")
    Document.objects.create(owner=user, title="Notes", content="Hello there", type="document")
    return product, user, token


def confirm(server: Server, token: str, draft: ActionDraft, *, key: str) -> httpx.Response:
    return server.client(token).post(
        f"/api/agent/actions/{draft.pk}/confirm/",
        json={"expected_version": draft.version, "idempotency_key": key},
    )


def waiting_draft() -> ActionDraft | None:
    return ActionDraft.objects.waiting().first()


def assert_deleted_once(user: User) -> None:
    assert not Document.objects.for_user(user).exists()
    assert DocumentVersion.objects.filter(change="deleted").count() == 1
    assert AuditEvent.objects.filter(action="document.deleted").count() == 1
    draft = ActionDraft.objects.get()
    assert draft.state == DraftState.EXECUTED
    assert draft.receipt
    assert draft.call.status == CallStatus.SUCCESS


@pytest.mark.parametrize("fault", ["call.parked", "run.paused"])
def test_a_card_survives_the_process_that_made_it(
    notes: tuple[Product, User, str], fault: str
) -> None:
    product, user, token = notes
    say_and_die(product.start(faults=[fault]), token, DELETE, key="one")
    assert Document.objects.for_user(user).count() == 1

    server = product.start()
    draft = until(waiting_draft)
    assert draft is not None
    until(lambda: Run.objects.filter(status=RunStatus.WAITING).exists())
    answer = confirm(server, token, draft, key="yes")
    assert answer.status_code == 200, answer.text
    assert answer.json()["response"]["status"] == "COMPLETED"
    assert_deleted_once(user)
    assert_told_once(Run.objects.get())


@pytest.mark.parametrize("fault", ["draft.deciding", "draft.confirmed", "step.result"])
def test_a_confirmation_killed_on_the_way_happens_once(
    notes: tuple[Product, User, str], fault: str
) -> None:
    product, user, token = notes
    first = product.start()
    assert say(first, token, DELETE, key="one").json()["status"] == "NEEDS_CONFIRMATION"
    first.kill()
    draft = ActionDraft.objects.get()

    dying = product.start(faults=[fault])
    with suppress(httpx.TransportError):
        confirm(dying, token, draft, key="yes")
    dying.wait_killed()

    server = product.start()
    answer = confirm(server, token, draft, key="yes")
    assert answer.status_code == 200, answer.text
    run = until(finished_run)
    assert run is not None
    assert_deleted_once(user)
    assert_told_once(run)
    assert confirm(server, token, draft, key="yes").json()["receipt"] == answer.json()["receipt"]


def test_two_tabs_on_two_processes_confirm_once(notes: tuple[Product, User, str]) -> None:
    product, user, token = notes
    servers = [product.start(), product.start()]
    assert say(servers[0], token, DELETE, key="one").json()["status"] == "NEEDS_CONFIRMATION"
    draft = ActionDraft.objects.get()
    answers: list[httpx.Response] = []
    tabs = [
        threading.Thread(
            target=lambda n=n: answers.append(confirm(servers[n % 2], token, draft, key=f"tab{n}"))
        )
        for n in range(6)
    ]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    refused = [answer.json() for answer in answers if answer.status_code == 409]
    assert {body["errors"][0]["code"] for body in refused} == {"already_decided"}
    run = until(finished_run)
    assert run is not None
    assert_deleted_once(user)
    assert_told_once(run)


def test_a_dismissed_card_leaves_the_document(notes: tuple[Product, User, str]) -> None:
    product, user, token = notes
    server = product.start()
    say(server, token, DELETE, key="one")
    draft = ActionDraft.objects.get()
    answer = server.client(token).post(
        f"/api/agent/actions/{draft.pk}/dismiss/", json={"reason": "I still need it"}
    )
    assert answer.status_code == 200
    assert answer.json()["response"]["status"] == "COMPLETED"
    assert Document.objects.for_user(user).count() == 1
    assert_told_once(Run.objects.get())
