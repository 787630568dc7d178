"""Signing in, out and failing to is audited; what was typed is not."""

import pytest
from django.test import Client

from config.base.models import User
from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, password: str) -> int:
    body = {"username": name, "password": password}
    return client.post("/accounts/login/", body).status_code


def test_signing_in_and_out_is_recorded(client: Client, alice: User) -> None:
    assert sign_in(client, "alice", PASSWORD) == 302
    signed_in = AuditEvent.objects.get(action="auth.signed_in")
    assert (signed_in.target_type, signed_in.target_id) == ("user", str(subject_of(alice)))
    assert client.post("/accounts/logout/").status_code == 302
    assert AuditEvent.objects.get(action="auth.signed_out").target_id == str(subject_of(alice))


def test_signing_out_without_being_in_is_nothing(client: Client) -> None:
    client.post("/accounts/logout/")
    assert not AuditEvent.objects.exists()


def test_a_wrong_password_names_the_account(client: Client, alice: User) -> None:
    assert sign_in(client, "alice", "hunter2-hunter2") == 200
    event = AuditEvent.objects.get()
    assert (event.action, event.outcome, event.reason_code) == (
        "auth.failed",
        "denied",
        "bad_credentials",
    )
    assert event.target_id == str(alice.pk)
    assert event.actor == "system"


def test_what_was_typed_is_never_kept(client: Client, alice: User) -> None:
    """People type their password into the field of the name."""
    assert sign_in(client, "my-secret-password", "another-secret") == 200
    row = AuditEvent.objects.filter(action="auth.failed").values().get()
    assert row["target_id"] == ""
    assert "secret" not in str(row)


@pytest.mark.parametrize("name", ["a\x00b", "x" * 10_000, "\u202e", " "])
def test_no_name_breaks_the_page(client: Client, name: str) -> None:
    assert sign_in(client, name, "pw") == 200


def test_somebody_inactive_can_not_sign_in(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert sign_in(client, "alice", PASSWORD) == 200
    assert AuditEvent.objects.get().action == "auth.failed"


@pytest.mark.parametrize(
    ("next_", "goes_to"),
    [
        ("/documents/", "/documents/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/\\evil.example", "/"),
    ],
)
def test_after_signing_in_one_stays_here(
    client: Client, alice: User, next_: str, goes_to: str
) -> None:
    body = {"username": "alice", "password": PASSWORD, "next": next_}
    response = client.post("/accounts/login/", body)
    assert response.headers["Location"] == goes_to
