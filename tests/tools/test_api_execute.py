"""/api/agent-tools/{id}/execute/ and the logs of it."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from config.base.idempotency import purge_old_answers
from config.base.ids import uuid7
from config.base.models import IdempotencyRecord, Project, User
from skills.models import AuditEvent
from tests.documents.factories import make_document
from tests.tools.api import Api, error_of
from tests.tools.conftest import Make, actor_of, run
from tools.drafts import confirm_draft
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import EXPLODE, REFUSE, SLOW, Peer

pytestmark = pytest.mark.django_db

LOGS = "/api/agent-tools/logs/"
RENAME = {"project": "demo", "name": "Atlas"}


@pytest.fixture
def api(operator: User) -> Api:
    return Api(operator)


def execute(api: Api, tool: Tool, arguments: Any, *, key: str = "", **body: Any) -> dict[str, Any]:
    """The answer of a request that reached the tool."""
    headers = {"Idempotency_Key": key} if key else {}
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = api("POST", path, {"input": arguments, **body}, **headers)
    assert status == 200, answer
    found: dict[str, Any] = answer
    return found


# --- Execute ---


def test_a_read_answers_with_data_decision_and_log(make: Make, api: Api) -> None:
    answer = execute(api, make("echo"), {"text": "hello"})
    call = ToolCall.objects.get()
    assert (answer["success"], answer["data"], answer["error"]) == (True, {"text": "hello"}, None)
    assert answer["metadata"] == {"duration_ms": call.duration_ms, "warnings": ["an echo"]}
    assert answer["decision"]["outcome"] == "allow"
    assert set(answer["decision"]) == {"gate", "outcome", "reason_code", "reason", "reasons"}
    assert (answer["action_draft"], answer["log_id"]) == (None, str(call.pk))
    assert (call.origin, call.role) == ("api", "operator")


def test_the_calculator_answers_exactly(api: Api) -> None:
    tool = Tool.objects.get(slug="calculator")
    answer = execute(api, tool, {"expression": "12.5% * 80"})
    assert answer["data"]["result"] == "10"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"text": REFUSE}, "refused"),
        ({"text": EXPLODE}, "tool_error"),
        ({"text": SLOW}, "timeout"),
        ({}, "invalid_arguments"),
        ({"text": "a\0"}, "invalid_arguments"),
        ({"text": "\ud800"}, "invalid_arguments"),
        ({"text": "a", "\udfff": "a"}, "invalid_arguments"),
    ],
)
def test_what_a_tool_fails_at_is_an_answer(
    make: Make, api: Api, arguments: dict[str, Any], code: str
) -> None:
    answer = execute(api, make("echo"), arguments)
    assert (answer["success"], answer["data"], answer["error"]["code"]) == (False, None, code)
    assert answer["log_id"] == str(ToolCall.objects.get().pk)


def test_a_tool_whose_type_is_gone_is_an_answer(make: Make, api: Api) -> None:
    answer = execute(api, make("vanished"), {})
    assert (answer["success"], answer["error"]["code"]) == (False, "unknown_type")
    assert answer["decision"] is None


def test_a_denied_call_is_an_answer_that_says_why(make: Make, api: Api) -> None:
    answer = execute(api, make("echo", enabled=False), {"text": "a"})
    assert answer["error"]["code"] == "denied"
    assert answer["decision"]["reason_code"] == "tool_disabled"


def test_a_call_that_needs_confirmation_answers_with_its_draft(
    make: Make, api: Api, operator: User, project: Project
) -> None:
    answer = execute(api, make("rename", needs_approval=True), RENAME)
    draft = ActionDraft.objects.get()
    assert (answer["success"], answer["error"]["code"]) == (False, "needs_confirmation")
    assert answer["action_draft"]["id"] == str(draft.pk)
    assert answer["action_draft"]["preview"]["text"] == "Demo → Atlas"
    assert draft.owner == operator


@pytest.mark.parametrize("may_confirm", [True, False])
def test_confirm_counts_for_tokens_that_may_confirm_only(
    make: Make, operator: User, project: Project, may_confirm: bool
) -> None:
    scopes = ["tools:execute", *(["actions:confirm"] if may_confirm else [])]
    tool = make("rename", needs_approval=True)
    answer = execute(Api(operator, scopes), tool, RENAME, confirm=True)
    assert answer["success"] is may_confirm
    assert (answer["action_draft"] is None) is may_confirm


@pytest.mark.parametrize(
    ("kind", "risk", "runs"),
    [("rename", 2, True), ("rename", 3, False), ("foreign_rename", 2, False)],
)
def test_confirm_counts_for_our_own_tools_up_to_l2(
    make: Make, api: Api, project: Project, kind: str, risk: int, runs: bool
) -> None:
    tool = make(kind, needs_approval=True, config={"risk": risk})
    answer = execute(api, tool, RENAME, confirm=True)
    assert answer["success"] == runs
    project.refresh_from_db()
    assert (project.name == "Atlas") == runs


def test_a_send_answers_with_what_it_took(make: Make, api: Api, peer: Peer) -> None:
    answer = execute(api, make("send"), {"text": "hello"})
    assert answer["success"]
    assert answer["data"] == {"text": "hello"}
    assert answer["metadata"]["duration_ms"] is not None


@pytest.mark.parametrize(
    ("body", "code", "attr"),
    [
        ({}, "required", "input"),
        ({"input": []}, "not_a_dict", "input"),
        ({"input": {}, "colour": 1}, "unknown_field", "colour"),
        ({"input": {}, "confirm": "perhaps"}, "invalid", "confirm"),
        ({"input": {}, "as_user": "nobody"}, "unknown_user", "as_user"),
        ({"input": {}, "as_user": str(uuid7())}, "unknown_user", "as_user"),
    ],
)
def test_a_request_that_reaches_no_tool_is_an_error(
    make: Make, api: Api, body: dict[str, Any], code: str, attr: str
) -> None:
    path = f"/api/agent-tools/{make('echo').pk}/execute/"
    assert error_of(api("POST", path, body)) == (400, code, attr)
    assert not ToolCall.objects.exists()


# --- The same request again ---


@pytest.mark.parametrize("kind", ["rename", "send", "echo"])
def test_the_same_key_and_body_gets_the_first_answer(
    make: Make, api: Api, peer: Peer, project: Project, kind: str
) -> None:
    tool = make(kind)
    arguments = RENAME if kind == "rename" else {"text": "hello"}
    first = execute(api, tool, arguments, key="k")
    assert execute(api, tool, arguments, key="k") == first
    assert len(peer.executed) + len(peer.received) == 1
    assert ToolCall.objects.count() == 1


@pytest.mark.parametrize("kind", ["rename", "send"])
def test_an_answer_that_was_lost_with_its_process_is_made_from_the_ledger(
    make: Make, api: Api, peer: Peer, project: Project, kind: str
) -> None:
    tool = make(kind)
    arguments = RENAME if kind == "rename" else {"text": "hello"}
    execute(api, tool, arguments, key="k")
    IdempotencyRecord.objects.update(response=None, status_code=None)
    again = execute(api, tool, arguments, key="k")
    assert again["success"]
    assert again["metadata"]["replayed"] is True
    assert len(peer.executed) + len(peer.received) == 1


def test_the_same_key_finds_what_became_of_the_draft(
    make: Make, api: Api, operator: User, project: Project
) -> None:
    tool = make("rename", needs_approval=True)
    draft_id = execute(api, tool, RENAME, key="k")["action_draft"]["id"]
    assert execute(api, tool, RENAME, key="k")["action_draft"]["id"] == draft_id
    draft = ActionDraft.objects.get()
    confirm_draft(actor_of(operator), draft.pk, expected_version=1, idempotency_key="c")
    assert execute(api, tool, RENAME, key="k")["success"]


@pytest.mark.parametrize(
    "body", [{"input": {"text": "other"}}, {"input": {"text": "hello"}, "confirm": True}]
)
@pytest.mark.parametrize("approved", [False, True])
def test_the_same_key_with_another_body_is_refused(
    make: Make, api: Api, body: dict[str, Any], approved: bool
) -> None:
    tool = make("echo", needs_approval=approved)
    execute(api, tool, {"text": "hello"}, key="k")
    path = f"/api/agent-tools/{tool.pk}/execute/"
    answer = error_of(api("POST", path, body, Idempotency_Key="k"))
    assert answer[:2] == (422, "idempotency_key_reused")


def test_another_persons_key_is_another_key(make: Make, api: Api, operator: User) -> None:
    other = User.objects.create(username="other", is_staff=True, is_superuser=True)
    tool = make("echo")
    first = execute(api, tool, {"text": "hello"}, key="k")
    second = execute(Api(other), tool, {"text": "hello"}, key="k")
    assert first["log_id"] != second["log_id"]


def test_without_a_key_every_request_is_another_call(make: Make, api: Api) -> None:
    tool = make("echo")
    logs = {execute(api, tool, {"text": "hello"})["log_id"] for _ in range(2)}
    assert len(logs) == 2


def test_a_call_that_still_runs_is_a_conflict(make: Make, api: Api, peer: Peer) -> None:
    tool = make("send")
    seen: list[Any] = []
    path = f"/api/agent-tools/{tool.pk}/execute/"
    body = {"input": {"text": "hello"}}
    peer.on_receipt = lambda: seen.append(error_of(api("POST", path, body, Idempotency_Key="k")))
    execute(api, tool, {"text": "hello"}, key="k")
    assert seen == [(409, "in_progress", None)]
    assert len(peer.received) == 1


@pytest.mark.parametrize("key", ["k" * 201, "a\tb"])
def test_a_key_that_can_not_be_kept_is_refused(make: Make, api: Api, key: str) -> None:
    path = f"/api/agent-tools/{make('echo').pk}/execute/"
    answer = api("POST", path, {"input": {"text": "a"}}, Idempotency_Key=key)
    assert error_of(answer)[:2] == (400, "invalid_idempotency_key")


@pytest.mark.parametrize("kind", ["rename", "send", "echo"])
@pytest.mark.parametrize("purged", [False, True])
def test_after_24_hours_the_key_is_a_new_one(
    make: Make, api: Api, peer: Peer, project: Project, kind: str, purged: bool
) -> None:
    tool = make(kind)
    arguments = RENAME if kind == "rename" else {"text": "hello"}
    first = execute(api, tool, arguments, key="k")
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=24.1))
    if purged:
        purge_old_answers()
    again = execute(api, tool, arguments, key="k")
    assert again["success"]
    assert again["log_id"] != first["log_id"]
    assert len(peer.executed) + len(peer.received) == 2
    assert ToolCall.objects.count() == 2


def test_the_age_of_a_key_is_judged_by_the_databases_clock(
    make: Make, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = make("echo")
    first = execute(api, tool, {"text": "hello"}, key="k")
    later = timezone.now() + timedelta(days=2)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert execute(api, tool, {"text": "hello"}, key="k") == first


# --- Only the decision ---


@pytest.mark.parametrize("by", ["username", "pk"])
def test_the_decision_that_somebody_would_get_runs_nothing(
    make: Make, api: Api, alice: User, peer: Peer, by: str
) -> None:
    tool = make("send", needs_approval=True)
    answer = execute(api, tool, {"text": "hello"}, as_user=str(getattr(alice, by)))
    assert answer["decision"]["outcome"] == "needs_confirmation"
    assert (answer["success"], answer["data"], answer["error"]) == (False, None, None)
    assert (answer["action_draft"], answer["log_id"]) == (None, None)
    assert (ToolCall.objects.count(), ActionDraft.objects.count(), peer.received) == (0, 0, [])


def test_a_call_that_could_not_be_planned_says_so(make: Make, api: Api, alice: User) -> None:
    answer = execute(api, make("echo"), {}, as_user="alice")
    assert answer["error"]["code"] == "invalid_arguments"
    assert answer["decision"] is None


@pytest.mark.parametrize("action", ["delete", "update"])
@pytest.mark.parametrize("confirm", [False, True])
def test_what_is_not_theirs_is_refused_like_what_is_nowhere(
    api: Api, alice: User, bob: User, action: str, confirm: bool
) -> None:
    tool = Tool.objects.get(slug="document")
    change = {"title": "x"} if action == "update" else {}
    mine, alices, nowhere = [
        execute(
            api,
            tool,
            {"action": action, "id": str(key), **change},
            as_user="bob",
            confirm=confirm,
        )
        for key in (make_document(bob).pk, make_document(alice).pk, uuid7())
    ]
    assert alices == nowhere
    assert alices["error"]["code"] == "not_found"
    assert mine["error"] is None
    assert mine["decision"] is not None


@pytest.mark.parametrize(
    ("approved", "arguments", "outcome", "code"),
    [
        (False, {"text": "a"}, "allowed", "enabled"),
        (True, {"text": "a"}, "allowed", "tool_needs_approval"),
        (False, {}, "failed", "invalid_arguments"),
    ],
)
def test_looking_in_somebodys_name_is_audited(
    make: Make,
    api: Api,
    operator: User,
    alice: User,
    approved: bool,
    arguments: dict[str, str],
    outcome: str,
    code: str,
) -> None:
    tool = make("echo", slug="echo", needs_approval=approved)
    execute(api, tool, arguments, as_user="alice")
    event = AuditEvent.objects.get(action="policy.previewed")
    assert (event.target_type, event.target_id, event.tool) == ("user", str(alice.pk), "echo")
    assert (event.actor, event.outcome, event.reason_code) == ("operator", outcome, code)
    decisions = {"enabled": "allow", "tool_needs_approval": "needs_confirmation"}
    assert event.metadata.get("decision") == decisions.get(code)


# --- Logs ---


def test_a_log_joins_call_content_and_draft(make: Make, api: Api, operator: User) -> None:
    tool = make("send", slug="send", needs_approval=True)
    log_id = execute(api, tool, {"text": "see https://a.example/?token=abc"})["log_id"]
    status, log = api("GET", f"{LOGS}{log_id}/")
    assert status == 200
    assert (log["tool"], log["type"], log["user"]) == ("send", "fake_send", "operator")
    assert log["input"] == {"text": "see https://a.example/?token=•••"}
    assert (log["output"], log["truncated"]) == (None, False)
    assert log["input_bytes"] > 0
    assert log["decision"]["reason_code"] == "tool_needs_approval"
    draft = ActionDraft.objects.get()
    assert log["draft"]["id"] == str(draft.pk)
    assert set(log["draft"]) == {
        "id", "kind", "state", "version", "expires_at", "decided_at", "reason",
    }  # fmt: skip


def test_a_log_whose_content_is_gone_stays(make: Make, api: Api, operator: User) -> None:
    call = run(make("echo"), operator).call
    call.content.delete()
    _status, log = api("GET", f"{LOGS}{call.pk}/")
    assert (log["input"], log["output"], log["draft"]) == (None, None, None)
    assert log["receipt"] == {"length": 5}


@pytest.fixture
def two_calls(make: Make, operator: User, alice: User) -> tuple[ToolCall, ToolCall]:
    """Alice's that succeeded in a run, then the operator's that failed."""
    hers = run(make("echo", slug="one"), alice, actor=actor_of(alice, run_id=uuid7())).call
    return hers, run(make("echo", slug="two"), operator, REFUSE).call


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["two", "one"]),
        ("tool=one", ["one"]),
        ("tool={one.tool_id}", ["one"]),
        ("status=error", ["two"]),
        ("user=alice", ["one"]),
        ("user={one.user_id}", ["one"]),
        ("user=nobody", []),
        ("origin=api", ["two", "one"]),
        ("origin=chat", []),
        ("run={one.run_id}", ["one"]),
        ("from={after}", ["two"]),
        ("to={after}", ["one"]),
        ("to=2020-01-01", []),
        ("from=2020-01-01&status=success", ["one"]),
        ("ordering=created_at", ["one", "two"]),
        ("page_size=1&page=2", ["one"]),
    ],
)
def test_logs_are_filtered_ordered_and_paged(
    api: Api, two_calls: tuple[ToolCall, ToolCall], query: str, expected: list[str]
) -> None:
    one, two = two_calls
    after = quote(two.created_at.astimezone(timezone.get_default_timezone()).isoformat())
    status, body = api("GET", f"{LOGS}?{query.format(one=one, after=after)}")
    assert status == 200
    assert [row["tool"] for row in body["results"]] == expected


@pytest.mark.parametrize(
    "query",
    [
        "status=odd",
        "origin=odd",
        "run=odd",
        "from=yesterday",
        "to=0001-01-01T00:00:00%2B14:00",
        "ordering=input",
        "page=0",
    ],
)
def test_a_log_filter_that_does_not_fit_is_refused(api: Api, query: str) -> None:
    assert api("GET", f"{LOGS}?{query}")[0] in {400, 404}
