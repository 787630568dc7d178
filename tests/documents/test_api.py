"""`/api/agent-documents/`: works, not signed in, somebody else's, bad input, wrong method."""

import uuid
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from config.base.models import User
from documents.models import Document
from tests.clients import with_token
from tests.documents.conftest import ApiFor
from tests.documents.factories import events_of, make_document

pytestmark = pytest.mark.django_db
LIST = "/api/agent-documents/"
WHOLE = {
    *("id", "type", "title", "summary", "tags", "provenance", "revision", "content_length"),
    *("created_at", "updated_at", "content"),
}
SHOWN = WHOLE - {"content"} | {"snippet", "why"}


def one(document: Document) -> str:
    return f"{LIST}{document.pk}/"


def codes(response: Any) -> list[tuple[str, str | None]]:
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


@pytest.fixture
def api(api_for: ApiFor, alice: User) -> APIClient:
    return api_for(alice)


# --- List ---


def test_the_list_has_no_contents(api: APIClient, alice: User, bob: User) -> None:
    make_document(alice, "A", "text")
    make_document(bob, "B")
    answer = api.get(LIST).json()
    assert answer.keys() == {"count", "next", "previous", "results"}
    [item] = answer["results"]
    assert item.keys() == SHOWN
    assert (item["title"], item["content_length"]) == ("A", 4)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["B", "A"]),
        ("?type=memory", ["B"]),
        ("?q=apple", ["A"]),
        ("?tag=x", ["A"]),
        ("?ordering=title", ["A", "B"]),
        ("?page_size=1", ["B"]),
        ("?page_size=1&page=2", ["A"]),
    ],
)
def test_the_list_is_searched(api: APIClient, alice: User, query: str, found: list[str]) -> None:
    make_document(alice, "A", "an apple", tags="x")
    make_document(alice, "B", "a pear", type="memory")
    assert [item["title"] for item in api.get(LIST + query).json()["results"]] == found


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?type=page", 400),
        ("?ordering=content", 400),
        ("?q=%00", 400),
        ("?q=" + "x" * 501, 400),
        ("?page=99", 404),
        ("?page=x", 404),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(api: APIClient, query: str, status: int) -> None:
    assert api.get(LIST + query).status_code == status


def test_the_list_takes_few_queries(
    api: APIClient, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        make_document(alice, f"D{number}")
    with django_assert_num_queries(4):  # session, user, count, page
        api.get(LIST)


# --- Create ---


def test_it_creates(api: APIClient, alice: User) -> None:
    body = {"title": "Minutes", "content": "# Hi\n\nall\n", "tags": "a, b"}
    response = api.post(LIST, body)
    assert response.status_code == 201
    assert response["ETag"] == '"1"'
    answer = response.json()
    assert answer.keys() == WHOLE
    assert (answer["type"], answer["tags"], answer["summary"]) == ("document", ["a", "b"], "Hi all")
    document = Document.objects.get()
    assert (document.owner, document.content, document.provenance) == (
        alice,
        "# Hi\n\nall\n",
        ["own"],
    )
    assert events_of(document) == ["document.created"]


def test_the_same_key_creates_once(api: APIClient) -> None:
    body = {"title": "Minutes", "content": "x"}
    first = api.post(LIST, body, headers={"Idempotency-Key": "k"})
    again = api.post(LIST, body, headers={"Idempotency-Key": "k"})
    other = api.post(LIST, {**body, "title": "Other"}, headers={"Idempotency-Key": "k"})
    assert first.json() == again.json()
    assert (other.status_code, codes(other)[0][0]) == (422, "idempotency_key_reused")
    assert Document.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, [("required", "title"), ("required", "content")]),
        ({"title": " ", "content": "c"}, [("empty", None)]),
        ({"title": "t", "content": " "}, [("empty", None)]),
        ({"title": "t" * 256, "content": "c"}, [("too_long", None)]),
        ({"title": "t", "content": "c" * 50_001}, [("too_long", None)]),
        ({"title": "t", "content": "c", "tags": "x" * 501}, [("too_long", None)]),
        ({"title": "t", "content": "c", "tags": [1]}, [("invalid", "tags")]),
        ({"title": "t", "content": "c", "tags": {}}, [("invalid", "tags")]),
        ({"title": "t", "content": "c", "type": "page"}, [("invalid_choice", "type")]),
        ({"title": None, "content": "c"}, [("null", "title")]),
        ({"title": ["t"], "content": "c"}, [("invalid", "title")]),
        ({"title": "t", "content": "c", "conversation": None}, [("unknown_field", "conversation")]),
        ({"title": "t", "content": "c", "owner": 1}, [("unknown_field", "owner")]),
    ],
)
def test_it_says_what_is_wrong(
    api: APIClient, body: dict[str, Any], wrong: list[tuple[str, str | None]]
) -> None:
    response = api.post(LIST, body)
    assert (response.status_code, codes(response)) == (400, wrong)
    assert not Document.objects.exists()


@pytest.mark.parametrize("body", ["[]", "{", '"x"', "null", r'{"title": "\ud800", "content": "c"}'])
def test_it_survives_what_is_no_document(api: APIClient, body: str) -> None:
    response = api.post(LIST, body, content_type="application/json")
    assert response.status_code == 400


# --- One ---


def test_it_shows_one(api: APIClient, alice: User) -> None:
    document = make_document(alice, content="text")
    response = api.get(one(document))
    assert response.status_code == 200
    assert response["ETag"] == '"1"'
    assert response.json()["content"] == "text"
    assert "conversation" not in response.json()


@pytest.mark.parametrize("method", ["put", "patch"])
def test_it_changes_what_is_given(api: APIClient, alice: User, method: str) -> None:
    document = make_document(alice, tags="a")
    response = getattr(api, method)(one(document), {"content": "new", "expected_revision": 1})
    assert response.status_code == 200
    assert response["ETag"] == '"2"'
    assert (response.json()["content"], response.json()["tags"]) == ("new", ["a"])
    assert events_of(document)[-1] == "document.updated"


def test_a_stale_revision_is_a_conflict(api: APIClient, alice: User) -> None:
    document = make_document(alice)
    api.patch(one(document), {"title": "newer"})
    response = api.patch(one(document), {"title": "mine", "expected_revision": 1})
    assert (response.status_code, codes(response)) == (409, [("stale_revision", None)])
    assert response.json()["revision"] == 2


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ('"1"', 200),
        ("*", 200),
        ('"9", "1"', 200),
        ('"2"', 412),
        ('W/"1"', 412),
        ("1", 412),
        ("nonsense", 412),
    ],
)
def test_if_match_holds_the_change_to_a_revision(
    api: APIClient, alice: User, header: str, status: int
) -> None:
    document = make_document(alice)
    response = api.patch(one(document), {"title": "x"}, headers={"If-Match": header})
    assert response.status_code == status
    deleted = api.delete(one(document), headers={"If-Match": '"9"'})
    assert (deleted.status_code, codes(deleted)) == (412, [("precondition_failed", None)])


def test_it_deletes(api: APIClient, alice: User) -> None:
    document = make_document(alice)
    assert api.delete(one(document)).status_code == 204
    assert api.get(one(document)).status_code == 404
    assert api.delete(one(document)).status_code == 404
    assert events_of(document)[-1] == "document.deleted"


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_what_is_not_yours_is_missing(
    api_for: ApiFor, alice: User, operator: User, method: str
) -> None:
    document = make_document(alice)
    call = getattr(api_for(operator), method)
    answers = [
        call(address, {"title": "x"})
        for address in (one(document), f"{LIST}{uuid.uuid4()}/", f"{LIST}nonsense/")
    ]
    assert {response.status_code for response in answers} == {404}
    assert len({response.content for response in answers}) == 1
    assert Document.objects.get().title == "Notes"


@pytest.mark.parametrize("body", [{"title": " "}, {"expected_revision": 0}, {"conversation": "x"}])
def test_a_bad_change_changes_nothing(api: APIClient, alice: User, body: dict[str, Any]) -> None:
    document = make_document(alice)
    assert api.patch(one(document), body).status_code == 400
    document.refresh_from_db()
    assert document.revision == 1


# --- Who may ---


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_nobody_gets_anything_without_signing_in(alice: User, method: str) -> None:
    document = make_document(alice)
    assert getattr(APIClient(), method)(one(document)).status_code == 401
    if method in {"get", "post"}:
        assert getattr(APIClient(), method)(LIST).status_code == 401


@pytest.mark.parametrize(
    ("scopes", "reads", "writes"),
    [(["documents:read"], 200, 403), (["documents:write"], 403, 201), (["agent"], 403, 403)],
)
def test_a_token_does_what_its_scopes_name(
    alice: User, scopes: list[str], reads: int, writes: int
) -> None:
    client = with_token(alice, scopes)
    assert client.get(LIST).status_code == reads
    assert client.post(LIST, {"title": "t", "content": "c"}).status_code == writes


def test_a_session_needs_its_csrf_token(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    response = client.post(LIST, {"title": "t", "content": "c"}, content_type="application/json")
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("method", "which"), [("put", "list"), ("patch", "list"), ("delete", "list"), ("post", "one")]
)
def test_other_methods_are_refused(api: APIClient, alice: User, method: str, which: str) -> None:
    address = LIST if which == "list" else one(make_document(alice))
    response = getattr(api, method)(address, {})
    assert (response.status_code, codes(response)) == (405, [("method_not_allowed", None)])


def test_a_search_says_why_and_puts_the_best_match_first(api: APIClient, alice: User) -> None:
    make_document(alice, "Zebras", "Two zebras and a lion")
    make_document(alice, "Other", "a zebra among many other animals of the plain")
    found = api.get(LIST, {"q": "zebra"}).json()["results"]
    assert [item["title"] for item in found] == ["Zebras", "Other"]
    assert found[0]["snippet"] == "Two zebras and a lion"
    assert found[0]["why"] == {"words": ["zebra"], "meaning": None}
    [newest, _] = api.get(LIST, {"q": "zebra", "ordering": "-updated_at"}).json()["results"]
    assert newest["title"] == "Other"
    assert {item["why"] for item in api.get(LIST).json()["results"]} == {None}


def test_pages_of_a_search_are_counted_whole(api: APIClient, alice: User) -> None:
    for number in range(5):
        make_document(alice, f"D{number}", "zebra")
    first = api.get(LIST + "?q=zebra&page_size=2").json()
    last = api.get(LIST + "?q=zebra&page_size=2&page=3").json()
    assert (first["count"], len(first["results"]), last["next"]) == (5, 2, None)
    assert len(last["results"]) == 1
