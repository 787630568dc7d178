"""What unit_convert answers: exactly where it can, and what it refuses to take."""

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
from tools.types.unit_convert.aliases import EXACT, SAME
from tools.types.unit_convert.convert import convert
from tools.types.unit_convert.registry import find_unit
from tools.types.unit_convert.tool import UnitConvertConfig, UnitConvertInput, UnitConvertType

CODES = {"unit", "dimension", "number", "limit"}


def answer(value: Any, source: str, target: str) -> str:
    return convert(value, source, target).result


def failure_of(value: Any, source: str, target: str) -> ToolFailure:
    with pytest.raises(ToolFailure) as failure:
        convert(value, source, target)
    return failure.value


def code_of(value: Any, source: str, target: str) -> str:
    return failure_of(value, source, target).code


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        ("1", "mile", "km", "1.609344"),
        ("0.1", "inch", "mm", "2.54"),
        (0.1, "m", "mm", "100"),
        (2**80, "m", "m", "1208925819614629174706176"),
        ("72", "degF", "degC", "22.2222222222222"),
        ("-40", "°C", "°F", "-40"),
        ("20", "℃", "K", "293.15"),
        ("9", "delta_degF", "delta_degC", "5"),
        ("5", "K", "delta_degF", "9"),
        ("9", "W/(m*degF)", "W/(m*K)", "16.2"),
        ("90", "km/h", "m/s", "25"),
        ("1", "kg*m/s^2", "newton", "1"),
        ("1", "kg m s^-2", "N", "1"),
        ("1", "kg·m·s⁻²", "N", "1"),
        ("1", "m²", "cm2", "10000"),
        ("1", "m**3", "L", "1000"),
        ("1", "square foot", "square inches", "144"),
        ("1", "sq_ft", "in^2", "144"),
        ("60", "miles per hour", "km/h", "96.56064"),
        ("1", "nautical mile", "m", "1852"),
        ("7", "L/(100 km)", "mL/km", "70"),
        ("180", "deg", "rad", "3.14159265358979"),
        ("60", "rpm", "turn/s", "1"),
        ("1", "GB", "MiB", "953.67431640625"),
        ("1", "kWh", "MJ", "3.6"),
        ("12", "%", "1", "0.12"),
        ("98.6", "degrees Fahrenheit", "Celsius", "37"),
        ("1", "deg C", "K", "274.15"),
        ("1e400", "km", "m", "1e+403"),
        ("0", "m", "km", "0"),
        ("3", "公斤", "斤", "6"),
        ("15", "亩", "公顷", "1"),
        ("3", "市尺", "米", "1"),
        ("1", "平方公里", "亩", "1500"),
        ("72", "公里每小时", "米/秒", "20"),
        ("25", "摄氏度", "华氏度", "77"),
        ("1", "马力", "瓦", "735.49875"),
        ("1", "ton", "lb", "2000"),
        ("1", "吨", "kg", "1000"),
    ],
)
def test_it_converts(value: Any, source: str, target: str, expected: str) -> None:
    assert answer(value, source, target) == expected


def test_it_says_whether_it_rounded() -> None:
    assert not convert("1", "foot", "m").rounded
    assert convert("1", "m", "foot").rounded
    assert convert("1", "bohr", "m").rounded


def test_it_says_how_it_understood_the_units() -> None:
    converted = convert("1", "ft·lbf", "N m")
    assert converted.source == "foot*force_pound"
    assert converted.target == "newton*meter"


@pytest.mark.parametrize("name", [*SAME, *EXACT])
def test_each_alias_is_a_unit(name: str) -> None:
    assert find_unit(name) is not None


@pytest.mark.parametrize(
    ("source", "target"),
    [("m", "kg"), ("rpm", "Hz"), ("bit", "rad"), ("degC", "delta_degC"), ("m", "m^2"), ("m", "1")],
)
def test_it_refuses_what_measures_something_else(source: str, target: str) -> None:
    assert code_of(1, source, target) == "dimension"


@pytest.mark.parametrize(
    "text", ["", "x", "1,000", "1/3", "0x10", "1_000", "nan", "inf", "--1", "1e", "١", "１", "1 2"]
)
def test_it_takes_decimal_numbers_only(text: str) -> None:
    assert code_of(text, "m", "km") == "number"


def test_it_knows_that_nothing_is_colder_than_nothing() -> None:
    assert code_of("-273.16", "degC", "K") == "number"
    assert code_of("-1", "K", "degC") == "number"
    assert answer("-273.15", "degC", "K") == "0"


def test_it_offers_names_that_look_like_an_unknown_one() -> None:
    failure = failure_of(1, "killometer", "m")
    assert failure.code == "unit"
    assert "kilometer" in failure.details["near"]


def test_of_a_reciprocal_it_says_that_it_is_one() -> None:
    failure = failure_of(30, "mpg", "L/(100 km)")
    assert failure.code == "dimension"
    assert "1/value" in failure.message


def test_the_case_of_a_symbol_is_never_changed() -> None:
    assert code_of(1, "MBIT", "bit") == "unit"
    assert answer(1, "Mbit", "bit") == "1000000"
    assert answer(1, "Nautical Miles", "Meters") == "1852"


def test_what_has_two_readings_is_refused() -> None:
    assert code_of(1, "L/100 km", "L/km") == "unit"
    assert code_of(1, "J/kg K", "J/(kg*K)") == "unit"
    assert answer(1, "J/kg*K", "J*K/kg") == "1"


HOSTILE = {
    "a huge power": ("m^1000000000", "limit"),
    "a power with a million digits cut by the length": ("m^" + "9" * 1_000_000, "limit"),
    "a power of a power": ("((m^9)^9)^9", "limit"),
    "powers of powers": ("m**9**9**9", "unit"),
    "a fraction as a power": ("m**0.5", "unit"),
    "deep brackets": ("(" * 60 + "m" + ")" * 60, "limit"),
    "many brackets": ("(" * 100_000, "limit"),
    "many factors": ("*".join(["m"] * 60), "limit"),
    "many factors that cancel": ("m*" + "/".join(["m"] * 60), "limit"),
    "a long name": ("a" * 199, "unit"),
    "a long name with a prefix": ("yotta" * 20 + "meter", "unit"),
    "two prefixes": ("kkm", "unit"),
    "dunder": ("__class__", "unit"),
    "an attribute": ("m.__class__", "unit"),
    "a call": ("exec('1')", "unit"),
    "a string": ("'m'", "unit"),
    "a definition": ("x = 3 m", "unit"),
    "a directive": ("@alias meter = m", "unit"),
    "a hexadecimal number": ("0x10*m", "limit"),
    "underscores in a number": ("1_0*m", "unit"),
    "a sum": ("m+m", "unit"),
    "a difference": ("m-m", "unit"),
    "an uncertainty": ("m±1", "unit"),
    "a remainder": ("m%m", "unit"),
    "a comment": ("m#", "unit"),
    "a new line and more": ("m\n;s", "unit"),
    "zero": ("m/0", "limit"),
    "nothing": ("", "unit"),
    "brackets around nothing": ("()", "unit"),
    "a sign": ("/", "unit"),
    "a decibel": ("dBm", "unit"),
    "half a kelvin in thousands": ("millidegC", "unit"),
    "a text that grows when it is normalised": ("㍿" * 150, "limit"),
    "another alphabet's letters": ("ⅿ" * 10, "unit"),
    "a right-to-left mark": ("m\u202e", "unit"),
    "a lone surrogate": ("\ud800", "unit"),
}


@pytest.mark.parametrize(("text", "code"), HOSTILE.values(), ids=HOSTILE.keys())
def test_it_survives_hostile_units(text: str, code: str) -> None:
    assert code_of(1, text, "m") == code
    assert code_of(1, "m", text) == code


@pytest.mark.parametrize("value", ["9" * 401, "1e501", "1e-501", "1e" + "9" * 9, "1" * 100_000])
def test_it_survives_hostile_numbers(value: str) -> None:
    assert code_of(value, "m", "km") == "limit"
    assert code_of(10**5_000, "m", "km") == "limit"  # which has no decimal text at all


def test_the_largest_that_it_takes_is_answered() -> None:
    source = "/".join(["quettameter^12"] + ["parsec^12"] * 9)
    target = "/".join(["quectometer^12"] + ["inch^12"] * 9)
    assert "e" in answer("9" * 390 + "e500", source, target)


FRAGMENTS = st.sampled_from(
    [*"0123456789.,()+-*/%^_°µ² \n'\"[]@=#", "**", "per ", "km", "kg", "degC", "s", "square ", "每"]
)


def outcome(value: float, text: str) -> str:
    """Any other exception fails the test."""
    try:
        convert(value, text, "m")
    except ToolFailure as failure:
        return failure.code
    return "converted"


@given(st.lists(FRAGMENTS, max_size=25).map("".join) | st.text(max_size=40), st.floats())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_ends_with_a_value_or_a_code(text: str, value: float) -> None:
    assert outcome(value, text) in {"converted", *CODES}


@given(st.decimals(-(10**12), 10**12, places=6), st.sampled_from(["foot", "亩", "lb/ft^3", "degF"]))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_there_and_back_is_where_it_started(value: Any, unit: str) -> None:
    metric = {"foot": "m", "亩": "m^2", "lb/ft^3": "kg/m^3", "degF": "K"}[unit]
    number = str(abs(value))
    there = convert(number, unit, metric)
    back = answer(there.result, metric, unit)
    assert abs(float(back) - float(number)) <= 1e-9 * max(1.0, abs(float(number)))


# --- As a tool ---


@pytest.fixture
def tool(db: None) -> Tool:
    return Tool.objects.get(slug="unit_convert")


def test_it_answers_through_rest(tool: Tool, operator: User) -> None:
    arguments = {"value": "3", "from": "公斤", "to": "lb"}
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, body = Api(operator)("POST", path, {"input": arguments})
    assert status == 200
    assert body["data"] == {
        "result": "6.61386786554633",
        "rounded": True,
        "from_unit": "kilogram",
        "to_unit": "pound",
    }


@pytest.mark.parametrize(
    ("config", "arguments"),
    [
        ({"max_unit_chars": 10}, {"value": 1, "from": "kilometer/h", "to": "m/s"}),
        ({"max_unit_chars": 10}, {"value": 1, "from": "m/s", "to": "kilometer/h"}),
        ({"max_number_chars": 10}, {"value": "12345678901", "from": "m", "to": "km"}),
        ({"max_number_chars": 10}, {"value": 10**20, "from": "m", "to": "km"}),
    ],
)
def test_it_keeps_to_its_config(
    tool: Tool, operator: User, config: dict[str, int], arguments: dict[str, Any]
) -> None:
    Tool.objects.filter(pk=tool.pk).update(config=config)
    path = f"/api/agent-tools/{tool.pk}/execute/"
    _status, body = Api(operator)("POST", path, {"input": arguments})
    assert body["error"]["code"] == "limit"


@pytest.mark.parametrize("value", [True, None, [1], float("nan")])
def test_it_takes_text_and_numbers_only(value: Any) -> None:
    given = {"value": value, "from": "m", "to": "km"}
    try:
        code = code_of(UnitConvertInput.model_validate(given).value, "m", "km")
    except ValidationError:
        code = "invalid_arguments"
    assert code in {"invalid_arguments", "number"}


def test_it_is_a_pure_computation_that_tells_its_codes() -> None:
    annotations = UnitConvertType().annotations(UnitConvertConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )
    text = UnitConvertType().description(UnitConvertConfig(max_unit_chars=77))
    assert "77" in text
    assert all(code in text for code in CODES)
