"""The formula, as numbers."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from documents.search.scoring import Frequencies, rarity, recency, scaled

NOW = datetime(2023, 5, 8, tzinfo=UTC)
OF = Frequencies(entries=100, average_length=10.0, weights={"kite": 4.0, "red": 1.0})


def test_the_rarer_a_word_the_heavier() -> None:
    weights = [rarity(100, holding) for holding in (0, 1, 50, 99, 100)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0


def test_a_word_that_comes_again_counts_less_each_time() -> None:
    scores = [OF.score(["kite"] * count, 10) for count in range(4)]
    steps = [later - earlier for earlier, later in pairwise(scores)]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] > 0
    assert scores[1] == pytest.approx(4.0)


def test_a_longer_text_counts_less() -> None:
    assert OF.score(["kite"], 5) > OF.score(["kite"], 10) > OF.score(["kite"], 100) > 0


def test_other_words_count_nothing() -> None:
    assert OF.score(["whale"], 10) == 0
    assert Frequencies(0, 0.0, {}).score(["kite"], 0) == 0


def test_coverage_is_a_share_of_the_weight() -> None:
    assert OF.coverage({"kite"}) == 0.8
    assert OF.coverage({"kite", "red", "whale"}) == 1.0
    assert OF.coverage(set()) == 0
    assert Frequencies(0, 0.0, {}).coverage({"kite"}) == 0


def test_half_of_recency_is_gone_after_half_a_year() -> None:
    assert recency(NOW, NOW) == 1.0
    assert recency(NOW - timedelta(days=180), NOW) == 0.5
    assert recency(NOW + timedelta(days=9), NOW) == 1.0
    assert recency(datetime(1, 1, 1, tzinfo=UTC), NOW) < 1e-300


@pytest.mark.parametrize(
    ("value", "low", "high", "result"),
    [(1, 0, 2, 0.5), (2, 0, 2, 1), (0, 0, 2, 0), (3, 3, 3, 1), (0, 0, 0, 0), (-1, -1, -1, 0)],
)
def test_values_are_scaled_to_0_to_1(value: float, low: float, high: float, result: float) -> None:
    assert scaled(value, low, high) == result
