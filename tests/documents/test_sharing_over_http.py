"""Sharing in the API and on the pages."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.base.models import User
from documents.models import Document, DocumentShare
from tests.clients import codes_of, with_session, with_token
from tests.documents.conftest import BrowserOf
from tests.documents.factories import (
    events_of,
    make_document,
    share_by_link,
    share_with,
)

pytestmark = pytest.mark.django_db
API = "/api/agent-documents/"
SHARE = {"id", "kind", "user", "project", "created_at", "expires_at", "revoked_at", "last_used_at"}
SHARED = {
    *("id", "owner", "type", "title", "summary", "tags", "revision", "content_length"),
    *("updated_at", "shares"),
}


@pytest.fixture
def document(alice: User) -> Document:
    return make_document(alice, "Minutes", "What we agreed", tags="team")


def shares_of(document: Document) -> str:
    return f"{API}{document.pk}/shares/"


# --- API ---


def test_the_api_shares_with_a_person_once(document: Document, alice: User, bob: User) -> None:
    api = with_session(alice)
    body = {"kind": "user", "user": "bob"}
    first, again = (api.post(shares_of(document), body) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json().keys() == SHARE | {"url"}
    assert first.json() == again.json()
    assert (first.json()["user"], first.json()["url"]) == ("bob", None)
    [listed] = api.get(shares_of(document)).json()["results"]
    assert listed == {name: value for name, value in first.json().items() if name != "url"}
    assert DocumentShare.objects.get().user == bob


def test_the_api_tells_a_link_once(document: Document, alice: User, client: Client) -> None:
    api = with_session(alice)
    made = api.post(shares_of(document), {"kind": "link"}, headers={"Idempotency-Key": "k"})
    assert made.status_code == 201
    url = made.json()["url"]
    assert url.startswith("http://testserver/s/")
    assert client.get(url.removeprefix("http://testserver")).status_code == 200
    [listed] = api.get(shares_of(document)).json()["results"]
    assert "url" not in listed
    one = api.get(f"{shares_of(document)}{listed['id']}/")
    assert one.json().keys() == SHARE
    assert one.json()["last_used_at"] is not None


@pytest.mark.usefixtures("project")
def test_the_api_shares_with_a_project_until(document: Document, alice: User, bob: User) -> None:
    until = timezone.now() + timedelta(days=200)
    body = {"kind": "project", "project": "demo", "expires_at": until.isoformat()}
    assert with_session(alice).post(shares_of(document), body).status_code == 201
    [shared] = with_session(bob).get(f"{API}shared/").json()["results"]
    [share] = shared["shares"]
    assert (share["kind"], share["project"]) == ("project", "demo")
    assert share["expires_at"] == until.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"kind": "all"}, "invalid_choice"),
        ({"kind": "user"}, "invalid"),
        ({"kind": "user", "user": "bob", "project": "demo"}, "invalid"),
        ({"kind": "link", "user": "bob"}, "invalid"),
        ({"kind": "user", "user": "nobody"}, "unknown_person"),
        ({"kind": "user", "user": "alice"}, "own_document"),
        ({"kind": "project", "project": "none"}, "unknown_project"),
        ({"kind": "link", "expires_at": "2020-01-01T00:00:00Z"}, "in_the_past"),
        ({"kind": "link", "expires_at": "9999-12-31T23:59:59Z"}, "too_long"),
        ({"kind": "link", "expires_at": "9999-12-31T23:59:59-12:00"}, "invalid"),
        ({"kind": "user", "user": "bob", "expires_at": "9999-12-31T23:59:59Z"}, "too_long"),
        ({"kind": "link", "expires_at": "2030-01-01T00:00:00"}, "naive"),
        ({"kind": "link", "forever": True}, "unknown_field"),
    ],
)
@pytest.mark.usefixtures("bob")
def test_the_api_says_what_is_wrong(
    document: Document, alice: User, body: dict[str, Any], code: str
) -> None:
    answer = with_session(alice).post(shares_of(document), body)
    assert answer.status_code == 400
    assert codes_of(answer) == [code]
    assert not DocumentShare.objects.exists()


def test_the_api_revokes(document: Document, alice: User, bob: User) -> None:
    share = share_with(alice, document, bob).share
    api, url = with_session(alice), f"{shares_of(document)}{share.pk}/"
    assert [api.delete(url).status_code for _ in range(2)] == [204, 204]
    assert api.get(url).json()["revoked_at"]
    assert api.get(shares_of(document)).json()["results"] == []
    assert with_session(bob).get(f"{API}shared/{document.pk}/").status_code == 404
    for wrong in ("x", uuid.uuid4()):
        assert api.delete(f"{shares_of(document)}{wrong}/").status_code == 404


def test_a_reader_reads_and_does_nothing_else(document: Document, alice: User, bob: User) -> None:
    share = share_with(alice, document, bob).share
    api = with_session(bob)
    [item] = api.get(f"{API}shared/").json()["results"]
    assert item.keys() == SHARED
    assert (item["owner"], item["content_length"]) == ("alice", 14)
    whole = api.get(f"{API}shared/{document.pk}/").json()
    assert whole == {**item, "content": "What we agreed"}
    own = f"{API}{document.pk}/"
    doors = [own, f"{own}versions/", f"{own}versions/1/", shares_of(document)]
    doors.append(f"{shares_of(document)}{share.pk}/")
    assert {api.get(door).status_code for door in doors} == {404}
    assert api.patch(own, {"title": "Mine"}).status_code == 404
    assert api.delete(own).status_code == 404
    assert api.get(API).json()["count"] == 0


def test_scopes_divide_reading_from_sharing(document: Document, alice: User, bob: User) -> None:
    reader = with_token(alice, ["documents:read"])
    body = {"kind": "user", "user": "bob"}
    assert reader.post(shares_of(document), body).status_code == 403
    assert reader.get(shares_of(document)).status_code == 200
    assert with_token(alice, ["documents:write"]).post(shares_of(document), body).status_code == 201
    assert with_token(bob, ["documents:write"]).get(f"{API}shared/").status_code == 403
    assert events_of(document)[-1] == "document.shared"


def test_lists_take_few_queries(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    documents = [make_document(alice, f"D{number}") for number in range(5)]
    for one in documents:
        share_with(alice, one, bob)
        share_by_link(alice, one)
    mine, theirs = with_session(alice), with_session(bob)
    with django_assert_num_queries(5):  # session, user, count, page, shares
        assert theirs.get(f"{API}shared/").json()["count"] == 5
    with django_assert_num_queries(5):  # session, user, document, count, page
        assert mine.get(shares_of(documents[0])).json()["count"] == 2


# --- Pages ---


def test_the_viewer_shows_who_else_reads_and_takes_it_back(
    document: Document, alice: User, bob: User, browser_of: BrowserOf
) -> None:
    visitor, address = browser_of(alice), f"/documents/{document.pk}/"
    assert "Who else can read it" not in visitor.get(address).content.decode()
    sent = visitor.post(f"{address}share/", {"kind": "user", "user": "bob", "days": "0"})
    assert (sent.status_code, sent["Location"]) == (302, f"{address}share/")
    assert "Revoke for bob" in visitor.get(address).content.decode()
    assert "Revoke for bob" in visitor.get(f"{address}share/").content.decode()
    share = DocumentShare.objects.get()
    visitor.post(f"{address}shares/{share.pk}/revoke/")
    assert "Revoke for bob" not in visitor.get(address).content.decode()
    assert "Nobody but you." in visitor.get(f"{address}share/").content.decode()


def test_a_reader_is_told_whose_it_is(
    document: Document, alice: User, bob: User, browser_of: BrowserOf
) -> None:
    share_with(alice, document, bob)
    visitor = browser_of(bob)
    listed = visitor.get("/documents/shared/").content.decode()
    assert "Minutes" in listed
    assert "alice, with you" in listed
    text = visitor.get(f"/documents/{document.pk}/").content.decode()
    assert "This is alice’s document, shared with you to read." in text
    assert "What we agreed" in text
    for act in ("edit/", "delete/", "versions/", "share/"):
        assert act not in re.sub(r"<nav class=\"nav\".*?</nav>", "", text, flags=re.DOTALL)
        assert visitor.get(f"/documents/{document.pk}/{act}").status_code == 404
    assert "Minutes" not in visitor.get("/documents/").content.decode()


def test_without_any_the_page_says_what_would_stand_there(
    alice: User, browser_of: BrowserOf
) -> None:
    text = browser_of(alice).get("/documents/shared/").content.decode()
    assert "Nothing is shared with you" in text


def test_a_link_is_shown_once_on_a_page_that_no_cache_keeps(
    document: Document, alice: User, browser_of: BrowserOf, client: Client
) -> None:
    visitor, address = browser_of(alice), f"/documents/{document.pk}/share/"
    row = re.search(r'name="row_id" value="([^"]+)"', visitor.get(address).content.decode())
    assert row
    form = {"kind": "link", "days": "1", "row_id": row[1]}
    made = visitor.post(address, form)
    assert "no-store" in made["Cache-Control"]
    url = re.search(r'value="http://testserver(/s/[^"]+)"', made.content.decode())
    assert url
    assert client.get(url[1]).status_code == 200
    again = visitor.post(address, form)
    assert again.status_code == 302
    assert DocumentShare.objects.count() == 1


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"kind": "user", "user": "nobody", "days": "0"}, "There is nobody of this name."),
        ({"kind": "user", "user": "", "days": "0"}, "This field is required."),
        ({"kind": "project", "project": "none", "days": "0"}, "Select a valid choice."),
        ({"kind": "link", "days": "365"}, "Select a valid choice."),
        ({"kind": "all"}, ""),
        ({}, ""),
    ],
)
def test_the_page_says_what_is_wrong(
    document: Document, alice: User, browser_of: BrowserOf, form: dict[str, str], told: str
) -> None:
    answer = browser_of(alice).post(f"/documents/{document.pk}/share/", form)
    assert answer.status_code == 400
    assert told in answer.content.decode()
    assert not DocumentShare.objects.exists()
