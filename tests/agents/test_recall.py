"""Which memories answer a question, in English and Chinese, and whose."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.memories.recall import MOST, Recalled, recall
from agents.memories.rows import bring_in_step
from agents.models import Agent, Memory, MemoryStatus
from config.base.models import Project, User

IN_DATABASE = [pytest.mark.django_db, pytest.mark.both]


# --- Recall ---


def remember(user: User, text: str, *, days_ago: int = 0, **values: Any) -> Memory:
    memory = Memory.objects.create(owner=user, text=text, **values)
    then = timezone.now() - timedelta(days=days_ago)
    Memory.objects.filter(pk=memory.pk).update(created_at=then, updated_at=then)
    memory.refresh_from_db()
    bring_in_step(memory)
    return memory


def texts(found: list[Recalled]) -> list[str]:
    return [one.text for one in found]


class TestRecall:
    pytestmark = IN_DATABASE

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("Which tea do I like?", "Likes green tea."),
            ("你还记得我喜欢喝什么吗", "喜欢喝绿茶"),
            ("我女儿叫什么名字？", "女儿的名字是小雨"),
            ("When is my daughter's birthday?", "The daughter has her birthday in May."),
        ],
    )
    def test_the_best_match_comes_first(self, alice: User, question: str, answer: str) -> None:
        for text in (
            "Likes green tea.",
            "喜欢喝绿茶",
            "女儿的名字是小雨",
            "The daughter has her birthday in May.",
            "Works in Hamburg.",
            "住在上海",
        ):
            remember(alice, text)
        assert texts(recall(alice, None, question))[0] == answer

    def test_matches_then_importance_then_newness_decide(self, alice: User) -> None:
        remember(alice, "tea, old", days_ago=9)
        remember(alice, "tea, new", days_ago=1)
        remember(alice, "tea, important", days_ago=99, importance=5)
        remember(alice, "green tea", days_ago=999, importance=1)
        remember(alice, "milk", importance=5)
        found = recall(alice, None, "green tea")
        assert texts(found) == ["green tea", "tea, important", "tea, new", "tea, old"]
        assert [len(one.words) for one in found] == [2, 1, 1, 1]

    def test_nothing_that_matches_is_nothing(self, alice: User) -> None:
        remember(alice, "Likes tea.", importance=5)
        assert recall(alice, None, "Where did I park?") == []
        assert recall(alice, None, "我的车停在哪里") == []

    def test_part_of_a_word_is_no_match(self, alice: User) -> None:
        remember(alice, "Gave a party.")
        assert recall(alice, None, "art") == []

    def test_who_asks_for_nothing_gets_what_matters_most(self, alice: User) -> None:
        remember(alice, "small", importance=1)
        remember(alice, "large", importance=5)
        assert texts(recall(alice, None, "What do you remember?")) == ["large", "small"]
        assert texts(recall(alice, None, "")) == ["large", "small"]

    def test_at_most_six(self, alice: User) -> None:
        for number in range(9):
            remember(alice, f"tea {number}")
        assert len(recall(alice, None, "tea")) == MOST == 6

    def test_only_active_ones_of_this_person_with_this_agent_or_with_none(
        self, alice: User, bob: User, guide: Agent, project: Project
    ) -> None:
        other = Agent.objects.create(slug="other", name="Other")
        remember(alice, "tea of all")
        remember(alice, "tea of the guide", agent=guide)
        remember(alice, "tea of another", agent=other)
        remember(bob, "tea of bob")
        remember(bob, "tea of bob's guide", agent=guide)
        for status in (MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED):
            remember(alice, f"tea that is {status}", status=status)
        waits: dict[str, Any] = {"status": "pending", "visibility": "company", "project": project}
        remember(alice, "tea that waits", **waits)
        remember(alice, "", status=MemoryStatus.FORGOTTEN)
        assert set(texts(recall(alice, guide.pk, "tea"))) == {"tea of all", "tea of the guide"}
        assert texts(recall(alice, None, "tea")) == ["tea of all"]
        assert set(texts(recall(alice, guide.pk, ""))) == {"tea of all", "tea of the guide"}

    def test_however_many_there_are_it_asks_as_often(
        self, alice: User, django_assert_num_queries: Any
    ) -> None:
        for number in range(20):
            remember(alice, f"tea {number}")
        with django_assert_num_queries(6):
            recall(alice, None, "tea")
        with django_assert_num_queries(1):
            recall(alice, None, "")
