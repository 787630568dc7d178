"""Messages sent from the page of chat, without JavaScript."""

from uuid import uuid4

import pytest
from django.test import Client

from agents.models import Agent, Conversation, Message, MessageRole, Run, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.cards import conversation_of, run_of
from tests.agents.conftest import says
from tests.agents.pages import form_of, notices, one, page, soup

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide, title="Holidays", context_version=1)


def test_sending_leads_to_the_conversation_with_its_answer(
    client: Client, guide: Agent, model: ScriptedClient
) -> None:
    model.script = [says("Hello.")]
    body = {**form_of(page(client, "/"), "#composer"), "text": "hi\r\nthere"}
    response = client.post("/chat/send/", body, follow=True)
    conversation = Conversation.objects.get()
    assert response.redirect_chain == [(f"/chat/{conversation.pk}/", 302)]
    assert Message.objects.get(role=MessageRole.USER).text == "hi\nthere"
    assert b"Hello." in response.content
    assert Run.objects.get().client == "page"


def test_an_answer_that_tools_are_missing_offers_to_ask_again_with_them(
    client: Client, guide: Agent
) -> None:
    body = {**form_of(page(client, "/"), "#composer"), "text": "list my documents"}
    answer = soup(client.post("/chat/send/", body, follow=True))
    assert "enable_tools" not in one(answer, ".message-assistant[id]").text
    again = client.post("/chat/send/", form_of(answer, "#thread form"), follow=True)
    assert Run.objects.latest("created_at").enable_tools
    assert "no documents yet" in one(soup(again), ".message-assistant[id]:last-of-type").text
    assert not soup(again).select("#thread form")


@pytest.mark.parametrize("tools", [True, False])
def test_the_tools_switch_is_sent_and_stays(
    client: Client, guide: Agent, model: ScriptedClient, tools: bool
) -> None:
    model.script = [says("Hello.")]
    body = {"text": "hi", **({"enable_tools": "true"} if tools else {})}
    response = client.post("/chat/send/", body, follow=True)
    assert bool(model.requests[0].tools) is tools
    box = one(soup(response), "[name=enable_tools]")
    assert box.has_attr("checked") is tools


def test_the_form_sent_twice_is_one_message(
    client: Client, guide: Agent, model: ScriptedClient
) -> None:
    model.script = [says("Hello.")]
    body = {**form_of(page(client, "/"), "#composer"), "text": "hi"}
    first = client.post("/chat/send/", body)
    again = client.post("/chat/send/", body)
    assert first.headers["Location"] == again.headers["Location"]
    assert Message.objects.filter(role=MessageRole.USER).count() == 1


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"text": " "}, 400),
        ({"text": "x" * 100_001}, 400),
        ({"text": "a\x00b"}, 400),
        ({"context_version": "0"}, 409),
        ({"agent": "nobody"}, 400),
    ],
)
def test_a_refused_message_comes_back_into_the_box(
    client: Client, conversation: Conversation, change: dict[str, str], status: int
) -> None:
    form = form_of(page(client, f"/chat/{conversation.pk}/"), "#composer")
    body = {**form, "text": "my long thoughts", **change}
    response = client.post("/chat/send/", body)
    assert response.status_code == status
    assert notices(response)
    kept = form_of(soup(response), "#composer")
    assert kept["text"] == body["text"]
    assert kept["conversation_id"] == str(conversation.pk)
    assert kept["idempotency_key"] != body["idempotency_key"]
    assert not Message.objects.exists()


def test_a_busy_conversation_keeps_the_text(client: Client, conversation: Conversation) -> None:
    run_of(conversation, status=RunStatus.RUNNING)
    body = {"text": "hurry", "conversation_id": str(conversation.pk)}
    response = client.post("/chat/send/", body)
    assert response.status_code == 409
    assert form_of(soup(response), "#composer")["text"] == "hurry"


@pytest.mark.both
@pytest.mark.parametrize(
    "body",
    [
        {"conversation_id": str(uuid4())},
        {"conversation_id": "not an id"},
        {"agent": "nobody"},
        {"agent": "a\x00b"},
    ],
)
def test_what_is_not_there_is_404(client: Client, guide: Agent, body: dict[str, str]) -> None:
    response = client.post("/chat/send/", {"text": "hi", **body})
    assert response.status_code == 404
    assert not Message.objects.exists()


@pytest.mark.both
@pytest.mark.parametrize(
    "body",
    [
        {"context_version": "x"},
        {"context_version": "²"},
        {"context_version": "9" * 30},
        {"idempotency_key": "a\x00b"},
        {"idempotency_key": "k" * 500},
    ],
)
def test_nonsense_in_a_hidden_field_breaks_nothing(
    client: Client, guide: Agent, model: ScriptedClient, body: dict[str, str]
) -> None:
    model.script = [says("Hello.")]
    assert client.post("/chat/send/", {"text": "hi", **body}).status_code in (302, 400)
