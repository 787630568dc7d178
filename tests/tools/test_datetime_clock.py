"""The clock can be fixed, and a product that is in use refuses to start with a fixed one."""

import datetime as dt
from typing import Any

import pytest

from tools.checks import check_fixed_clock
from tools.types.datetime.clock import now
from tools.types.datetime.zones import get_zone, zone_names

FIXED = "2026-11-29T20:00:00+08:00"


def test_it_tells_the_real_time_in_utc(settings: Any) -> None:
    settings.TEST_NOW = None
    before = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=1)
    assert before <= now() <= dt.datetime.now(dt.UTC)
    assert now().microsecond == 0


def test_it_tells_the_fixed_time_when_there_is_one(settings: Any) -> None:
    settings.TEST_NOW = FIXED
    assert now().isoformat() == "2026-11-29T12:00:00+00:00"


@pytest.mark.parametrize(
    ("fixed", "debug", "ids"),
    [
        (None, False, []),
        (None, True, []),
        (FIXED, True, []),
        (FIXED, False, ["tools.E001"]),
        ("yesterday", True, ["tools.E002"]),
        ("2026-11-29T20:00:00", True, ["tools.E002"]),
        ("2026-13-29T20:00:00Z", False, ["tools.E001", "tools.E002"]),
    ],
)
def test_it_refuses_to_start_with_a_fixed_clock_in_use(
    settings: Any, fixed: str | None, debug: bool, ids: list[str]
) -> None:
    settings.TEST_NOW, settings.DEBUG = fixed, debug
    assert [error.id for error in check_fixed_clock(app_configs=None)] == ids


def test_it_knows_the_zones_of_the_pinned_data_only() -> None:
    assert {"UTC", "Asia/Shanghai", "America/Argentina/Buenos_Aires"} <= zone_names()
    assert not {"localtime", "posixrules", "Factory", "right/UTC", ""} & zone_names()


def test_it_opens_every_zone() -> None:
    for name in zone_names():
        assert get_zone(name).key == name
