"""What the random tool draws: fairly without a seed, the same for ever with one."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from config.base.models import User
from tests.tools.api import Api
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool
from tools.types.random.generators import Chance
from tools.types.random.operation_table import OPERATION_ARGUMENTS
from tools.types.random.operations import run
from tools.types.random.schemas import RandomConfig, RandomInput
from tools.types.random.tool import RandomType

CODES = {"empty", "range", "count", "limit"}
LETTERS = list("abcdef")
FEW = RandomConfig(max_items=6, max_count=5)


def draw(operation: str, *, config: RandomConfig | None = None, **arguments: Any) -> Any:
    given = RandomInput.model_validate({"operation": operation, **arguments})
    return run(given, config or RandomConfig())


def code_of(operation: str, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as failure:
        draw(operation, **arguments)
    return failure.value.code


@pytest.mark.parametrize(
    ("operation", "arguments", "expected"),
    [
        ("choice", {"items": LETTERS, "seed": 7}, "c"),
        ("sample", {"items": LETTERS, "count": 3, "seed": 7}, ["c", "a", "e"]),
        ("shuffle", {"items": LETTERS, "seed": "x"}, ["f", "a", "d", "e", "c", "b"]),
        (
            "integers",
            {"min": 1, "max": 49, "count": 6, "unique": True, "seed": 7},
            [21, 11, 44, 8, 39, 29],
        ),
        (
            "integers",
            {"min": -(10**18), "max": 10**18, "count": 2, "seed": 7},
            [-253292483152199259, 500952703861351911],
        ),
        ("floats", {"count": 2, "seed": 7}, [0.32383276483316237, 0.15084917392450192]),
        ("dice", {"count": 5, "seed": 7}, [3, 2, 6, 1, 5]),
    ],
)
def test_a_seed_gives_the_same_for_ever(
    operation: str, arguments: dict[str, Any], expected: Any
) -> None:
    assert draw(operation, **arguments) == expected
    assert draw(operation, **arguments) == expected


def test_without_a_seed_it_differs() -> None:
    assert len({tuple(draw("shuffle", items=list(range(30)))) for _time in range(20)}) == 20


def test_another_seed_draws_something_else() -> None:
    drawn = {str(draw("shuffle", items=list(range(30)), seed=seed)) for seed in (0, 1, "1", "")}
    assert len(drawn) == 4


def test_each_side_of_a_die_comes_up_as_often() -> None:
    rolls = Counter(draw("dice", config=RandomConfig(max_count=10_000), count=6_000, seed=1))
    assert set(rolls) == set(range(1, 7))
    assert all(850 < times < 1_150 for times in rolls.values())


def test_each_order_comes_up_as_often() -> None:
    chance = Chance(1)
    orders = Counter(tuple(chance.drawn([1, 2, 3], 3)) for _time in range(6_000))
    assert len(orders) == 6
    assert all(850 < times < 1_150 for times in orders.values())


@given(
    st.lists(st.none() | st.integers() | st.text(max_size=3), min_size=1, max_size=30),
    st.integers(),
)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_shuffle_loses_nothing(items: list[Any], seed: int) -> None:
    shuffled = Chance(seed).drawn(items, len(items))
    assert Counter(map(repr, shuffled)) == Counter(map(repr, items))


@given(st.integers(-(10**18), 10**18), st.integers(0, 60), st.integers(0, 9))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_whole_numbers_stay_in_their_range(low: int, width: int, seed: int) -> None:
    chance = Chance(seed)
    drawn = chance.distinct(low, low + width, width + 1)
    assert sorted(drawn) == list(range(low, low + width + 1))
    assert all(low <= chance.between(low, low + width) <= low + width for _time in range(20))


def test_different_numbers_come_from_all_of_a_large_range() -> None:
    drawn = draw("integers", min=1, max=10**18, count=1_000, unique=True)
    assert len(set(drawn)) == 1_000
    assert max(drawn) > 10**17


def test_floats_stay_below_their_maximum() -> None:
    assert set(draw("floats", min=1.0, max=1.0000000000000002, count=50)) == {1.0}
    assert all(-2.5 <= number < 7 for number in draw("floats", min=-2.5, max=7, count=100))


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("choice", {"items": []}, "empty"),
        ("shuffle", {"items": []}, "empty"),
        ("sample", {"items": LETTERS, "count": 7}, "count"),
        ("sample", {"items": LETTERS, "count": 0}, "count"),
        ("dice", {"count": -1}, "count"),
        ("integers", {"min": 1, "max": 3, "count": 4, "unique": True}, "count"),
        ("integers", {"min": 2, "max": 1}, "range"),
        ("integers", {"min": 0.5, "max": 1}, "range"),
        ("integers", {"min": 0, "max": 10**18 + 1}, "range"),
        ("integers", {"min": 0, "max": 1e300}, "range"),
        ("floats", {"min": 1, "max": 1}, "range"),
        ("floats", {"min": -1.7e308, "max": 1.7e308}, "range"),
        ("floats", {"min": 0, "max": 10**400}, "range"),
        ("dice", {"sides": 1}, "range"),
        ("dice", {"sides": 10**7}, "range"),
        ("dice", {"count": 1_001}, "limit"),
        ("dice", {"count": 10**400}, "limit"),
        ("choice", {"items": LETTERS, "seed": 10**400}, "limit"),
    ],
)
def test_it_refuses(operation: str, arguments: dict[str, Any], code: str) -> None:
    assert code_of(operation, **arguments) == code


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("choice", {"items": [*LETTERS, "g"]}),
        ("dice", {"count": 6}),
        ("floats", {"count": 6}),
        ("integers", {"min": 1, "max": 9, "count": 6}),
    ],
)
def test_it_keeps_to_its_config(operation: str, arguments: dict[str, Any]) -> None:
    assert code_of(operation, config=FEW, **arguments) == "limit"
    assert draw(operation, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "choice"},
        {"operation": "dice", "items": [1]},
        {"operation": "integers", "min": 1},
        {"operation": "floats", "min": float("nan")},
        {"operation": "floats", "max": float("inf")},
        {"operation": "integers", "min": True, "max": 3},
        {"operation": "dice", "seed": 1.5},
        {"operation": "dice", "seed": "x" * 201},
        {"operation": "lottery"},
    ],
)
def test_it_takes_what_an_operation_takes(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RandomInput.model_validate(arguments)


# --- As a tool ---


@pytest.fixture
def tool(db: None) -> Tool:
    return Tool.objects.get(slug="random")


def execute(tool: Tool, user: User, **arguments: Any) -> dict[str, Any]:
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, body = Api(user)("POST", path, {"input": arguments})
    assert status == 200
    answered: dict[str, Any] = body
    return answered


def test_items_come_back_as_they_were(tool: Tool, operator: User) -> None:
    items: list[Any] = [None, {"a": None, "b": [None]}, [], "", False]
    body = execute(tool, operator, operation="shuffle", items=items)
    assert sorted(map(repr, body["data"]["result"])) == sorted(map(repr, items))
    assert body["data"]["seeded"] is False


def test_it_is_the_same_again_with_a_seed_only() -> None:
    for seed in (None, 0, ""):
        given = RandomInput(operation="dice", seed=seed)
        annotations = RandomType().annotations(RandomConfig(), given)
        assert (annotations.read_only, annotations.risk) == (True, Risk.L0)
        assert annotations.idempotent is (seed is not None)
    assert not RandomType().annotations(RandomConfig()).idempotent


def test_its_description_tells_operations_limits_and_codes() -> None:
    text = RandomType().description(RandomConfig(max_items=777, max_count=555))
    assert all(f"- {name}(" in text for name in OPERATION_ARGUMENTS)
    assert "777" in text
    assert "555" in text
    assert all(code in text for code in CODES)


def test_a_limit_of_one_is_told_in_the_singular() -> None:
    with pytest.raises(ToolFailure, match="At most 1 draw in one call"):
        run(RandomInput(operation="dice", count=2), RandomConfig(max_count=1))
