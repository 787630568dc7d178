"""Consents over the API and as a page: given by answering what asks, seen, taken back."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from agents.models import Agent, Consent, Conversation, Run, RunStatus
from agents.testing import ScriptedClient
from config.base.models import Scope, User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of, make_document, parked_delete
from tests.agents.conftest import Turn, asks, call, says
from tests.agents.searching import consent_to, search_tool
from tests.clients import codes_of, with_session, with_token
from tests.tools.search_servers import SearchServer
from tools.models import ActionDraft, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]

URL = "/api/agent/consents/"
PAGE = "/chat/consents/"


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer("searxng") as server:
        yield server


@pytest.fixture
def tool(server: SearchServer, operator: User, guide: Agent) -> Tool:
    return search_tool(server, operator, guide)


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide, title="Holidays")


@pytest.fixture
def consent(server: SearchServer, conversation: Conversation) -> Consent:
    return consent_to(server, conversation)


@pytest.fixture
def client(alice: User) -> APIClient:
    return with_token(alice)


@pytest.fixture
def run(tool: Tool, alice: User, turn: Turn, model: ScriptedClient) -> Run:
    """It waits: may it search?"""
    model.script = [asks(call("web_search", {"query": "eggs"})), says("They do.")]
    return turn(alice, "Who lays eggs?")


def answer(client: APIClient, run: Run, *, granted: bool, key: str = "", **more: Any) -> Any:
    body = {"conversation_id": str(run.conversation_id), "kind": "web", "granted": granted}
    headers = {"Idempotency-Key": key} if key else None
    return client.post(URL, {**body, **more}, headers=headers)


def cost(client: Any, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


# --- Giving ---


def test_granting_confirms_what_asks_and_the_run_goes_on(
    client: APIClient, run: Run, server: SearchServer
) -> None:
    response = answer(client, run, granted=True)
    assert response.status_code == 200
    body = response.json()
    assert (body["draft"]["kind"], body["draft"]["state"]) == ("consent", "executed")
    assert body["receipt"] == {"host": "127.0.0.1", "results": 2}
    assert (body["response"]["status"], body["response"]["answer"]) == ("COMPLETED", "They do.")
    assert Consent.objects.get().conversation_id == run.conversation_id
    assert len(server.requests) == 1


def test_not_granting_dismisses_it(client: APIClient, run: Run, server: SearchServer) -> None:
    body = answer(client, run, granted=False).json()
    assert (body["draft"]["state"], body["draft"]["reason"]) == ("dismissed", "refused")
    assert (body["receipt"], body["response"]["status"]) == (None, "COMPLETED")
    assert (Consent.objects.count(), server.requests) == (0, [])


def test_a_second_answer_finds_nothing_that_asks(
    client: APIClient, run: Run, server: SearchServer
) -> None:
    answer(client, run, granted=True)
    for granted in (True, False):
        response = answer(client, run, granted=granted)
        assert (response.status_code, codes_of(response)) == (409, ["nothing_asked"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(("granted", "state"), [(True, "executed"), (False, "dismissed")])
def test_sent_again_with_its_key_it_answers_nothing_else(
    client: APIClient,
    tool: Tool,
    alice: User,
    turn: Turn,
    model: ScriptedClient,
    granted: bool,
    state: str,
) -> None:
    """A client whose connection broke off has not seen what else asks by now."""
    model.script = [asks(*(call("web_search", {"query": w}, id_=w) for w in ("one", "two")))]
    run = turn(alice, "Search twice.")
    first, again = (answer(client, run, granted=granted, key="k") for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
    assert first.json()["draft"]["state"] == state
    assert ActionDraft.objects.waiting().count() == 1
    other = answer(client, run, granted=not granted, key="k")
    assert (other.status_code, codes_of(other)) == (422, ["idempotency_key_reused"])


def test_another_kind_is_not_what_asks(client: APIClient, run: Run) -> None:
    response = answer(client, run, granted=True, kind="media")
    assert (response.status_code, codes_of(response)) == (409, ["nothing_asked"])
    run.refresh_from_db()
    assert run.status == RunStatus.WAITING


def test_it_confirms_nothing_but_what_asks_for_consent(
    client: APIClient, alice: User, conversation: Conversation
) -> None:
    draft = parked_delete(alice, make_document(alice), conversation_id=conversation.pk)
    body = {"conversation_id": str(conversation.pk), "kind": "web", "granted": True}
    response = client.post(URL, body)
    assert (response.status_code, codes_of(response)) == (409, ["nothing_asked"])
    draft.refresh_from_db()
    assert draft.is_waiting


def test_of_several_the_oldest_is_answered(
    client: APIClient, tool: Tool, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    calls = [call("web_search", {"query": word}, id_=word) for word in ("one", "two")]
    model.script = [asks(*calls), says("Done.")]
    run = turn(alice, "Search twice.")
    first = answer(client, run, granted=True).json()
    assert (first["draft"]["arguments"], first["response"]) == ({"query": "one"}, None)
    second = answer(client, run, granted=True).json()
    assert second["draft"]["arguments"] == {"query": "two"}
    assert second["response"]["status"] == "COMPLETED"


@pytest.mark.parametrize("whose", ["bob", "operator"])
def test_nobody_answers_for_somebody_else(
    run: Run, whose: str, request: pytest.FixtureRequest
) -> None:
    client = with_session(request.getfixturevalue(whose))
    theirs = answer(client, run, granted=True)
    nothing = answer(client, run, granted=True, conversation_id=str(uuid4()))
    assert (theirs.status_code, theirs.json()) == (nothing.status_code, nothing.json())
    assert theirs.status_code == 404
    assert ActionDraft.objects.get().is_waiting


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "all"}, "invalid_choice"),
        ({"granted": "perhaps"}, "invalid"),
        ({"granted": None}, "null"),
        ({"conversation_id": "x"}, "invalid"),
        ({"until": "2030-01-01"}, "unknown_field"),
    ],
)
def test_a_body_that_does_not_fit_is_refused(
    client: APIClient, run: Run, change: dict[str, Any], code: str
) -> None:
    response = answer(client, run, **{"granted": True, **change})
    assert (response.status_code, codes_of(response)) == (400, [code])
    assert ActionDraft.objects.get().is_waiting


def test_a_token_that_may_not_confirm_gives_none(alice: User, run: Run) -> None:
    others = [scope for scope in Scope.values if scope != Scope.ACTIONS_CONFIRM]
    response = answer(with_token(alice, others), run, granted=True)
    assert (response.status_code, codes_of(response)) == (403, ["scope_missing"])


# --- Seeing and taking back ---


def test_they_are_listed(client: APIClient, consent: Consent) -> None:
    [row] = client.get(URL).json()["results"]
    assert row == client.get(f"{URL}{consent.pk}/").json()
    assert (row["id"], row["kind"], row["service"]) == (str(consent.pk), "web", consent.service)
    assert row["conversation_id"] == str(consent.conversation_id)
    assert row["given_at"] < row["until"]


def test_one_that_ended_is_not_there(
    client: APIClient, server: SearchServer, conversation: Conversation
) -> None:
    ended = consent_to(server, conversation, hours=-1)
    assert client.get(URL).json()["count"] == 0
    for method in (client.get, client.delete):
        assert method(f"{URL}{ended.pk}/").status_code == 404


def test_a_list_comes_in_pages_and_costs_the_same_however_long(
    client: APIClient, alice: User, guide: Agent, consent: Consent, server: SearchServer
) -> None:
    cost(client, URL)  # notes that the token was used
    few = cost(client, URL)
    for _ in range(24):
        consent_to(server, conversation_of(alice, guide))
    body = client.get(f"{URL}?page=2&ordering=given_at").json()
    assert (body["count"], len(body["results"])) == (25, 5)
    assert cost(client, URL) == few == 3


def test_one_is_taken_back_once(client: APIClient, consent: Consent) -> None:
    assert client.delete(f"{URL}{consent.pk}/").status_code == 204
    again = client.delete(f"{URL}{consent.pk}/")
    assert (again.status_code, codes_of(again)) == (404, ["not_found"])
    assert AuditEvent.objects.filter(action="consent.revoked").count() == 1


@pytest.mark.parametrize("method", ["get", "delete"])
def test_somebody_elses_is_as_if_it_were_not(bob: User, consent: Consent, method: str) -> None:
    client = with_session(bob)
    theirs = getattr(client, method)(f"{URL}{consent.pk}/")
    nothing = getattr(client, method)(f"{URL}{uuid4()}/")
    assert (theirs.status_code, theirs.json()) == (nothing.status_code, nothing.json())
    assert client.get(URL).json()["count"] == 0
    assert Consent.objects.count() == 1


def test_it_needs_a_sign_in_and_the_scope(alice: User, consent: Consent) -> None:
    others = [scope for scope in Scope.values if scope != Scope.AGENT]
    for url in (URL, f"{URL}{consent.pk}/"):
        assert APIClient().get(url).status_code == 401
        assert codes_of(with_token(alice, others).get(url)) == ["scope_missing"]
    assert codes_of(with_token(alice, others).delete(f"{URL}{consent.pk}/")) == ["scope_missing"]


# --- The page ---


@pytest.fixture
def browser(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def soup(browser: Client, url: str) -> BeautifulSoup:
    response = browser.get(url)
    assert response.status_code == 200
    return BeautifulSoup(response.content, "html.parser")


def test_the_page_lists_them_and_takes_them_back(browser: Client, consent: Consent) -> None:
    page = soup(browser, PAGE)
    [entry] = page.select(".listing .entry")
    assert consent.service in entry.text
    assert "Holidays" in entry.text
    [form] = entry.select("form")
    response = browser.post(str(form["action"]), follow=True)
    assert "Taken back" in response.content.decode()
    assert "Nothing may leave" in response.content.decode()
    assert Consent.objects.count() == 0


def test_the_page_is_in_pages_and_costs_the_same_however_long(
    browser: Client, alice: User, guide: Agent, consent: Consent, server: SearchServer
) -> None:
    few = cost(browser, PAGE)
    for _ in range(30):
        consent_to(server, conversation_of(alice, guide))
    assert len(soup(browser, PAGE).select(".entry")) == 30
    assert len(soup(browser, f"{PAGE}?page=2").select(".entry")) == 1
    assert cost(browser, PAGE) <= few


def test_others_see_and_take_back_nothing(bob: User, consent: Consent) -> None:
    browser = Client()
    browser.force_login(bob)
    assert soup(browser, PAGE).select(".entry") == []
    assert browser.post(reverse("chat:consent-revoke", args=[consent.pk])).status_code == 404
    assert Consent.objects.count() == 1


def test_it_is_found_from_the_conversation_and_the_profile(
    browser: Client, conversation: Conversation
) -> None:
    for url in (reverse("chat:conversation", args=[conversation.pk]), reverse("profile")):
        assert soup(browser, url).select(f'a[href="{PAGE}"]')
