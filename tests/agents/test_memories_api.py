"""`/api/agent/memories/`: reading, changing, putting away, forgetting, taking along."""

from typing import Any

import pytest

from agents.memories.company import accept_memory
from agents.memories.services import archive_memory, create_memory, forget_memory, require_member
from agents.models import Agent, Memory
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import Project, Scope, User
from skills.models import AuditEvent
from tests.tools.api import Answer, Api

pytestmark = [pytest.mark.django_db, pytest.mark.both]

URL = "/api/agent/memories/"


@pytest.fixture
def her(alice: User) -> Api:
    return Api(alice, scopes=[Scope.AGENT])


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def remember(user: User, text: str, **values: Any) -> Memory:
    return create_memory(page(user), text, **values)


def codes(answer: Answer) -> list[tuple[str, str | None]]:
    return [(one["code"], one["attr"]) for one in answer[1]["errors"]]


def texts(answer: Answer) -> list[str]:
    assert answer[0] == 200, answer
    return [one["text"] for one in answer[1]["results"]]


def actions() -> list[str]:
    return list(
        AuditEvent.objects.filter(action__startswith="memory.")
        .order_by("pk")
        .values_list("action", flat=True)
    )


class TestList:
    def test_it_has_mine_the_latest_first_and_nobody_elses(
        self, her: Api, alice: User, bob: User
    ) -> None:
        remember(alice, "Likes tea.")
        remember(bob, "Likes cola.")
        forget_memory(page(alice), remember(alice, "Likes milk.").pk)
        remember(alice, "Has a cat.")
        assert texts(her("GET", URL)) == ["Has a cat.", "Likes tea."]

    def test_a_question_gets_the_best_first_each_with_its_why(self, her: Api, alice: User) -> None:
        for text in ("Likes green tea.", "Has tea at five.", "Has a cat."):
            remember(alice, text)
        answer = her("GET", f"{URL}?q=Which green tea do I like?")
        assert texts(answer)[0] == "Likes green tea."
        assert "Has a cat." not in texts(answer)
        assert set(answer[1]["results"][0]["why"]["words"]) == {"green", "tea", "like"}

    def test_what_nothing_answers_is_an_empty_list(self, her: Api, alice: User) -> None:
        remember(alice, "Likes green tea.")
        assert texts(her("GET", f"{URL}?q=parked car")) == []

    def test_by_status_and_agent(self, her: Api, alice: User, guide: Agent) -> None:
        other = Agent.objects.create(slug="other", name="Other")
        remember(alice, "tea of the guide", agent_id=guide.pk)
        remember(alice, "tea of another", agent_id=other.pk)
        remember(alice, "tea of all")
        old = remember(alice, "tea of old")
        her("POST", f"{URL}{old.pk}/archive/")
        assert texts(her("GET", f"{URL}?status=archived")) == ["tea of old"]
        assert texts(her("GET", f"{URL}?status=archived&q=tea old")) == ["tea of old"]
        assert set(texts(her("GET", f"{URL}?agent=guide&status=active"))) == {
            "tea of the guide",
            "tea of all",
        }
        assert set(texts(her("GET", f"{URL}?agent=guide&q=tea"))) == {
            "tea of the guide",
            "tea of all",
        }

    def test_a_status_that_is_none_is_refused(self, her: Api) -> None:
        assert codes(her("GET", f"{URL}?status=new")) == [("invalid_choice", "status")]
        assert codes(her("GET", f"{URL}?state=new")) == [("unknown_parameter", "state")]

    def test_however_many_it_asks_as_often(
        self, alice: User, django_assert_max_num_queries: Any
    ) -> None:
        client = Api(alice)
        for number in range(30):
            remember(alice, f"tea {number}")
        with django_assert_max_num_queries(8):
            client("GET", URL)
        with django_assert_max_num_queries(16):
            client("GET", f"{URL}?q=tea")

    def test_not_signed_in_and_without_the_scope(self, alice: User) -> None:
        assert Api()("GET", URL)[0] == 401
        assert Api(alice, scopes=["documents:read"])("GET", URL)[0] == 403


class TestOne:
    def test_it_is_kept_read_changed_and_forgotten(self, her: Api, guide: Agent) -> None:
        body = {"text": "Likes tea.", "importance": 4, "agent": "guide", "subject": "Tea"}
        status, made = her("POST", URL, body, Idempotency_Key="once")
        assert (status, made["text"], made["agent"]) == (201, "Likes tea.", "guide")
        assert her("POST", URL, body, Idempotency_Key="once")[1]["id"] == made["id"]
        address = f"{URL}{made['id']}/"
        assert her("GET", address)[1]["subject"] == "Tea"
        status, changed = her("PATCH", address, {"text": "Likes green tea."})
        assert (status, changed["text"], changed["revision"]) == (200, "Likes green tea.", 2)
        assert texts(her("GET", f"{URL}?q=green")) == ["Likes green tea."]
        assert her("DELETE", address) == (204, None)
        assert her("GET", address)[0] == 404
        assert texts(her("GET", f"{URL}?q=green")) == []
        assert actions() == ["memory.created", "memory.changed", "memory.forgotten"]

    def test_nothing_of_somebody_else_is_there(self, her: Api, bob: User) -> None:
        address = f"{URL}{remember(bob, 'Likes cola.').pk}/"
        asked: list[tuple[str, str, Any]] = [
            ("GET", address, None),
            ("PATCH", address, {"text": "Likes tea."}),
            ("DELETE", address, None),
            ("POST", f"{address}archive/", None),
            ("POST", f"{address}restore/", None),
        ]
        for one in asked:
            answer = her(*one)
            assert (answer[0], codes(answer)) == (404, [("not_found", None)])
        assert Memory.objects.get().text == "Likes cola."

    @pytest.mark.parametrize(
        ("body", "code", "attr"),
        [
            ({"text": ""}, "blank", "text"),
            ({"text": " "}, "required", None),
            ({"text": "x" * 2_001}, "max_length", "text"),
            ({"importance": 6}, "max_value", "importance"),
            ({"layer": "ever"}, "invalid_choice", "layer"),
            ({"layer": "session"}, "no_conversation", None),
            ({"status": "active"}, "unknown_field", "status"),
            ({"visibility": "company"}, "required", "project"),
            ({"project": "demo"}, "invalid", "project"),
        ],
        ids=str,
    )
    def test_what_does_not_fit_changes_nothing(
        self, her: Api, alice: User, body: dict[str, Any], code: str, attr: str | None
    ) -> None:
        memory = remember(alice, "Likes tea.")
        answer = her("PATCH", f"{URL}{memory.pk}/", body)
        assert (answer[0], codes(answer)) == (400, [(code, attr)])
        memory.refresh_from_db()
        assert (memory.text, memory.revision) == ("Likes tea.", 1)

    def test_put_away_and_taken_back(self, her: Api, alice: User) -> None:
        address = f"{URL}{remember(alice, 'Likes tea.').pk}/"
        for _again in range(2):
            assert her("POST", f"{address}archive/")[1]["status"] == "archived"
        assert texts(her("GET", f"{URL}?q=tea")) == []
        answer = her("PATCH", address, {"text": "Likes milk."})
        assert (answer[0], codes(answer)) == (409, [("not_active", None)])
        for _again in range(2):
            assert her("POST", f"{address}restore/")[1]["status"] == "active"
        assert texts(her("GET", f"{URL}?q=tea")) == ["Likes tea."]
        assert actions() == ["memory.created", "memory.archived", "memory.restored"]

    def test_what_was_replaced_stays_so(self, her: Api, alice: User) -> None:
        old = remember(alice, "Lives in Hamburg.")
        new = remember(alice, "Lives in Munich.", replaces=old.pk)
        for act in ("archive", "restore"):
            answer = her("POST", f"{URL}{old.pk}/{act}/")
            assert (answer[0], codes(answer)) == (409, [("superseded", None)])
        assert her("GET", f"{URL}{old.pk}/")[1]["superseded_by"] == str(new.pk)

    def test_what_it_replaced_is_forgotten_along_if_asked(self, her: Api, alice: User) -> None:
        first = remember(alice, "Lives in Hamburg.")
        second = remember(alice, "Lives in Munich.", replaces=first.pk)
        third = remember(alice, "Lives in Bern.", replaces=second.pk)
        her("DELETE", f"{URL}{second.pk}/")
        assert Memory.objects.get(pk=first.pk).text == "Lives in Hamburg."
        her("DELETE", f"{URL}{third.pk}/?with_older=true")
        assert set(Memory.objects.values_list("status", "text")) == {("forgotten", "")}


class TestForTheCompany:
    def test_it_waits_and_is_wider_only_when_both_are_named(
        self, her: Api, alice: User, operator: User, project: Project
    ) -> None:
        address = f"{URL}{remember(alice, 'We meet on Mondays.').pk}/"
        status, shown = her("PATCH", address, {"visibility": "company", "project": "demo"})
        assert (status, shown["status"], shown["project"]) == (200, "pending", "demo")
        memory = Memory.objects.get()
        accept_memory(page(operator), memory.pk)
        assert her("GET", address)[1]["status"] == "active"
        assert her("PATCH", address, {"importance": 5})[1]["status"] == "active"
        assert her("PATCH", address, {"text": "We meet on Tuesdays."})[1]["status"] == "pending"
        assert her("PATCH", address, {"visibility": "private"})[1]["status"] == "active"
        memory.refresh_from_db()
        assert (memory.project, memory.visibility) == (None, "private")

    def test_only_of_a_project_of_ones_own(self, her: Api, alice: User) -> None:
        Project.objects.create(slug="elsewhere", name="Elsewhere")
        memory = remember(alice, "We meet on Mondays.")
        body = {"visibility": "company", "project": "elsewhere"}
        assert her("PATCH", f"{URL}{memory.pk}/", body)[0] == 404
        assert Memory.objects.get().visibility == "private"


class TestTakingAlong:
    def test_what_was_exported_comes_back_as_it_was_and_once(
        self, her: Api, alice: User, guide: Agent
    ) -> None:
        remember(alice, "Likes tea.", agent_id=guide.pk, importance=5, subject="Tea")
        old = remember(alice, "Lives in Hamburg.", provenance=["private"])
        her("POST", f"{URL}{old.pk}/archive/")
        exported = her("GET", f"{URL}export/")[1]
        assert [one["text"] for one in exported["memories"]] == ["Likes tea.", "Lives in Hamburg."]
        assert her("POST", f"{URL}import/", exported)[1] == {"added": 0, "skipped": 2}
        Memory.objects.all().delete()
        assert her("POST", f"{URL}import/", exported)[1] == {"added": 2, "skipped": 0}
        assert her("POST", f"{URL}import/", exported)[1] == {"added": 0, "skipped": 2}
        rows = Memory.objects.order_by("pk").values_list("text", "agent", "importance", "status")
        assert list(rows) == [
            ("Likes tea.", guide.pk, 5, "active"),
            ("Lives in Hamburg.", None, 3, "archived"),
        ]
        sources = Memory.objects.order_by("pk").values_list("provenance", flat=True)
        assert list(sources) == [["own"], ["private"]]
        assert texts(her("GET", f"{URL}?q=tea")) == ["Likes tea."]

    def test_what_was_changed_or_is_somebody_elses_is_not_taken_at_its_word(
        self, her: Api, alice: User, bob: User
    ) -> None:
        remember(bob, "Likes cola.")
        exported = Api(bob)("GET", f"{URL}export/")[1]
        her("POST", f"{URL}import/", exported)
        assert Memory.objects.for_user(alice).get().provenance == ["untrusted"]
        his = Api(bob)
        Memory.objects.all().delete()
        exported["memories"][0]["text"] = "Likes rum."
        his("POST", f"{URL}import/", exported)
        assert Memory.objects.for_user(bob).get().provenance == ["untrusted"]

    def test_it_makes_nothing_wider(self, her: Api, alice: User) -> None:
        line = {"text": "We meet on Mondays.", "visibility": "company", "status": "active"}
        assert her("POST", f"{URL}import/", {"memories": [line]})[0] == 200
        assert Memory.objects.get().visibility == "private"

    def test_one_wrong_line_takes_none_and_is_named(self, her: Api) -> None:
        lines = [{"text": "Likes tea."}, {"text": " "}, {"text": "x", "importance": 9}]
        answer = her("POST", f"{URL}import/", {"memories": lines})
        assert answer[0] == 400
        assert codes(answer) == [
            ("required", "memories.1.text"),
            ("invalid", "memories.2.importance"),
        ]
        assert not Memory.objects.exists()

    @pytest.mark.parametrize(
        ("line", "code", "attr"),
        [
            ({}, "required", "memories.0.text"),
            ({"text": 5}, "invalid", "memories.0.text"),
            ({"text": "x", "agent": "nobody"}, "not_found", "memories.0.agent"),
            ({"text": "x", "owner": 5}, "unknown_field", "memories.0.owner"),
            ({"text": "x", "status": "new"}, "invalid_choice", "memories.0.status"),
        ],
        ids=str,
    )
    def test_what_is_no_line_is_refused(
        self, her: Api, line: dict[str, Any], code: str, attr: str
    ) -> None:
        answer = her("POST", f"{URL}import/", {"memories": [line]})
        assert (answer[0], codes(answer)) == (400, [(code, attr)])


def test_nobody_is_in_a_project_that_is_not() -> None:
    user = User.objects.create(username="nobody")
    with pytest.raises(Exception, match="no such project"):
        require_member(page(user), uuid7())


def test_a_question_may_be_as_long_as_a_memory_and_no_longer(alice: User, her: Api) -> None:
    archive_memory(page(alice), remember(alice, "Likes quinces.").pk)
    for status in ("active", "archived"):
        address = f"{URL}?status={status}&q="
        assert texts(her("GET", f"{address}{'_' * 2_000}")) == []
        refused = her("GET", f"{address}{'_' * 26_000}")  # SQLite fails on it
        assert (refused[0], codes(refused)) == (400, [("too_long", None)])
