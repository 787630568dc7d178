"""What the calculator answers, and what it says when it does not."""

import json
from pathlib import Path
from typing import Any

import pytest

from config.base.errors import GatehouseError
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.types.calculator.functions import CONSTANTS, FUNCTIONS
from tools.types.calculator.tool import CalculatorConfig, CalculatorType, calculate

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "calculator.json").read_text("utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['group']}: {case['expression']!r}")
def test_it_answers_each_case(case: dict[str, Any]) -> None:
    if "result" in case:
        assert calculate(case["expression"]) == case["result"]
    else:
        with pytest.raises(ToolFailure) as failure:
            calculate(case["expression"])
        assert failure.value.code == case["error"]
        assert failure.value.message


def test_it_refuses_what_is_longer_than_its_config_allows() -> None:
    assert calculate("1+1+1", max_chars=5) == "3"
    with pytest.raises(GatehouseError, match="longer than 4 characters") as failure:
        calculate("1+1+1", max_chars=4)
    assert failure.value.code == "limit"


@pytest.mark.parametrize("count", [307, 1_000])
def test_it_prints_large_integers_in_full(count: int) -> None:
    assert calculate(f"10**{count}") == "1" + "0" * count


def test_it_names_every_function_and_constant_in_its_description() -> None:
    text = CalculatorType().description(CalculatorConfig())
    assert all(name in text for name in (*FUNCTIONS, *CONSTANTS))


def test_it_is_a_pure_computation() -> None:
    annotations = CalculatorType().annotations(CalculatorConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )
