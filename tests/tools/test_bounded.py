"""A computation that is stopped takes nothing else with it."""

import threading
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # no stubs are installed for it
import pytest

from tools.bounded import parent
from tools.bounded.failures import Refused
from tools.bounded.parent import Limits, run_bounded
from tools.errors import ToolFailure

HERE = "tests.tools.bounded_functions"
QUICK = Limits(seconds=1.0, memory_mb=256)


def run(name: str, limits: Limits | None = None, **arguments: Any) -> Any:
    return run_bounded(f"{HERE}:{name}", arguments, limits)


def refusal_of(name: str, limits: Limits | None = QUICK, **arguments: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as caught:
        run(name, limits, **arguments)
    return caught.value.code, caught.value.detail


@pytest.mark.parametrize("value", [None, 0.1, 2**80, "中文 \0 \ud800 \U0001f600", {"a": [1, {}]}])
def test_what_goes_in_comes_out(value: Any) -> None:
    assert run("repeat", value=value, times=2) == [value, value]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("spin", {}), ("match", {"pattern": "(a|a)*b", "text": "a" * 60})],
)
def test_what_runs_for_ever_is_stopped(name: str, arguments: dict[str, Any]) -> None:
    assert refusal_of(name, **arguments) == ("limit", "time")
    assert not [child for child in psutil.Process().children() if "bounded" in str(child.cmdline())]


def test_what_fills_the_memory_is_stopped() -> None:
    assert refusal_of("hog") == ("limit", "memory")


def test_what_nests_without_end_is_stopped() -> None:
    assert refusal_of("nest", depth=0) == ("limit", "memory")


def test_it_waits_for_a_free_place_no_longer_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent, "PLACE_SECONDS", 0.01)
    monkeypatch.setattr(parent, "_places", threading.BoundedSemaphore(1))
    with parent._places, pytest.raises(ToolFailure, match="at once") as failed:
        run("repeat", value=1)
    assert failed.value.code == "busy"
    assert run("repeat", value=1) == [1]


def test_a_place_is_free_again_whatever_became_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent, "PLACE_SECONDS", 0.01)
    monkeypatch.setattr(parent, "_places", threading.BoundedSemaphore(1))
    assert refusal_of("refuse", code="syntax")[0] == "syntax"
    with pytest.raises(RuntimeError):
        run("fail")
    assert run("repeat", value=1) == [1]


def test_an_answer_without_end_is_not_read() -> None:
    few = Limits(output_chars=1000)
    assert refusal_of("repeat", few, value="x" * 100, times=100) == ("limit", "output")


def test_a_refusal_keeps_its_code_and_detail() -> None:
    assert refusal_of("refuse", code="syntax") == ("syntax", "here")


def test_a_bug_is_no_refusal() -> None:
    with pytest.raises(RuntimeError, match="a bug"):
        run("fail")


def test_it_sees_no_secret_and_loads_no_django(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEHOUSE_MODEL_API_KEY", "secret")
    seen = run("look")
    assert "GATEHOUSE_MODEL_API_KEY" not in seen["environment"]
    assert not seen["django"]


def test_it_writes_no_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        run("write", path=str(tmp_path / "left"))
    assert not (tmp_path / "left").exists() or not (tmp_path / "left").read_text()
