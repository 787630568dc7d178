"""The profile page: what people see and change of themselves."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.models import ApiToken, Scope, User
from config.base.tokens import find_token, use_token
from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.clients import token_of
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db

URL = "/accounts/profile/"
NEW = f"{URL}tokens/new/"
WHOLE = {"display_name": "Alice Liddell", "language": "en", "time_zone": "Asia/Shanghai"}


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def text_of(response: Any) -> str:
    return BeautifulSoup(response.content, "html.parser").get_text(" ", strip=True)


def event(action: str) -> AuditEvent:
    return AuditEvent.objects.get(action=action)


# --- Name, language, zone ---


def test_it_stands_in_the_frame_of_every_page(hers: Client) -> None:
    assert f'href="{URL}"' in hers.get("/documents/").content.decode()


def test_what_is_saved_is_shown_and_audited(hers: Client, alice: User) -> None:
    answer = hers.post(URL, WHOLE, follow=True)
    assert "Alice Liddell" in text_of(answer)
    alice.refresh_from_db()
    assert (alice.display_name, alice.time_zone) == ("Alice Liddell", "Asia/Shanghai")
    assert event("profile.changed").metadata == {"fields": ["first_name", "time_zone"]}


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("shanghai", "Asia/Shanghai"),
        (" New  York ", "America/New_York"),
        ("utc", "UTC"),
        ("asia/shanghai", "Asia/Shanghai"),
    ],
)
def test_a_city_is_a_time_zone(hers: Client, alice: User, typed: str, zone: str) -> None:
    hers.post(URL, {**WHOLE, "time_zone": typed})
    alice.refresh_from_db()
    assert alice.time_zone == zone


def test_of_several_cities_of_a_name_one_is_chosen(hers: Client) -> None:
    answer = hers.post(URL, {**WHOLE, "time_zone": "Nicosia"})
    assert answer.status_code == 400
    assert "Asia/Nicosia, Europe/Nicosia" in text_of(answer)


def test_what_is_saved_unchanged_is_no_change(hers: Client) -> None:
    hers.post(URL, WHOLE)
    hers.post(URL, WHOLE)
    assert AuditEvent.objects.filter(action="profile.changed").count() == 1


def test_a_language_takes_effect_at_once(hers: Client) -> None:
    answer = hers.post(URL, {**WHOLE, "language": "zh-hans"}, follow=True)
    assert '<html lang="zh-hans"' in answer.content.decode()
    assert answer.headers["Content-Language"] == "zh-hans"


def test_every_time_is_in_ones_zone(hers: Client, alice: User) -> None:
    token_of(alice)
    moment = timezone.now().replace(hour=16, minute=20) - timedelta(days=1)
    ApiToken.objects.update(created_at=moment)
    hers.post(URL, WHOLE)
    found = re.findall(r'<time datetime="([^"]+)"', hers.get(URL).content.decode())
    assert all(value.endswith("+08:00") for value in found)
    assert any("T00:20:" in value for value in found)


def test_who_has_two_names_keeps_them(hers: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(first_name="Alice", last_name="Liddell")
    hers.post(URL, WHOLE)
    alice.refresh_from_db()
    assert (alice.first_name, alice.last_name) == ("Alice", "Liddell")


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../../etc/passwd"},
        {"time_zone": ""},
        {"language": "tlh"},
        {"display_name": "x" * 151},
    ],
)
def test_what_can_not_be_is_refused_and_nothing_changes(
    hers: Client, alice: User, wrong: dict[str, str]
) -> None:
    assert hers.post(URL, {**WHOLE, **wrong}).status_code == 400
    before = (alice.first_name, alice.language, alice.time_zone)
    alice.refresh_from_db()
    assert (alice.first_name, alice.language, alice.time_zone) == before


def test_more_tokens_cost_no_more_queries(hers: Client, alice: User) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            hers.get(URL)
        return len(captured)

    token_of(alice)
    assert cost() == 6  # session, person, two badges, count, rows
    for _ in range(15):
        token_of(alice)
    assert cost() == 6


# --- Tokens ---


def form(**changed: Any) -> dict[str, Any]:
    whole = {"row_id": str(uuid.uuid4()), "name": "backup", "days": "30", "scopes": ["agent"]}
    return {**whole, **changed}


def shown(response: Any) -> str:
    found = BeautifulSoup(response.content, "html.parser").select_one("#token")
    assert found is not None
    return str(found["value"])


def test_a_new_token_works_and_is_shown_once(hers: Client, alice: User) -> None:
    answer = hers.post(NEW, form())
    token = shown(answer)
    assert "no-store" in answer.headers["Cache-Control"]
    row = find_token(token)
    assert row is not None
    assert (row.user, row.name, row.scopes) == (alice, "backup", ["agent"])
    assert row.expires_at is not None
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)
    assert token not in hers.get(URL).content.decode()
    assert event("token.created").target_id == str(row.pk)


def test_a_form_sent_twice_makes_one_token(hers: Client) -> None:
    body = form()
    hers.post(NEW, body)
    again = hers.post(NEW, body, follow=True)
    assert "is not shown a second time" in text_of(again)
    assert ApiToken.objects.count() == 1


def test_confirming_and_what_is_not_there_yet_are_off_until_switched_on(hers: Client) -> None:
    boxes = BeautifulSoup(hers.get(NEW).content, "html.parser").select("input[name=scopes]")
    checked = {str(box["value"]): box.has_attr("checked") for box in boxes}
    assert checked.pop("actions:confirm") is False
    for later in ("work", "knowledge"):
        assert checked.pop(later) is False
    assert set(checked.values()) == {True}


def test_scopes_of_operators_are_offered_to_operators_only(
    hers: Client, client: Client, operator: User
) -> None:
    assert "tools:manage" not in hers.get(NEW).content.decode()
    assert hers.post(NEW, form(scopes=["tools:manage"])).status_code == 400
    client.force_login(operator)
    assert "tools:manage" in client.get(NEW).content.decode()
    assert find_token(shown(client.post(NEW, form(scopes=list(Scope.values))))) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"days": "31"},
        {"days": "-1"},
        {"row_id": "mine"},
    ],
)
def test_a_token_that_can_not_be_is_not_made(hers: Client, wrong: dict[str, Any]) -> None:
    assert hers.post(NEW, form(**wrong)).status_code == 400
    assert not ApiToken.objects.exists()


def test_a_token_without_end_is_possible(hers: Client) -> None:
    hers.post(NEW, form(days="0"))
    assert ApiToken.objects.get().expires_at is None


def test_revoking_asks_first_then_it_is_at_once(hers: Client, alice: User) -> None:
    token = shown(hers.post(NEW, form()))
    row = ApiToken.objects.get()
    question = f"{URL}tokens/{row.pk}/"
    assert question in hers.get(URL).content.decode()
    assert "Revoke “backup”" in text_of(hers.get(question))
    assert find_token(token) is not None
    assert "revoked" in text_of(hers.post(f"{question}revoke/", follow=True))
    assert find_token(token) is None
    assert event("token.revoked").target_id == str(row.pk)


def test_the_list_says_what_of_a_token(hers: Client, alice: User) -> None:
    use_token(token_of(alice, ["agent"]))
    ApiToken.objects.create(user=alice, name="old", digest="o", expires_at=timezone.now())
    said = text_of(hers.get(URL))
    assert "talk to agents" in said
    assert "last used" in said
    assert "expired" in said


# --- Password and sessions ---


def other_session(user: User) -> Client:
    other = Client()
    other.force_login(user)
    return other


def is_in(client: Client) -> bool:
    return client.get(URL).status_code == 200


def test_a_new_password_ends_other_sessions(hers: Client, alice: User) -> None:
    other = other_session(alice)
    new = "a horse of another colour"
    body = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert hers.post(f"{URL}password/", body).status_code == 302
    assert (is_in(hers), is_in(other)) == (True, False)
    alice.refresh_from_db()
    assert alice.check_password(new)
    assert event("password.changed").metadata == {}


@pytest.mark.parametrize(("old", "new"), [("wrong", "a horse of another colour"), (PASSWORD, "1")])
def test_a_password_that_is_not_good_is_refused(
    hers: Client, alice: User, old: str, new: str
) -> None:
    body = {"old_password": old, "new_password1": new, "new_password2": new}
    assert hers.post(f"{URL}password/", body).status_code == 400
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_signing_out_everywhere_ends_every_session_and_no_token(hers: Client, alice: User) -> None:
    other, token = other_session(alice), token_of(alice)
    assert hers.post(f"{URL}sign-out/").headers["Location"] == "/accounts/login/"
    assert (is_in(hers), is_in(other)) == (False, False)
    assert find_token(token) is not None
    assert event("sessions.ended").target_id == str(subject_of(alice))
    assert is_in(other_session(User.objects.get(pk=alice.pk)))
