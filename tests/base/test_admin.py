"""People, tokens and their powers in the console."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from config.base.models import ApiToken, Scope, User
from config.base.tokens import create_token, find_token
from tests.factories import UserFactory
from tests.tools.conftest import actor_of
from tools.testing import events_of

pytestmark = pytest.mark.django_db

ADD_TOKEN = "admin:base_apitoken_add"
TOKENS = "admin:base_apitoken_changelist"


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def test_a_token_is_made_shown_once_and_never_again(console: Client, alice: User) -> None:
    values = {"user": alice.pk, "name": "cron", "scopes": ["agent", "tools:read"]}
    shown = console.post(reverse(ADD_TOKEN), {**values, "_continue": "1"}, follow=True)
    found = re.search(r"gh_[\w-]{40,}", shown.content.decode())
    assert found is not None
    token = find_token(found[0])
    assert token is not None
    assert (token.user, token.scopes) == (alice, ["agent", "tools:read"])
    assert events_of(token.pk) == ["token.created"]
    for address in (reverse(TOKENS), reverse("admin:base_apitoken_change", args=[token.pk])):
        text = console.get(address).content.decode()
        assert found[0] not in text
        assert token.digest not in text
        assert token.hint in text


def test_a_new_token_has_all_scopes_but_confirming_ticked(console: Client) -> None:
    scopes = console.get(reverse(ADD_TOKEN)).context["adminform"].form["scopes"]
    offered = {box.data["value"] for box in scopes}
    ticked = {box.data["value"] for box in scopes if box.data["selected"]}
    assert offered == set(Scope.values)
    assert offered - ticked == {"actions:confirm"}


def test_tokens_are_revoked_and_can_not_be_changed_or_deleted(
    console: Client, operator: User, alice: User
) -> None:
    token, _text = create_token(alice, actor=actor_of(operator), name="a")
    for kind, values in (("change", {"name": "b"}), ("delete", {"post": "yes"})):
        address = reverse(f"admin:base_apitoken_{kind}", args=[token.pk])
        assert console.post(address, values).status_code == 403
    for _ in range(2):
        console.post(reverse(TOKENS), {"action": "revoke", "_selected_action": [token.pk]})
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert events_of(token.pk) == ["token.created", "token.revoked"]


def test_who_may_only_look_can_not_revoke(client: Client, operator: User, alice: User) -> None:
    token, _text = create_token(alice, actor=actor_of(operator), name="a")
    client.force_login(staff_with("view_apitoken"))
    client.post(reverse(TOKENS), {"action": "revoke", "_selected_action": [token.pk]})
    token.refresh_from_db()
    assert token.revoked_at is None
    assert client.get(reverse(ADD_TOKEN)).status_code == 403


def staff_with(*codenames: str) -> User:
    user = UserFactory.create(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


# --- Users ---


def form_of(user: User, **changes: Any) -> dict[str, Any]:
    inlines = {
        f"{name}-{kind}_FORMS": 0
        for name in ("memberships", "api_tokens")
        for kind in ("TOTAL", "INITIAL")
    }
    values = {
        "username": user.username,
        "email": user.email,
        "language": user.language,
        "time_zone": user.time_zone,
        "is_active": "on",
    }
    return {**values, **inlines, **changes}


def test_a_person_is_added_and_changed(console: Client) -> None:
    secret = "correct horse battery staple"
    values = {"username": "new", "password1": secret, "password2": secret}
    console.post(reverse("admin:base_user_add"), {**values, "usable_password": "true"})
    user = User.objects.get(username="new")
    assert user.check_password(secret)
    change = reverse("admin:base_user_change", args=[user.pk])
    assert console.post(change, form_of(user, language="zh-hans")).status_code == 302
    user.refresh_from_db()
    assert user.language == "zh-hans"
    assert events_of(user.pk) == ["config.changed"] * 2


def test_a_password_that_is_set_is_audited(console: Client, alice: User) -> None:
    change = reverse("admin:auth_user_password_change", args=[alice.pk])
    secret = "another horse battery staple"
    values = {"password1": secret, "password2": secret, "usable_password": "true"}
    assert console.post(change, {**values, "password2": "other"}).status_code == 200
    assert console.post(change, values).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(secret)
    assert events_of(alice.pk) == ["config.changed"]


def test_a_persons_tokens_are_shown_without_their_digest(
    console: Client, operator: User, alice: User
) -> None:
    token, _text = create_token(alice, actor=actor_of(operator), name="my laptop")
    text = console.get(reverse("admin:base_user_change", args=[alice.pk])).content.decode()
    assert "my laptop" in text
    assert token.digest not in text
    assert ApiToken.objects.count() == 1


def test_nobody_gives_a_power_that_they_do_not_have(client: Client, alice: User) -> None:
    client.force_login(staff_with("change_user", "view_user"))
    change = reverse("admin:base_user_change", args=[alice.pk])
    powers = {"is_staff": "on", "is_superuser": "on"}
    assert client.post(change, form_of(alice, email="a@example.com", **powers)).status_code == 302
    alice.refresh_from_db()
    assert (alice.email, alice.is_staff, alice.is_superuser) == ("a@example.com", False, False)


@pytest.mark.parametrize(
    "name",
    ["admin:base_user_change", "admin:auth_user_password_change", "admin:base_user_delete"],
)
def test_nobody_touches_a_person_of_higher_power(client: Client, operator: User, name: str) -> None:
    client.force_login(staff_with("change_user", "view_user", "delete_user"))
    values = form_of(operator, email="mine@example.com", post="yes", password1="a", password2="a")
    assert client.post(reverse(name, args=[operator.pk]), values).status_code == 403
