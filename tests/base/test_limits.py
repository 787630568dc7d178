"""Who asks too much is told to wait: over the API, on pages, and when signing in."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from config.base import rates
from config.base.models import User
from tests.clients import codes_of, token_of, with_session, with_token
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db
API = "/api/agents/"
LOGIN = "/accounts/login/"


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    rates._held.clear()
    yield
    rates._held.clear()


def statuses(client: Any, path: str, times: int) -> list[int]:
    return [client.get(path).status_code for _ in range(times)]


def test_a_token_has_its_limit(alice: User, settings: Settings) -> None:
    settings.TOKEN_REQUESTS_PER_MINUTE = 2
    client = with_token(alice)
    assert statuses(client, API, 2) == [200, 200]
    refused = client.get(API)
    assert (refused.status_code, codes_of(refused)) == (429, ["throttled"])
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert with_token(alice).get(API).status_code == 200  # another of hers


def test_a_person_has_one_over_tokens_sessions_and_pages(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.REQUESTS_PER_MINUTE = 3
    assert with_token(alice).get(API).status_code == 200
    assert with_session(alice).get(API).status_code == 200
    assert with_session(alice).get("/documents/").status_code == 200
    refused = with_session(alice).get("/documents/")
    assert refused.status_code == 429
    assert "too much at once" in refused.content.decode()
    assert int(refused.headers["Retry-After"]) > 0
    assert with_token(alice).get(API).status_code == 429
    assert with_token(bob).get(API).status_code == 200


def test_without_a_limit_nothing_is_refused(alice: User) -> None:
    assert set(statuses(with_token(alice), API, 30)) == {200}


# --- Signing in ---


def try_to_sign_in(name: str, password: str = "wrong", *, at: str = "10.0.0.1") -> Any:
    body = {"username": name, "password": password}
    return Client().post(LOGIN, body, REMOTE_ADDR=at)


def test_guessing_comes_to_an_end(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 3
    assert [try_to_sign_in("alice").status_code for _ in range(3)] == [200] * 3
    refused = try_to_sign_in("alice", PASSWORD)
    assert refused.status_code == 429
    assert "Too many attempts to sign in. Try again in" in refused.content.decode()
    assert 0 < int(refused.headers["Retry-After"]) <= 900


def test_the_name_is_the_same_in_capitals(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 2
    assert [try_to_sign_in(name).status_code for name in ("alice", "ALICE", "Alice")][-1] == 429


def test_nobody_locks_alice_out_from_where_she_is(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 2
    for _ in range(5):
        try_to_sign_in("alice", at="10.6.6.6")
    assert try_to_sign_in("alice", PASSWORD, at="10.0.0.1").status_code == 302


def test_one_address_uses_up_nothing_of_an_account_elsewhere(
    alice: User, settings: Settings
) -> None:
    """However long it goes on; nor does it use up the attempts of its neighbours."""
    settings.SIGN_IN_ATTEMPTS = 2
    answers = [try_to_sign_in("alice", at="10.6.6.6").status_code for _ in range(60)]
    assert answers == [200] * 2 + [429] * 58
    assert try_to_sign_in("alice", PASSWORD, at="10.0.0.1").status_code == 302
    assert try_to_sign_in("bob", at="10.6.6.6").status_code == 200


def test_an_account_is_not_guessed_from_many_addresses(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 1
    answers = [try_to_sign_in("alice", at=f"10.0.1.{n}").status_code for n in range(11)]
    assert answers == [200] * 10 + [429]


def test_an_address_does_not_try_many_accounts(settings: Settings, db: None) -> None:
    settings.SIGN_IN_ATTEMPTS = 1
    answers = [try_to_sign_in(f"user{n}").status_code for n in range(11)]
    assert answers == [200] * 10 + [429]


def test_who_signs_in_rightly_is_never_counted(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 2
    for _ in range(12):
        assert try_to_sign_in("alice").status_code == 200
        assert try_to_sign_in("alice", PASSWORD).status_code == 302


def test_the_console_has_the_same_end(operator: User, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 1
    wrong = {"username": "operator", "password": "wrong"}
    Client().post("/admin/login/", wrong)
    refused = Client().post("/admin/login/", {**wrong, "password": PASSWORD})
    assert refused.status_code == 200
    assert "Too many attempts to sign in" in refused.content.decode()
    assert try_to_sign_in("operator", PASSWORD, at="127.0.0.1").status_code == 429


def test_a_program_with_a_token_goes_on_while_somebody_guesses(
    alice: User, settings: Settings
) -> None:
    settings.SIGN_IN_ATTEMPTS = 1
    token = token_of(alice)
    for _ in range(3):
        try_to_sign_in("alice")
    headers = {"Authorization": f"Bearer {token}"}
    assert Client(headers=headers).get(API).status_code == 200
