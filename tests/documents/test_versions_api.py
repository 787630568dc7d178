"""`/api/agent-documents/{id}/versions/`."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from tests.clients import with_token
from tests.documents.conftest import ApiFor
from tests.documents.factories import agent_of, events_of, make_document, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(api_for: ApiFor, alice: User) -> APIClient:
    return api_for(alice)


@pytest.fixture
def document(alice: User) -> Document:
    document = make_document(alice, "Notes", "one\ntwo", tags="a")
    actor = agent_of(alice)
    return services.update_document(actor, document.pk, content="one\n2", title="New")


def address(document: Document, page: str = "") -> str:
    return f"/api/agent-documents/{document.pk}/versions/{page}"


def codes(response: Any) -> list[str]:
    return [error["code"] for error in response.json()["errors"]]


def test_it_lists_who_changed_what(api: APIClient, document: Document) -> None:
    answer = api.get(address(document)).json()
    assert (answer["count"], answer["next"]) == (2, None)
    newest, oldest = answer["results"]
    assert (newest["revision"], newest["change"], newest["user"]) == (2, "updated", "alice")
    assert newest["changed_fields"] == ["title", "content", "summary"]
    assert newest["agent_id"]
    assert newest["run_id"]
    assert (newest["origin"], oldest["agent_id"], oldest["restored_from"]) == ("chat", None, None)
    assert newest["content_length"] == 5
    assert "content" not in newest


def test_the_list_takes_few_queries(
    api: APIClient,
    alice: User,
    document: Document,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(30):
        services.update_document(person(alice), document.pk, content=f"text {number}")
    with django_assert_num_queries(5):  # session, user, document, count, page
        assert len(api.get(address(document)).json()["results"]) == 20


def test_it_reads_one(api: APIClient, document: Document) -> None:
    response = api.get(address(document, "1/"))
    answer = response.json()
    assert (answer["title"], answer["content"], answer["tags"]) == ("Notes", "one\ntwo", ["a"])
    assert (answer["content_length"], response["ETag"]) == (7, '"1"')


def test_it_tells_what_differs(api: APIClient, document: Document) -> None:
    answer = api.get(address(document, "1/diff/2/")).json()
    changed = {field["name"]: (field["before"], field["after"]) for field in answer["changed"]}
    assert changed == {"title": ("Notes", "New"), "summary": ("one two", "one 2")}
    assert (answer["before"], answer["after"]) == (1, 2)
    assert (answer["added"], answer["removed"]) == (1, 1)
    assert answer["unified"] == "--- r1\n+++ r2\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert api.get(address(document, "1/diff/1/")).json()["unified"] == ""


def test_it_restores_as_a_new_version(api: APIClient, document: Document) -> None:
    response = api.post(address(document, "1/restore/"))
    answer = response.json()
    assert (response.status_code, response["ETag"]) == (200, '"3"')
    assert (answer["title"], answer["content"], answer["revision"]) == ("Notes", "one\ntwo", 3)
    assert events_of(document)[-1] == "document.restored"
    assert api.get(address(document)).json()["results"][0]["restored_from"] == 1
    again = api.post(address(document, "1/restore/")).json()
    assert again["revision"] == 3


@pytest.mark.parametrize(("header", "status"), [('"2"', 200), ("*", 200), ('"1"', 412)])
def test_restoring_is_held_to_a_revision(
    api: APIClient, document: Document, header: str, status: int
) -> None:
    response = api.post(address(document, "1/restore/"), headers={"If-Match": header})
    assert response.status_code == status
    if status == 412:
        assert (codes(response), response.json()["revision"]) == (["precondition_failed"], 2)


def test_the_same_key_restores_once(api: APIClient, alice: User, document: Document) -> None:
    first = api.post(address(document, "1/restore/"), headers={"Idempotency-Key": "k"})
    services.update_document(person(alice), document.pk, content="newer")
    again = api.post(address(document, "1/restore/"), headers={"Idempotency-Key": "k"})
    assert first.json() == again.json()
    assert Document.objects.get().content == "newer"


@pytest.mark.parametrize("page", ["9/", "1/diff/9/", f"{10**12}/"])
def test_a_version_that_is_not_there_is_missing(
    api: APIClient, document: Document, page: str
) -> None:
    response = api.get(address(document, page))
    assert (response.status_code, codes(response)) == (404, ["not_found"])
    assert api.post(address(document, "9/restore/")).status_code == 404


def test_nobody_else_gets_anything(
    api_for: ApiFor, document: Document, stranger: User, operator: User
) -> None:
    before = DocumentVersion.objects.count()
    for user in (stranger, operator):
        for page in ("", "1/", "1/diff/2/"):
            assert api_for(user).get(address(document, page)).status_code == 404
        assert api_for(user).post(address(document, "1/restore/")).status_code == 404
    assert APIClient().get(address(document)).status_code == 401
    assert DocumentVersion.objects.count() == before


def test_a_token_needs_the_scope_to_write(alice: User, document: Document) -> None:
    reader = with_token(alice, ["documents:read"])
    assert reader.get(address(document)).status_code == 200
    assert reader.post(address(document, "1/restore/")).status_code == 403


def test_other_methods_are_refused(api: APIClient, document: Document) -> None:
    assert api.post(address(document)).status_code == 405
    assert api.delete(address(document, "1/")).status_code == 405
    assert api.get(address(document, "1/restore/")).status_code == 405


@pytest.mark.parametrize(
    ("header", "status"),
    [('"2"', 304), ('W/"2"', 304), ("*", 304), ('"1", "2"', 304), ('"1"', 200), ("2", 200)],
)
def test_what_a_client_has_already_is_not_sent_again(
    api: APIClient, document: Document, header: str, status: int
) -> None:
    url = f"/api/agent-documents/{document.pk}/"
    response = api.get(url, headers={"If-None-Match": header})
    assert (response.status_code, response["ETag"]) == (status, '"2"')
