import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from config.base.audit import Outcome
from skills.errors import MetadataRefused
from skills.metadata import MAX_DEPTH, MAX_ITEMS, MAX_TEXT, clean_metadata, clean_text

SOME_ID = uuid.UUID("018f3b5e-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**62, 2**62),
        (2**70, str(2**70)),
        (0.5, 0.5),
        (100.0, 100.0),
        (1e22, "1e+22"),
        (1e-7, "1e-07"),
        (-0.0, "-0.0"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (Decimal("1.5"), 1.5),
        ("text", "text"),
        ("中文", "中文"),
        ("a\0b", "a\ufffdb"),
        ("\ud800", "?"),
        (SOME_ID, str(SOME_ID)),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02 00:00:00+00:00"),
        (Outcome.DENIED, "denied"),
        (["a", ("b", 1)], ["a", ["b", 1]]),
        ({"inner": {"deep": 1}}, {"inner": {"deep": 1}}),
        ({SOME_ID: 1}, {str(SOME_ID): 1}),
    ],
)
def test_a_value_is_kept_so_that_it_reads_back_the_same(given: Any, kept: Any) -> None:
    assert clean_metadata({"value": given}) == {"value": kept}


def test_a_long_text_is_cut_and_marked() -> None:
    kept = clean_metadata({"text": "x" * 5000})["text"]
    assert len(kept) == MAX_TEXT
    assert kept.endswith("…")


def test_a_text_that_just_fits_is_not_cut() -> None:
    assert clean_text("x" * 10, 10) == "x" * 10
    assert clean_text("x" * 11, 10) == "x" * 9 + "…"


def nested(depth: int) -> dict[str, Any]:
    return {"inner": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    "metadata",
    [
        {"bytes": b"raw"},
        {"object": object()},
        {"list": list(range(MAX_ITEMS + 1))},
        {str(number): number for number in range(MAX_ITEMS + 1)},
        {str(number): list(range(MAX_ITEMS)) for number in range(MAX_ITEMS)},
        nested(MAX_DEPTH + 1),
    ],
    ids=["bytes", "object", "long list", "many keys", "many values", "deep"],
)
def test_what_is_not_small_json_is_refused(metadata: dict[str, Any]) -> None:
    with pytest.raises(MetadataRefused):
        clean_metadata(metadata)
