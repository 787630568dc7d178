"""Settings come from the environment; a value that makes no sense is refused at once, by name."""

import stat
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import (
    env_bool,
    env_int,
    env_list,
    env_money,
    env_origins,
    env_redis_url,
    env_seconds,
    env_text,
    generated_secret,
)

NAME = "GATEHOUSE_TEST_VALUE"


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(NAME, raising=False)
    return monkeypatch


def test_what_is_not_set_is_the_default(put: pytest.MonkeyPatch) -> None:
    assert env_text(NAME) == ""
    assert env_text(NAME, "x") == "x"
    assert env_bool(NAME, default=True) is True
    assert env_bool(NAME, default=False) is False
    assert env_int(NAME, 7) == 7
    assert env_list(NAME, ("a", "b")) == ["a", "b"]


def test_spaces_around_a_value_do_not_count(put: pytest.MonkeyPatch) -> None:
    put.setenv(NAME, "  hello ")
    assert env_text(NAME) == "hello"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *[(text, True) for text in ("1", "true", "TRUE", "Yes", "on")],
        *[(text, False) for text in ("0", "false", "No", "OFF", "")],
    ],
)
def test_truth_is_spelt_in_a_few_ways(put: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    put.setenv(NAME, value)
    assert env_bool(NAME, default=not expected) is expected


@pytest.mark.parametrize("value", ["2", "maybe", "tru", "-1"])
def test_anything_else_is_no_truth(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env_bool(NAME, default=False)


@pytest.mark.parametrize("value", ["-1", "1.5", "ten", "1e3", "²", "٣", "4", ""])
def test_a_number_is_whole_and_not_below_its_minimum(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}.*5 or more"):
        env_int(NAME, 7, minimum=5)


def test_a_number_is_read(put: pytest.MonkeyPatch) -> None:
    put.setenv(NAME, " 12 ")
    assert env_int(NAME, 7, minimum=5) == 12


@pytest.mark.parametrize(("value", "amount"), [("0", "0"), ("2.50", "2.5"), (" 7 ", "7")])
def test_an_amount_of_money_is_exact(put: pytest.MonkeyPatch, value: str, amount: str) -> None:
    put.setenv(NAME, value)
    assert env_money(NAME, "1") == Decimal(amount)


@pytest.mark.parametrize("value", ["-1", "much", "NaN", "Infinity", "1,5"])
def test_what_is_no_amount_is_refused(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env_money(NAME, "1")


@pytest.mark.parametrize(
    ("value", "parts"), [("a", ["a"]), ("a, b ,,c", ["a", "b", "c"]), (" ", ["default"])]
)
def test_a_list_is_split_at_commas(put: pytest.MonkeyPatch, value: str, parts: list[str]) -> None:
    put.setenv(NAME, value)
    assert env_list(NAME, ("default",)) == parts


def test_a_secret_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "home" / "key"
    secret = generated_secret(path)
    assert len(secret) > 60
    assert generated_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_secrets_of_two_homes_differ(tmp_path: Path) -> None:
    assert generated_secret(tmp_path / "a") != generated_secret(tmp_path / "b")


def test_a_secret_that_is_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("mine\n")
    assert generated_secret(path) == "mine"


def test_another_process_that_was_first_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found none, and both must end with the same one."""
    path = tmp_path / "key"
    read = Path.read_text
    looks: list[Path] = []

    def read_text(self: Path) -> str:
        looks.append(self)
        if len(looks) == 1:
            path.write_text("theirs")  # just after we looked
            raise FileNotFoundError
        return read(self)

    monkeypatch.setattr(Path, "read_text", read_text)
    assert generated_secret(path) == "theirs"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("value", ["localhost:6379", "http://localhost:6379/0", "redis"])
def test_a_broker_that_is_no_redis_is_refused(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match="redis://"):
        env_redis_url(NAME)


@pytest.mark.parametrize("value", ["", "redis://h:1/0", "rediss://h/0", "unix:///run/redis.sock"])
def test_a_broker_is_read(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    assert env_redis_url(NAME) == value


@pytest.mark.parametrize("value", ["x", "nan", "inf", "-1", "0.5", "1,5"])
def test_what_are_no_seconds_is_refused(put: pytest.MonkeyPatch, value: str) -> None:
    put.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match="no number of seconds of 1 or more"):
        env_seconds(NAME, 7, minimum=1)


def test_seconds_may_have_a_fraction(put: pytest.MonkeyPatch) -> None:
    put.setenv(NAME, "2.5")
    assert env_seconds(NAME, 7) == 2.5


@pytest.mark.parametrize(
    ("value", "origins"),
    [
        ("127.0.0.1:8000", ["127.0.0.1:8000"]),
        ("https://gatehouse.example.com", ["gatehouse.example.com:443"]),
        ("http://a.example:81/, [::1]:8000", ["a.example:81", "[::1]:8000"]),
    ],
)
def test_origins_are_hosts_with_ports(
    monkeypatch: pytest.MonkeyPatch, value: str, origins: list[str]
) -> None:
    monkeypatch.setenv("GATEHOUSE_X", value)
    assert env_origins("GATEHOUSE_X") == origins


@pytest.mark.parametrize(
    "value", ["gatehouse.example.com", "ftp://a.example", "http://a.example/path", "a:b", ":80"]
)
def test_an_origin_that_protects_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("GATEHOUSE_X", value)
    with pytest.raises(ImproperlyConfigured):
        env_origins("GATEHOUSE_X")
