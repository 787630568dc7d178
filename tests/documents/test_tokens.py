"""The estimate, against what cl100k itself counts in these texts."""

import json
from pathlib import Path

import pytest

from documents.tokens import estimate_tokens

COUNTED = json.loads((Path(__file__).parents[1] / "data" / "token_counts.json").read_text())


@pytest.mark.parametrize("name", COUNTED)
def test_the_estimate_is_within_a_fifth(name: str) -> None:
    counted = COUNTED[name]["cl100k"]
    assert abs(estimate_tokens(COUNTED[name]["text"]) - counted) <= 0.2 * counted


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


@pytest.mark.parametrize("text", ["a", "é", "字", "か", "한", "😀", "\n", "_", "\x00", "\u0301"])
def test_it_takes_any_character(text: str) -> None:
    assert estimate_tokens(text * 1000) >= 1
