"""Chat and inbox as pages: without JavaScript and with htmx, one's own only, at a fixed price."""

from uuid import uuid4

import pytest
from django.test import Client

from agents.models import Agent, Conversation, MessageRole, Run, RunStatus, RunStep
from agents.runs.messages import add_message
from agents.testing import ScriptedClient
from config.base.models import Role, User
from tests.agents.cards import conversation_of, make_document, parked_delete, run_of
from tests.agents.conftest import Turn, asks, call, says
from tests.agents.pages import HTMX, form_of, notices, one, page, queries, soup
from tests.factories import MembershipFactory
from tools.enums import DraftState
from tools.models import ActionDraft

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide, title="Holidays", context_version=1)


# --- Who may ---

READS = ["/", "/chat/{id}/", "/chat/{id}/thread/", "/actions/", "/actions/?tab=decided"]
WRITES = ["/chat/send/", *(f"/actions/{{id}}/{act}/" for act in ("confirm", "dismiss", "respond"))]


@pytest.mark.parametrize("url", READS)
def test_reading_needs_a_sign_in_and_leads_back(url: str, db: None) -> None:
    url = url.format(id=uuid4())
    response = Client().get(url)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/accounts/login/?next=/")


@pytest.mark.parametrize("url", WRITES)
def test_writing_needs_a_sign_in(url: str, db: None) -> None:
    assert Client().post(url.format(id=uuid4())).status_code == 302


@pytest.mark.parametrize("url", WRITES)
def test_forms_need_their_csrf_token(alice: User, url: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    response = client.post(url.format(id=uuid4()))
    assert response.status_code == 403
    assert "403_csrf.html" in [template.name for template in response.templates]


@pytest.mark.parametrize("url", READS)
def test_pages_are_not_posted_to(client: Client, url: str) -> None:
    assert client.post(url.format(id=uuid4())).status_code == 405


@pytest.mark.parametrize("url", [*WRITES, "/actions/{id}/resolve/"])
def test_decisions_are_not_got(client: Client, url: str) -> None:
    assert client.get(url.format(id=uuid4())).status_code == 405


@pytest.mark.parametrize("url", ["/chat/{id}/", "/chat/{id}/thread/"])
def test_somebody_elses_conversation_is_not_here(
    client: Client, bob: User, guide: Agent, url: str
) -> None:
    theirs = conversation_of(bob, guide, title="Bob's secret")
    response = client.get(url.format(id=theirs.pk))
    assert response.status_code == 404
    assert "404.html" in [template.name for template in response.templates]
    assert b"secret" not in response.content


@pytest.mark.parametrize("act", ["confirm", "dismiss", "respond", "resolve"])
def test_somebody_elses_card_is_not_here(client: Client, bob: User, act: str) -> None:
    draft = parked_delete(bob)
    body = {"expected_version": 1, "idempotency_key": "k", "message": "x", "outcome": "done"}
    for headers in ({}, HTMX):
        response = client.post(f"/actions/{draft.pk}/{act}/", body, headers=headers)
        assert response.status_code == 404
    draft.refresh_from_db()
    assert draft.state == "draft"


# --- Chat ---


def test_the_start_page_is_a_new_conversation(client: Client, guide: Agent) -> None:
    found = page(client, "/")
    assert one(found, "#welcome")
    assert form_of(found, "#composer")["conversation_id"] == ""
    assert one(found, "#thread")["data-conversation-id"] == ""
    assert not found.select("#composer-agent")  # there is only one


def test_its_menu_waits_for_its_id(client: Client, conversation: Conversation) -> None:
    menu = one(page(client, "/"), "details.menu")
    assert menu.has_attr("hidden")
    assert menu.has_attr("data-in-conversation")
    menu = one(page(client, f"/chat/{conversation.pk}/"), "details.menu")
    assert not menu.has_attr("hidden")
    assert one(menu, "form")["action"] == f"/chat/{conversation.pk}/rename/"


def test_of_several_agents_one_chooses(client: Client, guide: Agent) -> None:
    Agent.objects.create(slug="other", name="Other")
    Agent.objects.create(slug="boss", name="Boss", roles=[Role.SUPERVISOR])
    found = page(client, "/")
    options = one(found, "#composer-agent").select("option")
    assert [option["value"] for option in options] == ["guide", "other"]


def test_of_several_projects_one_chooses(
    client: Client, alice: User, guide: Agent, model: ScriptedClient
) -> None:
    assert not page(client, "/").select("#composer-project")
    MembershipFactory.create(user=alice, project__slug="second")
    select = one(page(client, "/"), "#composer-project")
    assert [option["value"] for option in select.select("option")] == ["", "demo", "second"]
    assert select.has_attr("required")
    refused = client.post("/chat/send/", {"text": "hi"})
    assert refused.status_code == 400
    assert one(soup(refused), "#composer textarea").text == "hi"
    model.script = [says("Hello.")]
    assert client.post("/chat/send/", {"text": "hi", "project": "second"}).status_code == 302
    run = Run.objects.get()
    assert run.project
    assert run.project.slug == "second"
    found = page(client, f"/chat/{run.conversation_id}/")
    assert not found.select("#composer-project")  # a conversation stays where it is


def test_the_page_and_the_api_begin_with_the_same_agent(
    client: Client, guide: Agent, model: ScriptedClient
) -> None:
    Agent.objects.create(slug="another", name="Another")  # first by name, made last
    chosen = one(page(client, "/"), "#composer-agent option[selected]")["value"]
    client.post("/api/agent/messages/", {"text": "hi"}, content_type="application/json")
    assert chosen == "guide"
    run = Run.objects.select_related("agent").get()
    assert run.agent is not None
    assert run.agent.slug == chosen


def test_the_agent_that_was_chosen_stays_when_a_message_is_refused(
    client: Client, guide: Agent
) -> None:
    Agent.objects.create(slug="another", name="Another")
    response = client.post("/chat/send/", {"text": " ", "agent": "another"})
    assert one(soup(response), "#composer-agent option[selected]")["value"] == "another"


def test_without_an_agent_it_says_whom_to_ask(client: Client) -> None:
    response = client.get("/")
    assert any("operator" in text for text in notices(response))


def test_a_conversation_shows_what_was_said_and_done(
    client: Client, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [
        asks(call("calculator", {"expression": "6*7"})),
        says("It is **42**.\n\n<script>alert(1)</script>"),
    ]
    run = turn(alice, "What is <b>6*7</b>?")
    found = page(client, f"/chat/{run.conversation_id}/")
    assert one(found, ".message-user").text.endswith("What is <b>6*7</b>?")
    assert not found.select(".message-user b")
    answer = one(found, ".message-assistant[id] .prose")
    assert one(answer, "strong").text == "42"
    assert not answer.select("script")
    step = one(found, "#thread .step")
    assert (step["data-status"], one(step, ".step-title").text) == ("success", "Calculating 6*7")
    assert one(found, "#thread")["data-active-run-id"] == ""
    assert form_of(found, "#composer")["context_version"] == "1"


def test_the_card_stands_in_the_conversation(
    client: Client, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    notes = make_document(alice)
    model.script = [asks(call("document", {"action": "delete", "id": str(notes.pk)}))]
    run = turn(alice, "delete Notes")
    found = page(client, f"/chat/{run.conversation_id}/")
    card = one(found, "#thread article.draft")
    assert card["data-state"] == "draft"
    assert one(found, "#conversations .dot-wait")
    assert one(found, "#thread")["data-active-run-id"] == ""  # it waits for the person


@pytest.mark.parametrize(
    ("status", "open_call", "active"),
    [
        (RunStatus.QUEUED, False, True),
        (RunStatus.RUNNING, False, True),
        (RunStatus.WAITING, False, True),  # decided, and about to go on
        (RunStatus.WAITING, True, False),
        (RunStatus.COMPLETED, False, False),
        (RunStatus.FAILED, False, False),
        (RunStatus.CANCELLED, False, False),
    ],
)
def test_the_page_follows_a_run_that_goes_on_by_itself(
    client: Client,
    alice: User,
    conversation: Conversation,
    status: RunStatus,
    open_call: bool,
    active: bool,
) -> None:
    run = run_of(conversation, status=status, last_seq=7)
    if open_call:
        parked_delete(alice, run_id=run.pk, conversation_id=conversation.pk)
    thread = one(page(client, f"/chat/{conversation.pk}/"), "#thread")
    assert thread["data-active-run-id"] == (str(run.pk) if active else "")
    assert thread["data-last-event-id"] == "7"


def test_a_run_that_failed_says_why_and_what_to_do(
    client: Client, conversation: Conversation
) -> None:
    run_of(conversation, status=RunStatus.FAILED, error_code="model_timeout", error_message="Slow.")
    alert = one(page(client, f"/chat/{conversation.pk}/"), "#thread [role=alert]")
    assert "Slow." in alert.text
    assert "stays done" in alert.text


@pytest.mark.parametrize(("code", "again"), [("model_timeout", True), ("budget_exceeded", False)])
def test_what_failed_can_be_sent_again_unless_it_would_be_in_vain(
    client: Client, conversation: Conversation, code: str, again: bool
) -> None:
    run = run_of(conversation, status=RunStatus.FAILED, error_code=code, error_message="No.")
    add_message(conversation, MessageRole.USER, "How many days?", run=run)
    form = page(client, f"/chat/{conversation.pk}/").select("#thread [role=alert] form")
    assert bool(form) is again
    if again:
        assert one(form[0], "[name=text]")["value"] == "How many days?"


def test_the_thread_alone_comes_with_list_title_and_counts(
    client: Client, conversation: Conversation
) -> None:
    found = page(client, f"/chat/{conversation.pk}/thread/")
    assert not found.select("html, body, #composer")
    assert one(found, "section#thread")
    swapped = {str(tag["id"]) for tag in found.select("[hx-swap-oob]")}
    assert {"conversations", "conversation-title"} <= swapped
    assert one(found, "#conversation-title").text == "Holidays"


def test_of_a_long_conversation_the_end_is_shown(
    client: Client, conversation: Conversation
) -> None:
    for n in range(205):
        add_message(conversation, MessageRole.NOTICE, f"notice {n}.")
    text = page(client, f"/chat/{conversation.pk}/").text
    assert "notice 204." in text
    assert "notice 4." not in text


# --- What a page costs ---


def grow(alice: User, guide: Agent, conversation: Conversation) -> None:
    for n in range(8):
        other = conversation_of(alice, guide, title=f"Other {n}")
        run = run_of(conversation, tools=["document"])
        add_message(conversation, MessageRole.USER, "more", run=run)
        add_message(conversation, MessageRole.ASSISTANT, "and more", run=run)
        calls = [{"id": "1", "name": "document", "arguments": {}, "raw_arguments": ""}]
        RunStep.objects.create(run=run, conversation=conversation, n=1, tool_calls=calls)
        parked_delete(alice, run_id=run.pk, conversation_id=conversation.pk)
        decided = parked_delete(alice, conversation_id=other.pk)
        ActionDraft.objects.filter(pk=decided.pk).update(state=DraftState.DISMISSED)


@pytest.mark.parametrize(
    ("url", "cost"),
    [
        ("/", 10),
        ("/chat/{id}/", 18),
        ("/chat/{id}/thread/", 14),
        ("/actions/", 10),
        ("/actions/?tab=decided", 10),
    ],
)
def test_a_longer_history_costs_no_more_queries(
    client: Client, alice: User, guide: Agent, conversation: Conversation, url: str, cost: int
) -> None:
    url = url.format(id=conversation.pk)
    grow(alice, guide, conversation)
    first = queries(client, url)
    grow(alice, guide, conversation)
    assert queries(client, url) == first
    assert first == cost
