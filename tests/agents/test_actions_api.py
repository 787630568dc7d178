"""The inbox over the API: drafts, and the five decisions, each once, each audited."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents import selectors
from agents.models import Message, MessageRole, Run, RunStatus
from agents.testing import ScriptedClient
from config.base.models import Scope, User
from documents.models import Document
from skills.models import AuditEvent
from tests.agents.cards import make_document, parked, parked_delete
from tests.agents.conftest import Turn, asks, call, says
from tests.clients import codes_of, with_session, with_token
from tools.enums import DraftState
from tools.models import ActionDraft, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]

URL = "/api/agent/actions/"
BODIES: dict[str, dict[str, Any]] = {
    "confirm": {"expected_version": 1, "idempotency_key": "k"},
    "dismiss": {},
    "respond": {"message": "Rename it instead"},
    "resolve": {"expected_version": 1, "outcome": "done"},
}
DECISIONS = sorted(BODIES)


@pytest.fixture
def client(alice: User) -> APIClient:
    return with_token(alice)


@pytest.fixture
def notes(alice: User) -> Document:
    return make_document(alice)


@pytest.fixture
def draft(alice: User, notes: Document) -> ActionDraft:
    """Outside of any run."""
    return parked_delete(alice, notes)


def post(client: APIClient, draft: ActionDraft, act: str, **body: Any) -> Any:
    return client.post(f"{URL}{draft.pk}/{act}/", {**BODIES[act], **body})


def patch(client: APIClient, draft: ActionDraft, version: int = 1, **arguments: Any) -> Any:
    body = {"expected_version": version, "arguments": arguments}
    return client.patch(f"{URL}{draft.pk}/", body)


def expire(draft: ActionDraft) -> None:
    ActionDraft.objects.filter(pk=draft.pk).update(expires_at=Now() - timedelta(seconds=1))


def put_in(draft: ActionDraft, state: DraftState) -> None:
    ActionDraft.objects.filter(pk=draft.pk).update(state=state)


def audited(action: str) -> AuditEvent:
    return AuditEvent.objects.get(action=action)


# --- Looking ---


def test_drafts_are_listed_newest_first_and_are_ones_own(
    client: APIClient, alice: User, bob: User
) -> None:
    mine = [parked_delete(alice) for _ in range(3)]
    parked_delete(bob)
    body = client.get(URL).json()
    assert body["count"] == 3
    assert [row["id"] for row in body["results"]] == [str(d.pk) for d in reversed(mine)]


def test_a_draft_is_shown_whole(client: APIClient, draft: ActionDraft, notes: Document) -> None:
    body = client.get(f"{URL}{draft.pk}/").json()
    assert body == client.get(URL).json()["results"][0]
    assert (body["id"], body["version"], body["state"], body["kind"]) == (
        str(draft.pk),
        1,
        "draft",
        "action",
    )
    assert body["arguments"] == body["proposed_arguments"]
    assert (body["executed_arguments"], body["receipt"], body["error"]) == (None, None, None)
    assert body["targets"] == [
        {"type": "document", "id": str(notes.pk), "version": 1, "title": "Notes"}
    ]
    assert body["preview"]["text"] == "Hello"
    assert set(body["decision"]) >= {"outcome", "gate", "reason_code", "reason", "reasons"}
    assert (body["run_id"], body["conversation_id"]) == (None, None)


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("waiting", {"draft", "needs_input"}),
        ("draft", {"draft"}),
        ("executed", {"executed"}),
        ("failed", set()),
    ],
)
def test_a_state_narrows_the_list(
    client: APIClient, alice: User, state: str, found: set[str]
) -> None:
    for other in (DraftState.NEEDS_INPUT, DraftState.EXECUTED, DraftState.OUTCOME_UNKNOWN):
        put_in(parked_delete(alice), other)
    parked_delete(alice)
    results = client.get(URL, {"state": state}).json()["results"]
    assert {row["state"] for row in results} == found


@pytest.mark.parametrize("state", ["", "done", "DRAFT", "draft,executed", "\x00"])
def test_an_unknown_state_is_400(client: APIClient, state: str) -> None:
    response = client.get(URL, {"state": state})
    assert (response.status_code, codes_of(response)) == (400, ["invalid"])
    assert response.json()["errors"][0]["attr"] == "state"


def test_a_longer_list_costs_no_more_queries(client: APIClient, alice: User) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(URL).status_code == 200
        return len(captured)

    parked_delete(alice)
    client.get(URL)  # the token notes its use once
    assert cost() == 3  # token, count, rows
    for _ in range(10):
        parked_delete(alice)
    assert cost() == 3


# --- The same for each decision ---


def test_deciding_needs_a_sign_in(draft: ActionDraft) -> None:
    for act in DECISIONS:
        response = post(APIClient(), draft, act)
        assert (response.status_code, codes_of(response)) == (401, ["not_authenticated"])
    assert APIClient().get(f"{URL}{draft.pk}/").status_code == 401
    assert patch(APIClient(), draft).status_code == 401


def test_a_token_decides_only_with_the_scope_for_it(alice: User, draft: ActionDraft) -> None:
    """The default token may look and talk, and not approve what it asked for."""
    default = with_token(alice, [scope for scope in Scope.values if scope != "actions:confirm"])
    for response in [*(post(default, draft, act) for act in DECISIONS), patch(default, draft)]:
        assert (response.status_code, codes_of(response)) == (403, ["scope_missing"])
    assert default.get(f"{URL}{draft.pk}/").json()["state"] == "draft"
    assert default.head(f"{URL}{draft.pk}/").status_code == 200
    only = with_token(alice, ["actions:confirm"])
    assert only.get(URL).status_code == 403
    assert post(only, draft, "confirm").status_code == 200


def test_a_session_decides_with_its_csrf_token_only(alice: User, draft: ActionDraft) -> None:
    client = with_session(alice, csrf=True)
    assert post(client, draft, "confirm").status_code == 403
    client.get("/")
    url = f"{URL}{draft.pk}/confirm/"
    token = client.cookies["csrftoken"].value
    assert client.post(url, BODIES["confirm"], HTTP_X_CSRFTOKEN=token).status_code == 200


@pytest.mark.parametrize("act", DECISIONS)
def test_somebody_elses_draft_is_404_and_stays(
    bob: User, operator: User, draft: ActionDraft, act: str
) -> None:
    for user in (bob, operator):
        response = post(with_token(user), draft, act)
        assert (response.status_code, codes_of(response)) == (404, ["not_found"])
        assert patch(with_token(user), draft).status_code == 404
    draft.refresh_from_db()
    assert (draft.state, draft.version) == ("draft", 1)


@pytest.mark.parametrize("act", DECISIONS)
def test_a_draft_that_never_was_is_404(client: APIClient, act: str) -> None:
    response = client.post(f"{URL}{uuid4()}/{act}/", BODIES[act])
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])


@pytest.mark.parametrize("act", DECISIONS)
@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_decisions_are_posted(client: APIClient, draft: ActionDraft, act: str, method: str) -> None:
    response = getattr(client, method)(f"{URL}{draft.pk}/{act}/")
    assert (response.status_code, codes_of(response)) == (405, ["method_not_allowed"])


@pytest.mark.parametrize(
    ("act", "body", "attr", "code"),
    [
        ("confirm", {}, None, None),
        ("confirm", {"expected_version": 1}, "idempotency_key", "required"),
        ("confirm", {"idempotency_key": "k"}, "expected_version", "required"),
        ("confirm", {"expected_version": 0, "idempotency_key": "k"}, "expected_version", None),
        ("confirm", {"expected_version": 1, "idempotency_key": " "}, "idempotency_key", "blank"),
        (
            "confirm",
            {"expected_version": 1, "idempotency_key": "k" * 201},
            "idempotency_key",
            "max_length",
        ),
        (
            "confirm",
            {"expected_version": 1, "idempotency_key": "a\x00"},
            "idempotency_key",
            "null_characters_not_allowed",
        ),
        (
            "confirm",
            {"expected_version": 1, "idempotency_key": "k", "arguments": [1]},
            "arguments",
            "not_a_dict",
        ),
        (
            "confirm",
            {"expected_version": 1, "idempotency_key": "k", "force": True},
            "force",
            "unknown_field",
        ),
        ("dismiss", {"reason": "x" * 2001}, "reason", "max_length"),
        ("dismiss", {"why": "x"}, "why", "unknown_field"),
        ("respond", {}, "message", "required"),
        ("respond", {"message": "  "}, "message", "blank"),
        ("respond", {"message": "x" * 2001}, "message", "max_length"),
        ("resolve", {"expected_version": 1}, "outcome", "required"),
        ("resolve", {"expected_version": 1, "outcome": "maybe"}, "outcome", "invalid_choice"),
        ("resolve", {"expected_version": "x", "outcome": "done"}, "expected_version", "invalid"),
    ],
)
def test_a_body_that_is_wrong_is_400_and_decides_nothing(
    client: APIClient,
    draft: ActionDraft,
    act: str,
    body: dict[str, Any],
    attr: str | None,
    code: str | None,
) -> None:
    response = client.post(f"{URL}{draft.pk}/{act}/", body)
    assert response.status_code == 400
    errors = response.json()["errors"]
    assert attr is None or [error["attr"] for error in errors] == [attr]
    assert code is None or [error["code"] for error in errors] == [code]
    draft.refresh_from_db()
    assert draft.state == "draft"


# --- confirm ---


def test_confirming_does_it_once_and_gives_the_receipt(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    response = post(client, draft, "confirm")
    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"draft", "receipt", "result", "response"}
    assert body["draft"]["state"] == "executed"
    assert body["receipt"] == body["draft"]["receipt"]
    assert (body["receipt"]["action"], body["receipt"]["id"]) == ("delete", str(notes.pk))
    assert body["response"] is None  # no run waits for it
    assert not Document.objects.exists()
    assert audited("draft.confirmed").target_id == str(draft.pk)
    assert audited("document.deleted").target_id == str(notes.pk)


def test_the_same_key_gives_the_same_receipt(client: APIClient, draft: ActionDraft) -> None:
    first = post(client, draft, "confirm")
    again = post(client, draft, "confirm")
    assert (again.status_code, again.json()) == (200, first.json())
    other = post(client, draft, "confirm", expected_version=9)
    assert (other.status_code, codes_of(other)) == (422, ["idempotency_key_reused"])
    assert audited("draft.confirmed")


def test_another_key_is_409_with_the_draft_as_it_is(client: APIClient, draft: ActionDraft) -> None:
    post(client, draft, "confirm")
    response = post(client, draft, "confirm", idempotency_key="other")
    assert (response.status_code, codes_of(response)) == (409, ["already_decided"])
    assert response.json()["draft"]["state"] == "executed"


def test_a_stale_version_is_409_with_the_draft_as_it_is(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    response = post(client, draft, "confirm", expected_version=2)
    assert (response.status_code, codes_of(response)) == (409, ["stale_version"])
    assert response.json()["draft"]["version"] == 1
    assert Document.objects.filter(pk=notes.pk).exists()


def test_a_target_that_moved_is_409_with_a_fresh_draft_that_can_be_confirmed(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    Document.objects.filter(pk=notes.pk).update(content="Not what was shown", revision=2)
    response = post(client, draft, "confirm")
    assert (response.status_code, codes_of(response)) == (409, ["target_changed"])
    fresh = response.json()["draft"]
    assert (fresh["id"], fresh["version"], fresh["state"]) == (str(draft.pk), 2, "draft")
    assert fresh["preview"]["text"] == "Not what was shown"
    assert fresh["targets"][0]["version"] == 2
    assert Document.objects.filter(pk=notes.pk).exists()
    assert post(client, draft, "confirm", expected_version=2).status_code == 200
    assert not Document.objects.exists()


def test_conditions_that_changed_are_409_with_a_fresh_draft(
    client: APIClient, draft: ActionDraft
) -> None:
    Tool.objects.filter(slug="document").update(needs_approval=True)
    response = post(client, draft, "confirm")
    assert (response.status_code, codes_of(response)) == (409, ["conditions_changed"])
    assert response.json()["draft"]["version"] == 2


def test_a_gate_that_says_no_by_now_is_403_with_its_decision(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    Tool.objects.filter(slug="document").update(enabled=False)
    response = post(client, draft, "confirm")
    assert (response.status_code, codes_of(response)) == (403, ["denied"])
    body = response.json()
    assert (body["decision"]["outcome"], body["decision"]["gate"]) == ("deny", "enabled")
    assert (body["draft"]["state"], body["draft"]["reason"]) == ("dismissed", "denied")
    assert Document.objects.filter(pk=notes.pk).exists()


def test_an_expired_draft_is_410(client: APIClient, draft: ActionDraft, notes: Document) -> None:
    expire(draft)
    response = post(client, draft, "confirm")
    assert (response.status_code, codes_of(response)) == (410, ["expired"])
    assert (response.json()["draft"]["state"], response.json()["draft"]["reason"]) == (
        "dismissed",
        "expired",
    )
    assert Document.objects.filter(pk=notes.pk).exists()
    assert audited("draft.dismissed").reason_code == "expired"


@pytest.mark.parametrize("act", ["confirm", "dismiss", "respond"])
def test_an_expired_draft_stays_expired_whatever_comes(
    client: APIClient, draft: ActionDraft, act: str
) -> None:
    expire(draft)
    for _ in range(2):
        response = post(client, draft, act)
        assert (response.status_code, codes_of(response)) == (410, ["expired"])
        assert response.json()["draft"]["state"] == "dismissed"
    assert patch(client, draft).status_code == 410


def test_what_is_not_editable_can_not_be_edited(
    client: APIClient, draft: ActionDraft, alice: User
) -> None:
    other = make_document(alice, "Other")
    response = post(client, draft, "confirm", arguments={"id": str(other.pk)})
    assert (response.status_code, codes_of(response)) == (400, ["not_editable"])
    assert Document.objects.count() == 2


@pytest.fixture
def creation(alice: User) -> ActionDraft:
    """A draft with fields that a person may edit."""
    Tool.objects.filter(slug="document").update(needs_approval=True)
    return parked(alice, {"action": "create", "title": "Plan", "content": "One"})


def test_a_person_may_edit_what_is_editable_and_that_is_done(
    client: APIClient, creation: ActionDraft
) -> None:
    body = post(client, creation, "confirm", arguments={"content": "Two"}).json()
    assert Document.objects.get().content == "Two"
    assert body["draft"]["proposed_arguments"]["content"] == "One"
    assert body["draft"]["executed_arguments"]["content"] == "Two"


@pytest.mark.parametrize(
    "edit", [{"content": ""}, {"content": ["x"]}, {"title": "x" * 5000}, {"tags": {"a": 1}}]
)
def test_an_edit_that_does_not_fit_is_400_and_changes_nothing(
    client: APIClient, creation: ActionDraft, edit: dict[str, Any]
) -> None:
    response = post(client, creation, "confirm", arguments=edit)
    assert response.status_code == 400, response.json()
    creation.refresh_from_db()
    assert (creation.state, creation.version) == ("draft", 1)
    assert not Document.objects.exists()


@pytest.mark.both
@pytest.mark.parametrize("escaped", [r"a\u0000b", r"\ud800", r"\udfff\u0000"])
def test_an_edit_that_no_database_can_hold_breaks_nothing(
    client: APIClient, creation: ActionDraft, escaped: str
) -> None:
    body = json.dumps({**BODIES["confirm"], "arguments": {"content": "?"}}).replace("?", escaped)
    url = f"{URL}{creation.pk}/confirm/"
    response = client.generic("POST", url, body, content_type="application/json")
    assert response.status_code in (200, 400)
    assert client.get(URL).status_code == 200


# --- dismiss and respond ---


def test_dismissing_leaves_everything_as_it_was(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    response = post(client, draft, "dismiss", reason="I still need it")
    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"draft", "response"}
    assert (body["draft"]["state"], body["draft"]["reason"], body["draft"]["reason_text"]) == (
        "dismissed",
        "refused",
        "I still need it",
    )
    assert Document.objects.filter(pk=notes.pk).exists()
    event = audited("draft.dismissed")
    assert (event.reason_code, event.outcome) == ("refused", "cancelled")
    assert "still need" not in str(AuditEvent.objects.filter(pk=event.pk).values().get())
    assert post(client, draft, "dismiss").status_code == 200  # twice is once
    assert audited("draft.dismissed")


def test_answering_instead_leaves_everything_as_it_was(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    body = post(client, draft, "respond").json()
    assert (body["draft"]["reason"], body["draft"]["reason_text"]) == (
        "answered",
        "Rename it instead",
    )
    assert Document.objects.filter(pk=notes.pk).exists()
    assert audited("draft.dismissed").reason_code == "answered"


@pytest.mark.parametrize("first", ["confirm", "dismiss", "respond"])
@pytest.mark.parametrize("second", ["confirm", "dismiss", "respond", "resolve"])
def test_what_was_decided_stays_decided(
    client: APIClient, draft: ActionDraft, first: str, second: str
) -> None:
    if first == second:
        return
    assert post(client, draft, first).status_code == 200
    response = post(client, draft, second)
    assert (response.status_code, codes_of(response)) == (409, ["already_decided"])
    assert response.json()["draft"]["id"] == str(draft.pk)


# --- resolve ---


def test_only_what_nobody_knows_can_be_resolved(client: APIClient, draft: ActionDraft) -> None:
    response = post(client, draft, "resolve")
    assert (response.status_code, codes_of(response)) == (409, ["already_decided"])


def test_a_person_says_that_it_was_done(client: APIClient, draft: ActionDraft) -> None:
    put_in(draft, DraftState.OUTCOME_UNKNOWN)
    assert post(client, draft, "resolve", expected_version=2).status_code == 409
    body = post(client, draft, "resolve").json()
    assert set(body) == {"draft", "receipt", "result", "response"}
    assert (body["draft"]["state"], body["receipt"]) == ("executed", {"resolved_by_person": True})
    assert audited("draft.resolved").reason_code == "done"


def test_a_person_says_that_it_is_to_be_tried_again(
    client: APIClient, draft: ActionDraft, notes: Document
) -> None:
    put_in(draft, DraftState.OUTCOME_UNKNOWN)
    body = post(client, draft, "resolve", outcome="retry").json()
    assert (body["draft"]["state"], body["draft"]["version"]) == ("draft", 2)
    assert Document.objects.filter(pk=notes.pk).exists()
    assert audited("draft.resolved").reason_code == "retry"
    assert post(client, draft, "confirm", expected_version=2).json()["draft"]["state"] == "executed"


# --- revise ---


def test_a_draft_is_revised_as_its_next_version(client: APIClient, creation: ActionDraft) -> None:
    response = patch(client, creation, content="Two")
    assert response.status_code == 200
    body = response.json()
    assert (body["version"], body["state"], body["arguments"]["content"]) == (2, "draft", "Two")
    assert (body["preview"]["text"], body["proposed_arguments"]["content"]) == ("Two", "One")
    assert audited("draft.revised").target_id == str(creation.pk)
    assert post(client, creation, "confirm").status_code == 409  # not what is shown now
    assert post(client, creation, "confirm", expected_version=2).status_code == 200
    assert Document.objects.get().content == "Two"


@pytest.mark.parametrize(
    ("version", "arguments", "status", "code"),
    [
        (2, {"content": "Two"}, 409, "stale_version"),
        (1, {"action": "delete"}, 400, "not_editable"),
        (1, {"content": ["x"]}, 400, "invalid_arguments"),
        (1, {"anything": 1}, 400, "not_editable"),
    ],
)
def test_a_revision_that_does_not_fit_is_refused(
    client: APIClient,
    creation: ActionDraft,
    version: int,
    arguments: dict[str, Any],
    status: int,
    code: str,
) -> None:
    response = patch(client, creation, version, **arguments)
    assert (response.status_code, codes_of(response)) == (status, [code])
    creation.refresh_from_db()
    assert creation.version == 1


def test_a_failed_draft_is_edited_and_tried_again(client: APIClient, creation: ActionDraft) -> None:
    ActionDraft.objects.update(state=DraftState.FAILED, error_code="quota", error_message="Full.")
    shown = client.get(f"{URL}{creation.pk}/").json()
    assert shown["error"] == {"code": "quota", "message": "Full."}
    body = patch(client, creation, content="Less").json()
    assert (body["state"], body["error"], body["version"]) == ("draft", None, 2)
    assert post(client, creation, "confirm", expected_version=2).status_code == 200


# --- The run that waited ---


def asked_to_delete(*documents: Document) -> Any:
    calls = [
        call("document", {"action": "delete", "id": str(d.pk)}, id_=str(d.pk)) for d in documents
    ]
    return asks(*calls)


def test_the_answer_holds_the_response_of_the_run_that_went_on(
    client: APIClient, alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asked_to_delete(notes), says("Deleted.")]
    run = turn(alice, "delete Notes")
    draft = ActionDraft.objects.get()
    body = post(client, draft, "confirm").json()
    assert body["draft"]["run_id"] == str(run.pk)
    assert (body["response"]["status"], body["response"]["answer"]) == ("COMPLETED", "Deleted.")
    again = post(client, draft, "confirm").json()
    assert again == body


@pytest.mark.parametrize("act", ["confirm", "dismiss", "respond"])
def test_while_others_wait_there_is_no_response_yet(
    client: APIClient,
    alice: User,
    turn: Turn,
    model: ScriptedClient,
    notes: Document,
    act: str,
) -> None:
    model.script = [asked_to_delete(notes, make_document(alice, "Other")), says("As you said.")]
    turn(alice, "delete both")
    first, second = ActionDraft.objects.order_by("created_at")
    response = post(client, first, act)
    assert (response.status_code, response.json()["response"]) == (200, None)
    body = post(client, second, "dismiss").json()
    assert body["response"]["answer"] == "As you said."


def test_a_run_that_waits_anew_says_for_what(
    client: APIClient, alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    other = make_document(alice, "Other")
    model.script = [asked_to_delete(notes), asked_to_delete(other), says("Both are gone.")]
    turn(alice, "delete one after the other")
    body = post(client, ActionDraft.objects.get(), "confirm").json()
    assert body["response"]["status"] == "NEEDS_CONFIRMATION"
    assert body["response"]["action_draft"]["targets"][0]["id"] == str(other.pk)


def test_a_run_that_takes_too_long_is_202(
    client: APIClient,
    alice: User,
    turn: Turn,
    model: ScriptedClient,
    notes: Document,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model.script = [asked_to_delete(notes)]
    turn(alice, "delete Notes")
    monkeypatch.setattr("agents.api.drafts.wait_for_run", selectors.wait_for_run)
    settings.RUN_WAIT_SECONDS = 0
    response = post(client, ActionDraft.objects.get(), "confirm")
    assert response.status_code == 202
    assert response.json()["draft"]["state"] == "executed"
    assert response.json()["response"]["status"] == "RUNNING"


def test_a_retry_after_the_run_ended_leaves_its_receipt_in_the_conversation(
    client: APIClient, alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asked_to_delete(notes), says("It failed.")]
    run = turn(alice, "delete Notes")
    draft = ActionDraft.objects.get()
    put_in(draft, DraftState.FAILED)
    ActionDraft.objects.get().call.__class__.objects.update(status="error")
    Run.objects.update(status=RunStatus.COMPLETED, response_status="COMPLETED")
    assert patch(client, draft).json()["version"] == 2
    for _ in range(2):
        assert post(client, draft, "confirm", expected_version=2).status_code == 200
    receipt = Message.objects.get(role=MessageRole.RECEIPT)
    assert receipt.draft_id == draft.pk
    assert receipt.conversation_id == run.conversation_id
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED
    assert len(model.requests) == 1
