"""How good an answer is: one formula for every kind and both databases, its weights here.

docs/measurements/search.md has what they were chosen by; `manage.py recall_benchmark` measures.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

# BM25: how soon a word that comes again counts no more, how much a long text is held against it.
K1, B = 0.9, 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    words: float = 0.5
    meaning: float = 0.5  # without it the words have both
    neighbour: float = 0.6  # of the better one of those before and after it
    subject: float = 0.2
    importance: float = 0.02
    recency: float = 0.01


WEIGHTS = Weights()
# Single characters meet by chance: what is alike in meaning says more, where that is known.
CJK_WEIGHTS = Weights(words=0.2, meaning=0.8)
_HALF_LIFE_DAYS = 180.0


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Of the words asked for, in their scope alone: nobody's scores depend on others' texts."""

    entries: int
    average_length: float
    weights: Mapping[str, float]  # by word: the rarer the heavier

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def score(self, words: Iterable[str], length: int) -> float:
        """BM25 of an entry."""
        counted = Counter(word for word in words if word in self.weights)
        longer = 1 - B + B * length / (self.average_length or 1.0)
        return sum(
            self.weights[word] * count * (K1 + 1) / (count + K1 * longer)
            for word, count in counted.items()
        )

    def coverage(self, words: Collection[str]) -> float:
        """Which share of the question's weight stands in an entry, 0 to 1."""
        total = self.total
        has = sum(weight for word, weight in self.weights.items() if word in words)
        return has / total if total else 0.0


def rarity(entries: int, holding: int) -> float:
    return math.log(1 + (entries - holding + 0.5) / (holding + 0.5))


def recency(happened_at: datetime, now: datetime) -> float:
    """1 for now, half of it after half a year."""
    days = max((now - happened_at).total_seconds(), 0.0) / 86_400
    return float(0.5 ** (days / _HALF_LIFE_DAYS))


def scaled(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else float(value >= high > 0)
