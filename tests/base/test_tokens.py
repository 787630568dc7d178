"""API tokens: stored hashed, shown once, limited to scopes, revocable, expiring."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from config.base.actor import Actor, Origin
from config.base.errors import InvalidInput
from config.base.models import ApiToken, Scope, User
from config.base.tokens import PREFIX, create_token, digest_of, find_token, revoke_token, use_token
from skills.models import AuditEvent
from tests.clients import codes_of, token_of

pytestmark = pytest.mark.django_db


def actor(user: User) -> Actor:
    return Actor(user=user, origin=Origin.ADMIN)


def events(action: str) -> int:
    return AuditEvent.objects.filter(action=action).count()


def test_only_a_digest_is_stored(alice: User) -> None:
    row, token = create_token(alice, actor=actor(alice), name="laptop")
    assert token.startswith(PREFIX)
    assert len(token) > 40
    stored = {str(value) for value in ApiToken.objects.filter(pk=row.pk).values().get().values()}
    assert not any(token in value for value in stored)
    assert row.digest == digest_of(token)
    assert row.hint == token[-4:]


def test_a_new_one_may_do_everything_but_confirm(alice: User) -> None:
    row, _token = create_token(alice, actor=actor(alice), name="laptop")
    assert Scope.ACTIONS_CONFIRM not in row.scopes
    assert {*row.scopes, Scope.ACTIONS_CONFIRM} == set(Scope.values)


def test_scopes_are_those_asked_for_each_once(alice: User) -> None:
    row, _token = create_token(
        alice, actor=actor(alice), name="x", scopes=["agent", "jobs", "agent"]
    )
    assert row.scopes == ["agent", "jobs"]


def test_an_unknown_scope_is_refused_and_nothing_is_made(alice: User) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_token(alice, actor=actor(alice), name="x", scopes=["agent", "everything"])
    assert refused.value.code == "unknown_scope"
    assert not ApiToken.objects.exists()


def test_making_one_is_audited_without_the_token(alice: User) -> None:
    row, token = create_token(alice, actor=actor(alice), name="x")
    event = AuditEvent.objects.get(action="token.created")
    assert event.target_id == str(row.pk)
    assert token not in str(event.metadata)


def test_it_is_found_by_its_text_and_notes_its_use(alice: User) -> None:
    row, token = create_token(alice, actor=actor(alice), name="x")
    found = use_token(token)
    assert found is not None
    assert (found.pk, found.user) == (row.pk, alice)
    row.refresh_from_db()
    assert row.last_used_at is not None


def test_its_use_is_noted_once_a_minute(alice: User) -> None:
    row, token = create_token(alice, actor=actor(alice), name="x")
    use_token(token)
    row.refresh_from_db()
    first = row.last_used_at
    use_token(token)
    row.refresh_from_db()
    assert row.last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    use_token(token)
    row.refresh_from_db()
    assert row.last_used_at is not None
    assert first is not None
    assert row.last_used_at >= first


@pytest.mark.parametrize("text", ["", "gh_", "gh_wrong", "\x00", "ключ", "x" * 10_000])
def test_no_other_text_finds_one(alice: User, text: str) -> None:
    create_token(alice, actor=actor(alice), name="x")
    assert find_token(text) is None


def test_an_expired_one_is_of_no_use(alice: User) -> None:
    past = timezone.now() - timedelta(seconds=1)
    _row, token = create_token(alice, actor=actor(alice), name="x", expires_at=past)
    assert find_token(token) is None


def test_a_revoked_one_is_of_no_use_and_revoking_twice_is_once(alice: User) -> None:
    row, token = create_token(alice, actor=actor(alice), name="x")
    revoke_token(row, actor=actor(alice))
    row.refresh_from_db()
    first = row.revoked_at
    revoke_token(row, actor=actor(alice))
    row.refresh_from_db()
    assert find_token(token) is None
    assert row.revoked_at == first
    assert events("token.revoked") == 1


def test_one_of_somebody_who_may_not_sign_in_is_of_no_use(alice: User) -> None:
    token = token_of(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert find_token(token) is None


# --- As a client sees it ---


def get(header: str) -> tuple[int, list[str]]:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    response = client.get("/api/agents/")
    if response.status_code == 200:
        return 200, []
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    return response.status_code, codes_of(response)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(alice: User, scheme: str) -> None:
    assert get(f"{scheme} {token_of(alice)}") == (200, [])


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer gh_wrong", "Bearer gh_\xfc"])
def test_a_wrong_token_is_401(alice: User, header: str) -> None:
    assert get(header) == (401, ["authentication_failed"])


@pytest.mark.parametrize("header", ["", "Basic YTpi", "Token gh_x"])
def test_without_a_bearer_token_one_is_not_signed_in(alice: User, header: str) -> None:
    assert get(header) == (401, ["not_authenticated"])


def test_a_wrong_token_is_not_saved_by_a_session(alice: User) -> None:
    """A request that brings a token is judged by it alone."""
    client = APIClient()
    client.force_login(alice)
    assert client.get("/api/agents/").status_code == 200
    assert client.get("/api/agents/", HTTP_AUTHORIZATION="Bearer gh_wrong").status_code == 401


def test_a_head_request_needs_the_scope_of_reading(alice: User) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(alice, ['documents:read'])}")
    assert client.head("/api/agent-documents/").status_code == 200
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(alice, ['agent'])}")
    assert client.head("/api/agent-documents/").status_code == 403
