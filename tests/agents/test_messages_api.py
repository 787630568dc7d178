"""POST /api/agent/messages/: the whole response, 202, keys, scopes, errors; then its runs."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents import selectors
from agents.models import Agent, Message, Run, RunStatus
from agents.testing import ScriptedClient
from config.base.models import Scope, User
from documents.models import Document
from skills.models import AuditEvent
from tests.agents.cards import conversation_of, make_document, run_of
from tests.agents.conftest import asks, call, says
from tests.clients import codes_of, token_of, with_session, with_token
from tests.factories import MembershipFactory
from tools.models import ActionDraft, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guide", "inline_runs")]

URL = "/api/agent/messages/"
RESPONSE = {
    "run_id",
    "conversation_id",
    "context_version",
    "intent",
    "status",
    "answer",
    "source_summary",
    "citations",
    "resources",
    "data",
    "action_draft",
    "clarification",
    "next_actions",
    "error",
    "warnings",
    "usage",
}
DRAFT = {
    "id",
    "kind",
    "version",
    "state",
    "tool",
    "title",
    "scope",
    "preview",
    "arguments",
    "editable",
    "missing_fields",
    "targets",
    "sources",
    "reversible",
    "risk",
    "expires_at",
    "decision",
}


@pytest.fixture
def client(alice: User) -> APIClient:
    return with_token(alice)


def delete(document: Document) -> Any:
    return asks(call("document", {"action": "delete", "id": str(document.pk)}))


def test_it_answers_with_the_whole_response(client: APIClient, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    response = client.post(URL, {"text": "hi"})
    assert response.status_code == 200
    body = response.json()
    assert set(body) == RESPONSE
    run = Run.objects.get()
    assert (body["run_id"], body["conversation_id"]) == (str(run.pk), str(run.conversation_id))
    assert (body["status"], body["answer"], body["context_version"]) == ("COMPLETED", "Hello.", 1)
    assert (body["error"], body["action_draft"], body["clarification"]) == (None, None, None)
    assert body["warnings"] == []
    assert set(body["usage"]) == {"input_tokens", "output_tokens", "cost_usd", "estimated"}
    assert body["data"] == {"decisions": []}
    assert (run.client, run.origin) == ("token", "chat")


def test_tools_are_used_only_when_asked_for(client: APIClient, model: ScriptedClient) -> None:
    model.script = [says("a"), says("b")]
    client.post(URL, {"text": "hi"})
    client.post(URL, {"text": "hi", "enable_tools": True})
    assert [bool(request.tools) for request in model.requests] == [False, True]


def test_a_run_that_waits_for_the_person_shows_the_card(
    client: APIClient, alice: User, model: ScriptedClient
) -> None:
    notes = make_document(alice)
    model.script = [delete(notes)]
    body = client.post(URL, {"text": "delete it", "enable_tools": True}).json()
    assert set(body) == RESPONSE
    assert (body["status"], body["answer"]) == ("NEEDS_CONFIRMATION", "")
    card = body["action_draft"]
    assert set(card) >= DRAFT
    assert (card["id"], card["tool"]) == (str(ActionDraft.objects.get().pk), "document")
    assert card["targets"][0]["id"] == str(notes.pk)
    assert card["decision"]["outcome"] == "needs_confirmation"
    assert card["expires_at"].endswith("Z")


def test_several_cards_are_all_shown(client: APIClient, alice: User, model: ScriptedClient) -> None:
    calls = [
        call("document", {"action": "delete", "id": str(make_document(alice, t).pk)}, id_=t)
        for t in ("a", "b", "c")
    ]
    model.script = [asks(*calls)]
    body = client.post(URL, {"text": "delete them", "enable_tools": True}).json()
    assert set(body) == {*RESPONSE, "action_drafts"}
    assert len(body["action_drafts"]) == 3
    assert body["action_draft"] == body["action_drafts"][0]


def test_a_refusal_of_a_gate_is_told_with_its_reason(
    client: APIClient, model: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def switch_off(_request: object) -> Any:
        Tool.objects.filter(slug="calculator").update(enabled=False)
        return asks(call("calculator", {"expression": "1+1"}))

    model.script = [switch_off, says("I may not.")]
    body = client.post(URL, {"text": "1+1", "enable_tools": True}).json()
    assert body["status"] == "COMPLETED"
    assert AuditEvent.objects.filter(action__startswith="tool.call.").count() == 1


def test_a_model_that_fails_is_told_apart_from_a_bug(
    client: APIClient, model: ScriptedClient
) -> None:
    body = client.post(URL, {"text": "hi"}).json()  # the script has no line
    assert (body["status"], body["answer"]) == ("FAILED", "")
    assert set(body["error"]) == {"code", "message"}


# --- Waiting ---


def test_what_takes_too_long_is_202_and_can_be_asked_for_later(
    alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.api.turns.wait_for_run", selectors.wait_for_run)
    settings.RUN_WAIT_SECONDS = 0
    client = with_token(alice)
    response = client.post(URL, {"text": "hi"})
    assert response.status_code == 202
    body = response.json()
    assert set(body) == RESPONSE
    assert (body["status"], body["answer"]) == ("RUNNING", "")
    Run.objects.update(status=RunStatus.COMPLETED, response_status="COMPLETED")
    later = client.get(f"/api/agent/runs/{body['run_id']}/")
    assert (later.status_code, later.json()["status"]) == (200, "COMPLETED")


# --- Who may ---


def test_nobody_is_answered_without_signing_in() -> None:
    response = APIClient().post(URL, {"text": "hi"})
    assert (response.status_code, codes_of(response)) == (401, ["not_authenticated"])


def test_a_token_needs_the_scope_agent(alice: User) -> None:
    others = [scope for scope in Scope.values if scope != "agent"]
    response = with_token(alice, others).post(URL, {"text": "hi"})
    assert (response.status_code, codes_of(response)) == (403, ["scope_missing"])
    assert not Run.objects.exists()


def test_the_scope_agent_is_enough(alice: User, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    assert with_token(alice, ["agent"]).post(URL, {"text": "hi"}).status_code == 200


def test_a_session_needs_its_csrf_token(alice: User, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    client = with_session(alice, csrf=True)
    response = client.post(URL, {"text": "hi"})
    assert (response.status_code, codes_of(response)) == (403, ["permission_denied"])
    client.get("/")  # any page gives the cookie
    token = client.cookies["csrftoken"].value
    assert client.post(URL, {"text": "hi"}, HTTP_X_CSRFTOKEN=token).status_code == 200
    assert Run.objects.get().client == "page"


def test_a_token_needs_no_csrf_token(alice: User, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    client = with_session(alice, csrf=True)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(alice)}")
    assert client.post(URL, {"text": "hi"}).status_code == 200


# --- What may be asked ---


@pytest.mark.parametrize(
    ("body", "attr", "code"),
    [
        ({}, "text", "required"),
        ({"text": ""}, "text", "blank"),
        ({"text": None}, "text", "null"),
        ({"text": ["a"]}, "text", "invalid"),
        ({"text": " "}, None, "required"),
        ({"text": "x" * 100_001}, "text", "max_length"),
        ({"text": "hi", "user": "bob"}, "user", "unknown_field"),
        ({"text": "hi", "role": "operator"}, "role", "unknown_field"),
        ({"text": "hi", "enable_tools": "perhaps"}, "enable_tools", "invalid"),
        ({"text": "hi", "conversation_id": "7"}, "conversation_id", "invalid"),
        ({"text": "hi", "context_version": -1}, "context_version", "min_value"),
        ({"text": "hi", "context_version": 2**31}, "context_version", "max_value"),
        ({"text": "hi", "context_version": "x"}, "context_version", "invalid"),
        ({"text": "hi", "agent": "no such/agent"}, "agent", "invalid"),
        ({"text": "hi", "project": "../demo"}, "project", "invalid"),
    ],
)
def test_a_body_that_is_wrong_is_400_and_says_where(
    client: APIClient, body: dict[str, Any], attr: str | None, code: str
) -> None:
    response = client.post(URL, body)
    assert response.status_code == 400
    assert [(e["attr"], e["code"]) for e in response.json()["errors"]] == [(attr, code)]
    assert not Run.objects.exists()


LATER: list[tuple[str, Any, bool]] = [
    ("attachments", [], True),
    ("attachments", None, True),
    ("attachments", [{"name": "a.png"}], False),
    ("attachments", ["a"], False),
    ("answers", {}, True),
    ("answers", None, True),
    ("answers", {"project": "demo"}, False),
    ("broadcast_message_id", None, True),
    ("broadcast_message_id", "0197a3f0-0000-7000-8000-000000000000", False),
]


@pytest.mark.parametrize(("field", "value", "taken"), LATER)
def test_what_comes_later_is_taken_while_it_says_nothing(
    client: APIClient, model: ScriptedClient, field: str, value: Any, taken: bool
) -> None:
    model.script = [says("Hello.")]
    response = client.post(URL, {"text": "hi", field: value})
    assert response.status_code == (200 if taken else 400)
    assert Run.objects.exists() == taken
    if not taken:
        assert [(e["attr"], e["code"]) for e in response.json()["errors"]] == [
            (field, "not_supported")
        ]


# --- Several projects ---


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_who_is_in_several_projects_is_asked_in_which(
    client: APIClient, alice: User, model: ScriptedClient, accept: str
) -> None:
    MembershipFactory.create(user=alice, project__slug="second", project__name="Second")
    asked = client.post(URL, {"text": "hi"}, HTTP_ACCEPT=accept, HTTP_IDEMPOTENCY_KEY="k")
    body = asked.json()
    assert (asked.status_code, set(body)) == (200, RESPONSE)
    assert (body["status"], body["run_id"], body["conversation_id"], body["answer"]) == (
        "NEEDS_INPUT",
        None,
        None,
        "",
    )
    [field] = body["clarification"]["fields"]
    assert (field["name"], field["kind"]) == ("project", "choice")
    assert field["choices"] == [
        {"value": "demo", "label": "Demo"},
        {"value": "second", "label": "Second"},
    ]
    assert not Run.objects.exists()
    model.script = [says("Hello.")]
    answered = client.post(URL, {"text": "hi", "project": "second"}, HTTP_IDEMPOTENCY_KEY="k")
    assert answered.json()["status"] == "COMPLETED"


@pytest.mark.parametrize(
    "body", [{"conversation_id": str(uuid4())}, {"agent": "nobody"}, {"project": "nowhere"}]
)
def test_what_is_not_there_is_404(client: APIClient, body: dict[str, Any]) -> None:
    response = client.post(URL, {"text": "hi", **body})
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])


def test_somebody_elses_conversation_is_404(client: APIClient, bob: User, guide: Agent) -> None:
    theirs = conversation_of(bob, guide)
    response = client.post(URL, {"text": "hi", "conversation_id": str(theirs.pk)})
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])
    assert not Message.objects.exists()


def test_a_stale_context_is_409_with_the_current_version(
    client: APIClient, model: ScriptedClient
) -> None:
    model.script = [says("Hello.")]
    first = client.post(URL, {"text": "hi"}).json()
    body = {"text": "and?", "conversation_id": first["conversation_id"], "context_version": 0}
    response = client.post(URL, body)
    assert (response.status_code, codes_of(response)) == (409, ["stale_context"])
    assert response.json()["context_version"] == 1


def test_a_busy_conversation_is_409_with_its_run(
    client: APIClient, alice: User, guide: Agent
) -> None:
    busy = run_of(conversation_of(alice, guide), status=RunStatus.RUNNING)
    response = client.post(URL, {"text": "hi", "conversation_id": str(busy.conversation_id)})
    assert (response.status_code, codes_of(response)) == (409, ["run_active"])
    assert response.json()["run_id"] == str(busy.pk)


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_there_is_only_post(client: APIClient, method: str) -> None:
    response = getattr(client, method)(URL)
    assert (response.status_code, codes_of(response)) == (405, ["method_not_allowed"])


# --- Keys ---


def test_a_repeated_send_gets_the_first_answer(client: APIClient, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    first = client.post(URL, {"text": "hi"}, HTTP_IDEMPOTENCY_KEY="k")
    again = client.post(URL, {"text": "hi"}, HTTP_IDEMPOTENCY_KEY="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert Run.objects.count() == 1
    assert len(model.requests) == 1


def test_another_text_with_the_key_is_422(client: APIClient, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    client.post(URL, {"text": "hi"}, HTTP_IDEMPOTENCY_KEY="k")
    response = client.post(URL, {"text": "bye"}, HTTP_IDEMPOTENCY_KEY="k")
    assert (response.status_code, codes_of(response)) == (422, ["idempotency_key_reused"])


def test_a_key_that_can_not_be_kept_is_400(client: APIClient) -> None:
    response = client.post(URL, {"text": "hi"}, HTTP_IDEMPOTENCY_KEY="k" * 201)
    assert (response.status_code, codes_of(response)) == (400, ["invalid_idempotency_key"])


# --- An error comes before the stream, as JSON ---


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream, application/json"])
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "required"),
        ({"text": " "}, 400, "required"),
        ({"text": "hi", "agent": "nobody"}, 404, "not_found"),
        ({"text": "hi", "context_version": 9}, 409, "stale_context"),
    ],
)
def test_who_asked_for_events_gets_errors_as_json(
    client: APIClient, accept: str, body: dict[str, Any], status: int, code: str
) -> None:
    response = client.post(URL, body, HTTP_ACCEPT=accept)
    assert (response.status_code, codes_of(response)) == (status, [code])
    assert response.headers["Content-Type"].startswith("application/json")


def test_an_answer_nobody_can_give_is_406(client: APIClient) -> None:
    response = client.post(URL, {"text": "hi"}, HTTP_ACCEPT="text/html")
    assert response.status_code == 406


# --- Runs ---


def test_ones_runs_are_listed_newest_first(
    client: APIClient, alice: User, bob: User, guide: Agent
) -> None:
    conversation = conversation_of(alice, guide)
    runs = [run_of(conversation, tools=["fetch"]) for _ in range(3)]
    run_of(conversation_of(bob, guide))
    body = client.get("/api/agent/runs/").json()
    assert [row["id"] for row in body["results"]] == [str(run.pk) for run in reversed(runs)]
    assert set(body["results"][0]) == {
        "id",
        "agent",
        "conversation_id",
        "context_version",
        "origin",
        "status",
        "response_status",
        "tools",
        "error_code",
        "input_tokens",
        "output_tokens",
        "created_at",
        "started_at",
        "finished_at",
    }
    assert body["results"][0]["agent"] == "guide"


def queries(client: APIClient, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_the_number_of_runs_does_not_cost_queries(
    client: APIClient, alice: User, guide: Agent
) -> None:
    conversation = conversation_of(alice, guide)
    run_of(conversation)
    client.get("/api/agent/runs/")  # the token notes its use once
    assert queries(client, "/api/agent/runs/") == 3  # token, count, rows
    for _ in range(15):
        run_of(conversation_of(alice, guide))
    assert queries(client, "/api/agent/runs/") == 3


@pytest.mark.parametrize(
    ("ordering", "newest_first"), [("-created_at", True), ("created_at", False)]
)
def test_runs_are_ordered_as_asked(
    client: APIClient, alice: User, guide: Agent, ordering: str, newest_first: bool
) -> None:
    runs = [run_of(conversation_of(alice, guide)) for _ in range(3)]
    body = client.get(f"/api/agent/runs/?ordering={ordering}").json()
    expected = [str(run.pk) for run in runs]
    assert [row["id"] for row in body["results"]] == (expected[::-1] if newest_first else expected)


LISTS = ("agents", "agent/projects", "agent/conversations", "agent/runs", "agent/actions")


@pytest.mark.parametrize("path", LISTS)
def test_no_list_is_ordered_by_what_it_does_not_name(client: APIClient, path: str) -> None:
    assert client.get(f"/api/{path}/?ordering=owner__password").status_code == 400
    assert client.get(f"/api/{path}/").status_code == 200


@pytest.mark.parametrize("path", ["", "cancel/", "events/"])
def test_somebody_elses_run_is_404(client: APIClient, bob: User, guide: Agent, path: str) -> None:
    run = run_of(conversation_of(bob, guide), status=RunStatus.QUEUED)
    url = f"/api/agent/runs/{run.pk}/{path}"
    response = client.post(url) if path == "cancel/" else client.get(url)
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])
    run.refresh_from_db()
    assert run.status == RunStatus.QUEUED


def test_cancelling_stops_the_run_and_its_cards_and_is_audited(
    client: APIClient, alice: User, model: ScriptedClient
) -> None:
    model.script = [delete(make_document(alice))]
    run_id = client.post(URL, {"text": "delete it", "enable_tools": True}).json()["run_id"]
    response = client.post(f"/api/agent/runs/{run_id}/cancel/")
    assert response.status_code == 200
    body = response.json()
    assert set(body) == RESPONSE
    assert (body["status"], body["action_draft"]) == ("CANCELLED", None)
    assert ActionDraft.objects.get().reason == "run_cancelled"
    event = AuditEvent.objects.get(action="run.finished")
    assert (event.outcome, event.target_id) == ("cancelled", run_id)
    again = client.post(f"/api/agent/runs/{run_id}/cancel/")
    assert (again.status_code, again.json()) == (200, body)
    assert AuditEvent.objects.filter(action="run.finished").count() == 1


def test_a_finished_run_stays_finished(client: APIClient, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    first = client.post(URL, {"text": "hi"}).json()
    assert client.post(f"/api/agent/runs/{first['run_id']}/cancel/").json() == first


@pytest.mark.parametrize("path", ["", "{id}/", "{id}/cancel/", "{id}/events/"])
def test_runs_need_a_sign_in(path: str) -> None:
    client = APIClient()
    url = f"/api/agent/runs/{path}".format(id=uuid4())
    response = client.post(url) if "cancel" in path else client.get(url)
    assert response.status_code == 401


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream", True),
        ("application/json", False),
        ("text/event-stream;q=0, application/json", False),
        ("*/*", False),
    ],
)
def test_one_negotiation_decides_whether_it_streams(
    client: APIClient,
    guide: Agent,
    model: ScriptedClient,
    inline_runs: None,
    accept: str,
    streams: bool,
) -> None:
    model.script = [says("Hello.")]
    response = client.post(URL, {"text": "hi"}, headers={"Accept": accept})
    assert response.status_code in (200, 406)
    if response.status_code == 200:
        assert response["Content-Type"].startswith("text/event-stream") == streams
