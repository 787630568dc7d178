"""What the datetime tool answers, against a fixed present: Sunday, 29 November 2026, 12:00 UTC."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tools.enums import Risk
from tools.errors import ToolFailure
from tools.types.datetime.operation_table import OPERATION_ARGUMENTS
from tools.types.datetime.operations import Present, Result, run
from tools.types.datetime.schemas import DatetimeConfig, DatetimeInput
from tools.types.datetime.tool import DatetimeType

NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "datetime.json").read_text("utf-8")
)


def answer(operation: str, **arguments: Any) -> Result:
    given = DatetimeInput.model_validate({"operation": operation, **arguments})
    return run(given, Present(now=NOW))


def code_of(operation: str, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as failure:
        answer(operation, **arguments)
    return failure.value.code


def describe(case: dict[str, Any]) -> str:
    return f"{case['group']}: {case['operation']} {case['arguments']}"


@pytest.mark.parametrize("case", CASES, ids=describe)
def test_it_answers_each_case(case: dict[str, Any]) -> None:
    if "result" in case:
        assert answer(case["operation"], **case["arguments"]) == case["result"]
    elif case["error"] == "invalid_arguments":
        with pytest.raises(ValidationError):
            answer(case["operation"], **case["arguments"])
    else:
        assert code_of(case["operation"], **case["arguments"]) == case["error"]


def test_the_pinned_zones_are_those_that_count() -> None:
    """An older tzdata has Morocco at +01:00 then; the pinned one has it at UTC."""
    assert answer("now", tz="Africa/Casablanca") == "2026-11-29T12:00:00+00:00"
    assert answer("now", tz="Africa/Algiers") == "2026-11-29T13:00:00+01:00"


def test_it_says_which_arguments_an_operation_needs() -> None:
    with pytest.raises(ValidationError, match="convert needs: to"):
        answer("convert", datetime="2026-11-29T12:00:00Z")
    with pytest.raises(ValidationError, match="weekday does not take: tz"):
        answer("weekday", date="2026-11-29", tz="UTC")


def test_it_takes_null_for_an_argument_that_is_not_given() -> None:
    assert answer("weekday", date="2026-11-29", tz=None) == "Sunday"


def test_it_offers_both_times_of_a_repeated_hour() -> None:
    with pytest.raises(ToolFailure) as failure:
        answer("resolve_local", local="2026-11-01T01:30:00", tz="America/New_York")
    assert failure.value.details["choices"] == [
        "2026-11-01T01:30:00-04:00",
        "2026-11-01T01:30:00-05:00",
    ]


@pytest.mark.parametrize("huge", [10**30, -(10**400)])
def test_it_says_that_a_huge_number_is_out_of_range(huge: int) -> None:
    assert code_of("add_calendar", date="2026-11-29", days=huge) == "range"
    assert code_of("add_calendar", date="2026-11-29", years=huge) == "range"
    assert code_of("add_elapsed", datetime="2026-11-29T12:00:00Z", hours=huge) == "range"
    assert code_of("from_unix", seconds=huge) == "range"


def test_it_refuses_what_is_no_number() -> None:
    with pytest.raises(ValidationError):
        answer("from_unix", seconds=float("nan"))


def test_it_refuses_long_texts_patterns_and_lists() -> None:
    assert code_of("parse", text="1" * 201) == "limit"
    assert code_of("parse", text="㍼" * 150) == "limit"
    assert code_of("weekday", date="1" * 201) == "limit"
    assert code_of("format", datetime="2026-11-29", format="%Y" * 101) == "limit"
    holidays = ["2026-12-25"] * 2_001
    assert code_of("business_days_add", date="2026-11-29", days=1, holidays=holidays) == "limit"


def test_it_uses_the_configured_zone_where_none_is_named() -> None:
    given = DatetimeInput(operation="parse", text="tomorrow at 3pm")
    present = Present(now=NOW, default_zone="Asia/Shanghai")
    assert run(given, present) == "2026-11-30T15:00:00+08:00"


def test_it_refuses_a_config_with_an_unknown_zone() -> None:
    with pytest.raises(ValidationError, match="not an IANA zone"):
        DatetimeConfig(default_timezone="Mars/Phobos")


def test_it_shows_the_argument_names_of_the_outside() -> None:
    schema = DatetimeInput.model_json_schema()
    assert {"from", "to", "from_tz"} <= set(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["operation"]


def test_it_keeps_those_names_in_a_plan() -> None:
    given = DatetimeInput.model_validate({"operation": "days_between", "from": "a", "to": "b"})
    dumped = DatetimeType.arguments_json(given)
    assert dumped == {"operation": "days_between", "from": "a", "to": "b"}
    assert DatetimeInput.model_validate(dumped) == given


def test_it_names_every_operation_in_its_description() -> None:
    text = DatetimeType().description(DatetimeConfig())
    assert all(f"- {name}(" in text for name in OPERATION_ARGUMENTS)


def test_it_is_a_pure_computation() -> None:
    annotations = DatetimeType().annotations(DatetimeConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )
