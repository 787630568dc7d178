"""Pages that stand open learn of what has come: the counts, and more in their conversation."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.conversations import mark_read, post_message
from agents.models import Agent, Conversation
from config.base.actor import Actor, Origin
from config.base.models import User
from tests.agents.cards import conversation_of, parked_delete

pytestmark = pytest.mark.django_db

URL = "/chat/news/"


@pytest.fixture
def page(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide, title="Goals")


def say(conversation: Conversation) -> None:
    actor = Actor(user=conversation.owner, origin=Origin.JOB)
    post_message(actor, conversation.pk, "How far have you come?", provenance=[])


def ask(page: Client, seen: str = "", **query: Any) -> Any:
    return page.get(URL, query, headers={"X-Seen": seen})


def counts(answer: Any) -> dict[str, str]:
    found = BeautifulSoup(answer.content, "html.parser")
    return {str(one["id"]): one.get_text(" ", strip=True) for one in found.select(".nav-count")}


def test_nothing_is_said_while_nothing_has_come(page: Client, conversation: Conversation) -> None:
    first = ask(page)
    assert counts(first)["count-side-chat"] == ""
    assert ask(page, first["X-Seen"]).status_code == 204
    say(conversation)
    news = ask(page, first["X-Seen"])
    assert news.status_code == 200
    assert counts(news)["count-side-chat"] == counts(news)["count-tab-chat"] == "1 unread"
    assert ask(page, news["X-Seen"]).status_code == 204


def test_a_card_that_waits_is_news_too(page: Client, alice: User) -> None:
    seen = ask(page)["X-Seen"]
    parked_delete(alice)
    assert counts(ask(page, seen))["count-side-inbox"] == "1 waiting for you"


def test_an_open_conversation_learns_that_it_has_more(
    page: Client, conversation: Conversation
) -> None:
    seen = ask(page)["X-Seen"]
    shown = {"conversation": conversation.pk, "messages": 0}
    assert ask(page, seen, **shown).status_code == 204
    say(conversation)
    news = ask(page, seen, **shown)
    assert news["X-Thread"] == "more"
    thread = page.get(f"/chat/{conversation.pk}/thread/").content.decode()
    assert "How far have you come?" in thread
    assert 'data-message-count="1"' in thread
    assert 'id="count-side-chat" hx-swap-oob="true"></span>' in thread  # it is being read
    answer = ask(page, seen, conversation=conversation.pk, messages=1)
    assert answer.status_code == 204


@pytest.mark.parametrize("named", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_conversation_that_is_not_there_has_nothing_new(page: Client, named: str) -> None:
    assert "X-Thread" not in ask(page, conversation=named, messages="0")


def test_nothing_is_told_of_what_others_say(page: Client, bob: User, guide: Agent) -> None:
    theirs = conversation_of(bob, guide)
    say(theirs)
    answer = ask(page, conversation=theirs.pk, messages=0)
    assert "X-Thread" not in answer
    assert counts(answer)["count-side-chat"] == ""


def test_what_is_said_while_a_page_is_rendered_stays_unread_or_is_shown(
    conversation: Conversation,
) -> None:
    say(conversation)
    as_read = Conversation.objects.get(pk=conversation.pk)
    say(conversation)
    mark_read(as_read, 1)  # the second one was not on the page
    conversation.refresh_from_db()
    assert conversation.unread == 2
    mark_read(as_read, 2)
    conversation.refresh_from_db()
    assert conversation.unread == 0


def test_a_look_costs_the_same_however_much_there_is(
    page: Client, alice: User, guide: Agent
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ask(page, seen, conversation=last.pk, messages=last.message_count)
        return len(captured)

    last = conversation_of(alice, guide)
    seen = ask(page)["X-Seen"]
    before = cost()
    for _ in range(5):
        last = conversation_of(alice, guide)
        say(last)
        last.refresh_from_db()
        parked_delete(alice)
    assert cost() == before == 5  # session, person, both counts, the conversation


def test_every_page_of_the_frame_says_where_to_ask(page: Client) -> None:
    for address in ("/", "/skills/", "/documents/", "/actions/"):
        shown = page.get(address).content.decode()
        assert f'data-news-url="{URL}"' in shown
        assert "gatehouse/js/news.js" in shown


def test_nobody_who_is_signed_out_is_told_anything() -> None:
    assert Client().get(URL).status_code == 302
