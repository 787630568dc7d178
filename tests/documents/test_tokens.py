"""The estimate, against what tiktoken's cl100k_base itself counts in these texts (kept as data)."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from documents.tokens import estimate_tokens

COUNTED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "token_counts.json").read_text()
)
MOST = 0.2
OF_KIND = defaultdict(list)
for sample in COUNTED:
    OF_KIND[sample["kind"]].append(sample)


@pytest.mark.parametrize("sample", COUNTED, ids=lambda s: f"{s['kind']}-{s['text'][:12]!a}")
def test_the_estimate_is_within_a_fifth(sample: dict[str, Any]) -> None:
    """Of a few words, within three tokens."""
    counted = sample["cl100k"]
    assert abs(estimate_tokens(sample["text"]) - counted) <= max(MOST * counted, 3)


@pytest.mark.parametrize("kind", OF_KIND)
def test_the_texts_of_a_kind_are_within_a_tenth_together(kind: str) -> None:
    """So no kind is always under or over: a budget of many documents adds up."""
    counted = sum(sample["cl100k"] for sample in OF_KIND[kind])
    estimated = sum(estimate_tokens(sample["text"]) for sample in OF_KIND[kind])
    assert abs(estimated - counted) <= (0.13 if kind == "emoji" else 0.1) * counted


def test_there_are_enough_texts_of_every_kind_that_people_and_models_write() -> None:
    assert len(COUNTED) >= 60
    assert {"english", "chinese", "japanese", "code", "mixed"} <= OF_KIND.keys()


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


@pytest.mark.parametrize("text", ["a", "é", "字", "か", "한", "😀", "\n", "_", "\x00", "\u0301"])
def test_it_takes_any_character(text: str) -> None:
    assert estimate_tokens(text * 1000) >= 1
