"""“Don't ask again”, through chat, the API, the pages and the console."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.models import Agent, Run, RunStatus
from agents.testing import ScriptedClient
from config.base.models import Scope, User
from documents.models import Document
from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.agents.cards import conversation_of, parked
from tests.agents.conftest import Turn, asks, call, says
from tests.clients import codes_of, with_session, with_token
from tools.models import ActionDraft, StandingApproval, Tool, ToolCall
from tools.testing import events_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]

LIST = "/api/agent/standing-approvals/"
PAGE = "/actions/standing/"
HERE = {"scope": "conversation"}


@pytest.fixture(autouse=True)
def tool(guide: Agent) -> Tool:
    """Notes are written by leave only."""
    Tool.objects.filter(slug="document").update(needs_approval=True)
    return Tool.objects.get(slug="document")


@pytest.fixture
def client(alice: User) -> APIClient:
    return with_token(alice)


def creates(title: str) -> Any:
    return asks(call("document", {"action": "create", "title": title, "content": "Text"}))


def confirm(client: Any, draft: ActionDraft, **body: Any) -> Any:
    values = {"expected_version": draft.version, "idempotency_key": "k", **body}
    return client.post(f"/api/agent/actions/{draft.pk}/confirm/", values)


@pytest.fixture
def waiting(alice: User, model: ScriptedClient, turn: Turn) -> ActionDraft:
    """Of a turn that asks to write a note."""
    model.script += [creates("First")]
    turn(alice, "Write it down.")
    return ActionDraft.objects.get()


@pytest.fixture
def given(client: APIClient, waiting: ActionDraft, model: ScriptedClient) -> StandingApproval:
    model.script += [says("Done.")]
    assert confirm(client, waiting, remember={**HERE, "uses": 2}).status_code == 200
    return StandingApproval.objects.get()


# --- Through chat ---


def test_a_conversation_goes_on_without_asking_until_the_uses_are_gone(
    alice: User, given: StandingApproval, model: ScriptedClient, turn: Turn
) -> None:
    more = {"conversation_id": given.conversation_id}
    for title in ("Second", "Third"):
        model.script += [creates(title), says("Done.")]
        assert turn(alice, "Another.", **more).status == RunStatus.COMPLETED
    model.script += [creates("Fourth")]
    assert turn(alice, "Another.", **more).status == RunStatus.WAITING
    titles = set(Document.objects.values_list("title", flat=True))
    assert titles == {"First", "Second", "Third"}
    assert events_of(given.pk) == ["approval.given", "approval.used", "approval.used"]


def test_another_conversation_asks(
    alice: User, given: StandingApproval, guide: Agent, model: ScriptedClient, turn: Turn
) -> None:
    model.script += [creates("Second")]
    other = conversation_of(alice, guide)
    assert turn(alice, "Another.", conversation_id=other.pk).status == RunStatus.WAITING


def test_deleting_asks_all_the_same(
    alice: User, given: StandingApproval, model: ScriptedClient, turn: Turn
) -> None:
    note = Document.objects.get()
    model.script += [asks(call("document", {"action": "delete", "id": str(note.pk)}))]
    run = turn(alice, "Delete it.", conversation_id=given.conversation_id)
    assert run.status == RunStatus.WAITING
    assert Document.objects.filter(pk=note.pk).exists()


def test_a_run_says_what_let_it_pass(
    alice: User, given: StandingApproval, model: ScriptedClient, turn: Turn, operator: User
) -> None:
    model.script += [creates("Second"), says("Done.")]
    turn(alice, "Another.", conversation_id=given.conversation_id)
    logs = with_token(operator).get("/api/agent-tools/logs/").json()["results"]
    used = logs[0]["decision"]["reasons"][-1]
    assert used["leave"]["id"] == str(given.pk)
    assert used["leave"]["uses_left"] == 1


# --- Over the API ---


def test_a_draft_says_whether_it_can_be_remembered(
    client: APIClient, alice: User, waiting: ActionDraft
) -> None:
    assert client.get(f"/api/agent/actions/{waiting.pk}/").json()["rememberable"] is True
    own = parked(alice, {"action": "create", "title": "Mine", "content": "x"})
    assert client.get(f"/api/agent/actions/{own.pk}/").json()["rememberable"] is False
    refused = confirm(client, own, remember={"scope": "any"})
    assert (refused.status_code, codes_of(refused)) == (400, ["not_rememberable"])


@pytest.mark.parametrize(
    ("remember", "attr", "code"),
    [
        ({}, "remember.scope", "required"),
        ({"scope": "world"}, "remember.scope", "invalid_choice"),
        ({"scope": None}, "remember.scope", "null"),
        ({**HERE, "hours": 0}, "remember.hours", "min_value"),
        ({**HERE, "hours": 721}, "remember.hours", "max_value"),
        ({**HERE, "hours": "24"}, "remember.hours", "invalid"),
        ({**HERE, "hours": True}, "remember.hours", "invalid"),
        ({**HERE, "hours": 1.5}, "remember.hours", "invalid"),
        ({**HERE, "uses": 0}, "remember.uses", "min_value"),
        ({**HERE, "uses": 1001}, "remember.uses", "max_value"),
        ({**HERE, "tool": "fetch"}, "remember.tool", "unknown_field"),
        ({**HERE, "agent_id": "x"}, "remember.agent_id", "unknown_field"),
        ("conversation", "remember.non_field_errors", "invalid"),
        ([], "remember.non_field_errors", "invalid"),
    ],
)
def test_what_is_to_be_remembered_is_taken_at_its_word(
    client: APIClient, waiting: ActionDraft, remember: Any, attr: str, code: str
) -> None:
    response = confirm(client, waiting, remember=remember)
    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["attr"], error["code"]) == (attr, code)
    assert not StandingApproval.objects.exists()


def test_a_scope_that_there_is_not_is_answered_with_those_that_there_are(
    client: APIClient, waiting: ActionDraft
) -> None:
    error = confirm(client, waiting, remember={"scope": "always"}).json()["errors"][0]
    assert error["attr"] == "remember.scope"
    assert error["detail"] == '"always" is not one of: conversation, agent, any.'
    assert not Document.objects.exists()


def test_nothing_to_remember_is_nothing(
    client: APIClient, waiting: ActionDraft, model: ScriptedClient
) -> None:
    model.script += [says("Done.")]
    assert confirm(client, waiting, remember=None).status_code == 200
    assert not StandingApproval.objects.exists()


def test_they_are_listed_and_shown_with_their_state(
    client: APIClient, given: StandingApproval, tool: Tool
) -> None:
    body = client.get(LIST).json()
    (row,) = body["results"]
    assert row == client.get(f"{LIST}{given.pk}/").json()
    assert (row["tool"], row["state"], row["uses"], row["uses_left"]) == (
        "document",
        "active",
        0,
        2,
    )
    assert row["conversation_id"] == str(given.conversation_id)
    assert row["reasons"] == ["tool_needs_approval"]
    Tool.objects.filter(pk=tool.pk).update(config={"approval_required_actions": ["update"]})
    assert client.get(f"{LIST}{given.pk}/").json()["state"] == "void"


def test_revoking_stops_it_and_keeps_the_row(
    client: APIClient,
    alice: User,
    given: StandingApproval,
    model: ScriptedClient,
    turn: Turn,
) -> None:
    for _ in range(2):
        assert client.delete(f"{LIST}{given.pk}/").status_code == 204
    assert client.get(f"{LIST}{given.pk}/").json()["state"] == "revoked"
    model.script += [creates("Second")]
    run = turn(alice, "Another.", conversation_id=given.conversation_id)
    assert run.status == RunStatus.WAITING
    assert events_of(given.pk).count("approval.revoked") == 1


def test_they_are_ones_own(given: StandingApproval, bob: User) -> None:
    other = with_token(bob)
    assert other.get(LIST).json()["count"] == 0
    assert other.get(f"{LIST}{given.pk}/").status_code == 404
    assert other.delete(f"{LIST}{given.pk}/").status_code == 404
    assert other.post(LIST, {}).status_code == 405
    given.refresh_from_db()
    assert given.revoked_at is None


def test_scopes_are_asked_for(given: StandingApproval, alice: User) -> None:
    talks = with_token(alice, [Scope.AGENT])
    assert talks.get(LIST).status_code == 200
    assert codes_of(talks.delete(f"{LIST}{given.pk}/")) == ["scope_missing"]
    assert codes_of(with_token(alice, [Scope.JOBS]).get(LIST)) == ["scope_missing"]
    assert APIClient().get(LIST).status_code == 401


def test_a_longer_list_costs_no_more_queries(client: APIClient, given: StandingApproval) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert client.get(LIST).status_code == 200
        return len(caught)

    client.get(LIST)
    first = queries()
    for _ in range(5):
        given.pk = None
        given.id = StandingApproval._meta.get_field("id").get_default()
        given.save(force_insert=True)
    assert queries() == first


# --- On the pages ---


@pytest.fixture
def browser(alice: User) -> Client:
    browser = Client()
    browser.force_login(alice)
    return browser


def post_card(browser: Client, draft: ActionDraft, **values: str) -> Any:
    body = {"expected_version": str(draft.version), "idempotency_key": "k", **values}
    return browser.post(f"/actions/{draft.pk}/confirm/", body, headers={"HX-Request": "true"})


def test_the_card_offers_it_where_it_counts(
    browser: Client, alice: User, waiting: ActionDraft
) -> None:
    html = browser.get("/actions/").content.decode()
    assert html.count("Don’t ask again") == 1
    assert 'name="remember" value="" checked' in html
    own = parked(alice, {"action": "create", "title": "Mine", "content": "x"})
    html = browser.get("/actions/").content.decode()
    assert html.count("Don’t ask again") == 1
    assert f"remember-{own.pk}" not in html


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"remember": ""}, None),
        ({"remember": "conversation"}, (True, None, 24)),
        ({"remember": "day"}, (False, None, 24)),
        ({"remember": "times", "remember_uses": "7"}, (False, 7, 168)),
        ({"remember": "", "remember_uses": "7"}, None),
    ],
)
def test_each_choice_of_the_card_is_what_it_says(
    browser: Client,
    waiting: ActionDraft,
    choice: dict[str, str],
    expected: tuple[bool, int | None, int] | None,
) -> None:
    response = post_card(browser, waiting, **choice)
    assert response.status_code == 200
    given = StandingApproval.objects.first()
    if expected is None:
        assert given is None
        return
    assert given is not None
    here, uses, hours = expected
    assert (given.conversation_id is not None, given.uses_left) == (here, uses)
    assert round((given.expires_at - given.created_at).total_seconds() / 3600) == hours
    assert "You are not asked again" in response.content.decode()


@pytest.mark.parametrize(
    "choice",
    [
        {"remember": "for ever"},
        {"remember": "times"},
        {"remember": "times", "remember_uses": "0"},
        {"remember": "times", "remember_uses": "1001"},
        {"remember": "times", "remember_uses": "many"},
        {"remember": "times", "remember_uses": "٣"},
    ],
)
def test_a_choice_that_is_none_decides_nothing(
    browser: Client, waiting: ActionDraft, choice: dict[str, str]
) -> None:
    assert post_card(browser, waiting, **choice).status_code == 422
    waiting.refresh_from_db()
    assert waiting.state == "draft"
    assert not StandingApproval.objects.exists()


def test_the_page_lists_and_revokes(browser: Client, given: StandingApproval) -> None:
    html = browser.get(PAGE).content.decode()
    assert "Guide" in html
    assert "2 left" in html
    response = browser.post(f"{PAGE}{given.pk}/revoke/")
    assert (response.status_code, response.headers["Location"]) == (302, PAGE)
    given.refresh_from_db()
    assert given.revoked_at is not None
    html = browser.get(PAGE).content.decode()
    assert "revoked" in html
    assert f"{PAGE}{given.pk}/revoke/" not in html


def test_the_page_says_what_it_is_for_while_it_is_empty(browser: Client) -> None:
    assert "You are asked every time" in browser.get(PAGE).content.decode()


def test_nobody_revokes_what_is_somebody_elses(given: StandingApproval, bob: User) -> None:
    other = with_session(bob)
    assert other.post(f"{PAGE}{given.pk}/revoke/").status_code == 404
    assert other.get(f"{PAGE}{given.pk}/revoke/").status_code == 405


def test_many_cards_cost_no_more_queries_than_one(
    browser: Client, alice: User, waiting: ActionDraft
) -> None:
    def queries(url: str) -> int:
        with CaptureQueriesContext(connection) as caught:
            assert browser.get(url).content.decode().count("Don’t ask again") >= 1
        return len(caught)

    run = Run.objects.get()
    talk = f"/chat/{run.conversation_id}/"
    first = [queries("/actions/"), queries(talk)]
    facts = {"agent_id": run.agent_id, "conversation_id": run.conversation_id, "run_id": run.pk}
    for n in range(4):
        parked(alice, {"action": "create", "title": f"More {n}", "content": "x"}, **facts)
    assert [queries("/actions/"), queries(talk)] == first


# --- In the console ---


def test_an_operator_sees_and_revokes_it(given: StandingApproval, operator: User) -> None:
    console = Client()
    console.force_login(operator)
    url = "/admin/tools/standingapproval/"
    assert "in force" in console.get(url).content.decode()
    assert "tool_needs_approval" in console.get(f"{url}{given.pk}/change/").content.decode()
    chosen = {"action": "revoke", "_selected_action": [str(given.pk)]}
    assert console.post(url, chosen).status_code == 302
    given.refresh_from_db()
    assert given.revoked_by == operator
    event = AuditEvent.objects.get(action="approval.revoked")
    assert (event.origin, event.target_id) == ("admin", str(given.pk))
    assert event.metadata["owner"] == str(subject_of(given.owner))


def test_the_call_is_found_by_its_approval(
    alice: User, given: StandingApproval, model: ScriptedClient, turn: Turn
) -> None:
    model.script += [creates("Second"), says("Done.")]
    run = turn(alice, "Another.", conversation_id=given.conversation_id)
    assert [one.run_id for one in ToolCall.objects.filter(standing_approval=given)] == [run.pk]
