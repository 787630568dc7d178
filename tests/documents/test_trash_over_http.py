"""The trash in the API and on its page: what a person deleted, they find and restore."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from documents.trash import label_of_rest
from tests.clients import codes_of, with_token
from tests.documents.conftest import ApiFor, BrowserOf
from tests.documents.factories import agent_of, events_of, make_deleted, make_document

pytestmark = pytest.mark.django_db
API, PAGE = "/api/agent-documents/trash/", "/documents/trash/"
SHOWN = {
    *("id", "type", "title", "summary", "tags", "revision", "content_length"),
    *("deleted_at", "expires_at", "agent_id", "origin"),
}


def restore_in(base: str, document: Document) -> str:
    return f"{base}{document.pk}/restore/"


@pytest.fixture
def api(api_for: ApiFor, alice: User) -> APIClient:
    return api_for(alice)


@pytest.fixture
def visitor(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


@pytest.fixture
def crowded(alice: User) -> None:
    for number in range(21):
        make_deleted(alice, f"D{number}")


# --- API ---


def test_the_api_lists_the_trash_without_contents(api: APIClient, alice: User, bob: User) -> None:
    make_deleted(bob)
    agent, memory = agent_of(alice), make_document(alice, "M", "text", type="memory", tags="a")
    services.delete_document(agent, memory.pk)
    answer = api.get(API).json()
    assert answer.keys() == {"count", "next", "previous", "results"}
    [item] = answer["results"]
    assert item.keys() == SHOWN
    assert (item["id"], item["type"], item["title"]) == (str(memory.pk), "memory", "M")
    assert (item["revision"], item["content_length"], item["tags"]) == (2, 4, ["a"])
    assert (item["agent_id"], item["origin"]) == (str(agent.agent_id), "chat")
    deletion = DocumentVersion.objects.get(document_id=memory.pk, revision=2)
    kept_until = (deletion.created_at + timedelta(days=30)).isoformat().replace("+00:00", "Z")
    assert item["expires_at"] == kept_until


@pytest.mark.usefixtures("crowded")
def test_the_api_lists_pages_in_few_queries(
    api: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):  # session, user, count, page
        answer = api.get(API).json()
    assert (answer["count"], len(answer["results"])) == (21, 20)
    [last] = api.get(API + "?page=2").json()["results"]
    assert last["title"] == "D0"
    assert api.get(API + "?page=9").status_code == 404


def test_the_api_restores(api: APIClient, alice: User) -> None:
    document = make_deleted(alice, content="the text")
    for _again in range(2):
        response = api.post(restore_in(API, document))
        assert response.status_code == 200
        assert response["ETag"] == '"3"'
        assert (response.json()["id"], response.json()["content"]) == (str(document.pk), "the text")
    assert events_of(document)[-1] == "document.restored"
    assert api.get(f"/api/agent-documents/{document.pk}/").status_code == 200
    assert api.get(API).json()["count"] == 0


def test_the_api_restores_only_what_is_yours(api_for: ApiFor, alice: User, operator: User) -> None:
    document = make_deleted(alice)
    addresses = [restore_in(API, document), f"{API}{uuid.uuid4()}/restore/", f"{API}no/restore/"]
    answers = [api_for(operator).post(address) for address in addresses]
    assert {(answer.status_code, *codes_of(answer)) for answer in answers} == {(404, "not_found")}
    assert len({answer.content for answer in answers}) == 1
    assert not Document.objects.exists()


def test_the_api_needs_somebody_signed_in(alice: User) -> None:
    document = make_deleted(alice)
    assert APIClient().get(API).status_code == 401
    assert APIClient().post(restore_in(API, document)).status_code == 401


@pytest.mark.parametrize(
    ("scope", "lists", "restores"), [("documents:read", 200, 403), ("documents:write", 403, 200)]
)
def test_a_token_does_what_its_scope_names(
    alice: User, scope: str, lists: int, restores: int
) -> None:
    client, document = with_token(alice, [scope]), make_deleted(alice)
    assert client.get(API).status_code == lists
    assert client.post(restore_in(API, document)).status_code == restores


# --- Page ---


def test_the_page_says_what_was_deleted_when_and_by_whom(
    visitor: Client, alice: User, bob: User
) -> None:
    make_deleted(alice, "By myself <b>")
    services.delete_document(agent_of(alice), make_document(alice, "By agent", type="memory").pk)
    make_deleted(bob, "Secret of Bob")
    page = visitor.get(PAGE)
    facts = [(line.title, line.type, line.by_agent) for line in page.context["lines"]]
    assert facts == [("By agent", "memory", True), ("By myself <b>", "document", False)]
    assert {line.left_label for line in page.context["lines"]} == {"30 days left"}
    text = page.content.decode()
    assert "Deleted by an agent · in a chat" in text
    assert "Deleted by you" in text
    assert "Secret of Bob" not in text
    assert "<b>" not in text


@pytest.mark.parametrize(
    ("left", "label"),
    [
        (timedelta(days=30), "30 days left"),
        (timedelta(days=29, seconds=1), "30 days left"),
        (timedelta(days=1, seconds=1), "2 days left"),
        (timedelta(days=1), "last day"),
        (timedelta(seconds=1), "last day"),
    ],
)
def test_the_page_counts_the_days_that_are_left(left: timedelta, label: str) -> None:
    assert label_of_rest(left) == label


@pytest.mark.usefixtures("crowded")
def test_the_page_has_pages_in_few_queries(
    visitor: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(6):  # session, user, count, page, two badges of the frame
        assert len(visitor.get(PAGE).context["lines"]) == 20
    assert [line.title for line in visitor.get(PAGE + "?page=2").context["lines"]] == ["D0"]
    assert visitor.get(PAGE + "?page=x").status_code == 200


def test_an_empty_trash_says_so(visitor: Client) -> None:
    assert "The trash is empty" in visitor.get(PAGE).content.decode()


def test_the_page_restores_and_shows_the_document(visitor: Client, alice: User) -> None:
    document = make_deleted(alice, "Notes")
    assert restore_in(PAGE, document) in visitor.get(PAGE).content.decode()
    response = visitor.post(restore_in(PAGE, document))
    assert response.headers["Location"] == f"/documents/{document.pk}/"
    assert "“Notes” is restored." in visitor.get(response.headers["Location"]).content.decode()
    assert visitor.post(restore_in(PAGE, document)).status_code == 302
    assert events_of(document).count("document.restored") == 1


def test_the_way_to_the_trash_is_shown(visitor: Client, alice: User) -> None:
    document = make_document(alice, "<i>Notes</i>")
    assert PAGE in visitor.get("/documents/").content.decode()
    deleted = visitor.post(f"/documents/{document.pk}/delete/", {"expected_revision": 1})
    [message] = get_messages(deleted.wsgi_request)
    assert f'href="{PAGE}"' in str(message)
    assert "<i>" not in str(message)


def test_the_page_restores_only_what_is_yours(
    browser_of: BrowserOf, alice: User, stranger: User
) -> None:
    document = make_deleted(alice, "Secret")
    response = browser_of(stranger).post(restore_in(PAGE, document))
    assert response.status_code == 404
    assert "Secret" not in response.content.decode()
    assert not Document.objects.exists()


def test_the_page_needs_somebody_signed_in(client: Client, alice: User) -> None:
    document = make_deleted(alice)
    for response in (client.get(PAGE), client.post(restore_in(PAGE, document))):
        assert response.status_code == 302
        assert "/accounts/login/" in response.headers["Location"]
    assert not Document.objects.exists()


# --- Both ---


@pytest.mark.parametrize("base", [API, PAGE])
def test_other_methods_are_refused(visitor: Client, alice: User, base: str) -> None:
    document = make_deleted(alice)
    assert visitor.post(base).status_code == 405
    for method in ("get", "put", "delete"):
        assert getattr(visitor, method)(restore_in(base, document)).status_code == 405
    assert not Document.objects.exists()
