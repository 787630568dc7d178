"""The pages under `/memories/`: found, read, changed, put away, forgotten, taken along."""

import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.memories.services import create_memory
from agents.models import Agent, Conversation, Memory
from config.base.actor import Actor, Origin
from config.base.models import Project, User
from tests.agents.cards import conversation_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def her(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def page_of(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def remember(user: User, text: str, **values: Any) -> Memory:
    return create_memory(page_of(user), text, **values)


def soup(client: Client, address: str) -> BeautifulSoup:
    response = client.get(address)
    assert response.status_code == 200, response
    return BeautifulSoup(response.content, "html.parser")


def entries(client: Client, query: str = "") -> list[str]:
    page = soup(client, f"/memories/{query}")
    return [one.text.strip() for one in page.select(".listing .entry-title")]


def file(data: Any, name: str = "m.json") -> SimpleUploadedFile:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return SimpleUploadedFile(name, content, content_type="application/json")


class TestList:
    def test_who_has_none_is_told_how_there_come_to_be_some(self, her: Client) -> None:
        empty = soup(her, "/memories/").select(".empty")[0]
        assert "remember that" in empty.text
        assert "/memories/import/" in str(empty)

    def test_it_is_in_the_frame(self, her: Client) -> None:
        links = [one["href"] for one in soup(her, "/documents/").select(".nav-link")]
        assert "/memories/" in links

    def test_mine_are_found_by_what_they_say_with_why(
        self, her: Client, alice: User, bob: User
    ) -> None:
        remember(alice, "Likes green tea.")
        remember(alice, "Has a cat.")
        remember(bob, "Likes cola.")
        assert entries(her) == ["Has a cat.", "Likes green tea."]
        assert entries(her, "?q=which tea") == ["Likes green tea."]
        assert "found by: tea" in soup(her, "/memories/?q=which tea").text
        assert entries(her, "?q=parked") == []
        assert "Nothing found" in soup(her, "/memories/?q=parked").text

    def test_by_status_and_agent(self, her: Client, alice: User, guide: Agent) -> None:
        other = Agent.objects.create(slug="other", name="Other")
        remember(alice, "Of the guide.", agent_id=guide.pk)
        remember(alice, "Of another.", agent_id=other.pk)
        old = remember(alice, "Of old.")
        her.post(f"/memories/{old.pk}/archive/")
        assert entries(her, "?agent=guide") == ["Of the guide."]
        assert entries(her, "?status=archived") == ["Of old."]
        assert set(entries(her, "?agent=nobodys&status=nothing")) == {
            "Of another.",
            "Of the guide.",
        }

    def test_however_many_it_asks_as_often(
        self, her: Client, alice: User, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(25):
            remember(alice, f"tea {number}")
        with django_assert_max_num_queries(14):
            her.get("/memories/")
        with django_assert_max_num_queries(20):
            her.get("/memories/?q=tea")


class TestOne:
    def test_it_says_where_it_comes_from(self, her: Client, alice: User, guide: Agent) -> None:
        talk = conversation_of(alice, guide)
        actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=talk.pk)
        memory = create_memory(actor, "Tea is <b>free</b>.", provenance=["untrusted"])
        page = soup(her, f"/memories/{memory.pk}/")
        assert "Tea is <b>free</b>." in page.text
        assert "somebody else wrote" in page.text
        assert f"/chat/{talk.pk}/" in [one["href"] for one in page.select(".aside a")]

    def test_it_is_changed(self, her: Client, alice: User) -> None:
        memory = remember(alice, "Likes tea.")
        address = f"/memories/{memory.pk}/edit/"
        fields = {"text": "Likes green\r\ntea.", "subject": "Tea", "importance": "5"}
        assert her.post(address, fields).status_code == 302
        memory.refresh_from_db()
        assert (memory.text, memory.subject, memory.importance) == ("Likes green\ntea.", "Tea", 5)
        for wrong in ({"text": " "}, {"importance": "6"}, {"text": "x" * 2_001}):
            assert her.post(address, {**fields, **wrong}).status_code == 400

    def test_it_is_put_away_and_taken_back(self, her: Client, alice: User) -> None:
        memory = remember(alice, "Likes tea.")
        address = f"/memories/{memory.pk}/"
        assert her.post(f"{address}archive/").status_code == 302
        assert "in the archive" in soup(her, address).text
        assert her.post(f"{address}restore/").status_code == 302
        assert "in the archive" not in soup(her, address).text

    def test_it_is_forgotten_when_that_is_confirmed(self, her: Client, alice: User) -> None:
        old = remember(alice, "Lives in Hamburg.")
        memory = remember(alice, "Lives in Munich.", replaces=old.pk)
        address = f"/memories/{memory.pk}/forget/"
        assert "Lives in Munich." in soup(her, address).text
        assert Memory.objects.get(pk=memory.pk).text
        assert her.post(address, {"with_older": "on"}).status_code == 302
        assert set(Memory.objects.values_list("text", flat=True)) == {""}
        assert her.get(f"/memories/{memory.pk}/").status_code == 404

    def test_what_replaced_it_is_named_on_both(self, her: Client, alice: User) -> None:
        old = remember(alice, "Lives in Hamburg.")
        new = remember(alice, "Lives in Munich.", replaces=old.pk)
        for here, there in ((old, new), (new, old)):
            page = soup(her, f"/memories/{here.pk}/")
            assert f"/memories/{there.pk}/" in [one.get("href") for one in page.select("a")]
        assert her.post(f"/memories/{old.pk}/restore/").status_code == 302
        old.refresh_from_db()
        assert old.status == "superseded"

    def test_one_for_the_company_can_be_kept_for_oneself(
        self, her: Client, alice: User, project: Project
    ) -> None:
        memory = remember(alice, "We meet on Mondays.", project_id=project.pk)
        assert "waits for an operator" in soup(her, f"/memories/{memory.pk}/").text
        her.post(f"/memories/{memory.pk}/keep-private/")
        memory.refresh_from_db()
        assert (memory.visibility, memory.status) == ("private", "active")


class TestTakingAlong:
    def test_a_file_that_was_exported_is_read_again(self, her: Client, alice: User) -> None:
        remember(alice, "Likes tea. 喜欢茶")
        response = her.get("/memories/export/")
        assert response.headers["Content-Disposition"].startswith("attachment; filename=")
        assert "喜欢茶" in response.content.decode()
        Memory.objects.all().delete()
        sent = her.post("/memories/import/", {"file": file(response.content)})
        assert sent.status_code == 302
        memory = Memory.objects.get()
        assert (memory.text, memory.provenance) == ("Likes tea. 喜欢茶", ["own"])

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"no json", "no JSON"),
            (b"\xff\xfe", "no JSON"),
            (b"[]", "Invalid data"),
            ({"memories": "x"}, "memories"),
            ({"memories": [{"text": "Fine."}, {"txt": "x"}]}, "Line 2, txt"),
            ({"memories": [{"text": "Fine."}, {"text": " "}]}, "Line 2, text"),
            ({"memories": [{"text": "x", "importance": 9}]}, "Line 1, importance"),
        ],
        ids=str,
    )
    def test_what_can_not_be_read_says_where_and_takes_nothing(
        self, her: Client, content: Any, told: str
    ) -> None:
        response = her.post("/memories/import/", {"file": file(content)})
        assert response.status_code == 400
        page = BeautifulSoup(response.content, "html.parser")
        assert told in page.select(".notice-danger")[0].text
        assert not Memory.objects.exists()


class TestWithItsConversation:
    def test_one_for_a_conversation_is_archived_with_it(
        self, her: Client, alice: User, guide: Agent
    ) -> None:
        talk = conversation_of(alice, guide)
        actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=talk.pk)
        session = create_memory(actor, "Is in a hurry.", layer="session")
        for_good = create_memory(actor, "Likes tea.")
        her.post(f"/chat/{talk.pk}/delete/")
        assert not Conversation.objects.exists()
        session.refresh_from_db()
        for_good.refresh_from_db()
        assert (session.status, for_good.status) == ("archived", "active")
