"""Pages of the `document` tool: by size and by budget, and no row is ever skipped."""

import json
from typing import Any

import pytest

from config.base.models import User
from documents import services
from documents.tokens import estimate_tokens
from documents.tool.config import DocumentConfig
from tests.documents.factories import agent_of, make_document, person
from tests.documents.test_tool import run

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def walk(user: User, config: DocumentConfig, **arguments: Any) -> list[dict[str, Any]]:
    """Follow next_page to the end, as a model does."""
    pages, page = [], 1
    while page:
        data = run(agent_of(user), config, action="list", page=page, **arguments).data
        pages.append(data)
        assert data["has_more"] == ("next_page" in data)
        page = data.get("next_page", 0)
    return pages


def names(pages: list[dict[str, Any]]) -> list[str]:
    return [item["title"] for page in pages for item in page["items"]]


def test_it_lists_the_newest_first_without_content(alice: User, bob: User) -> None:
    first, _second = make_document(alice, "A"), make_document(alice, "B", type="memory")
    make_document(bob, "C")
    services.update_document(person(alice), first.pk, title="A2")
    data = run(agent_of(alice), action="list").data
    assert [item["title"] for item in data["items"]] == ["A2", "B"]
    assert (data["total"], data["page"], data["page_size"], data["has_more"]) == (2, 1, 10, False)
    assert data["items"][0].keys() == {
        *("id", "title", "summary", "type", "tags", "revision", "updated_at"),
        "content_length",
    }


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"filter_type": "memory"}, ["C", "B"]),
        ({"q": "apple"}, ["A"]),
        ({"tag": "x"}, ["B", "A"]),
        ({"tag": "x", "filter_type": "document"}, ["A"]),
        ({"q": "nothing"}, []),
    ],
)
def test_it_lists_what_matches(alice: User, arguments: dict[str, Any], found: list[str]) -> None:
    make_document(alice, "A", "an apple", tags="x")
    make_document(alice, "B", "a pear", tags="x", type="memory")
    make_document(alice, "C", "a plum", type="memory")
    data = run(agent_of(alice), action="list", **arguments).data
    assert [item["title"] for item in data["items"]] == found


@pytest.mark.parametrize("page_size", [1, 3, 10, 20])
@pytest.mark.parametrize("budget", [1, 150, 400, 2000])
def test_following_the_pages_meets_every_document_once(
    alice: User, page_size: int, budget: int
) -> None:
    wanted = [f"Document {number}" for number in range(17)]
    for number, title in enumerate(wanted):
        make_document(alice, title, "字" * (number * 37 % 190 + 1))
    config = DocumentConfig(token_budget=budget)
    pages = walk(alice, config, page_size=page_size)
    assert names(pages) == wanted[::-1]
    assert all(1 <= len(page["items"]) <= page_size for page in pages)
    assert all(page["total"] == 17 for page in pages)


def test_a_page_stays_within_the_budget(alice: User) -> None:
    for number in range(20):
        make_document(alice, f"D{number}", "会议讨论了经营情况" * 30)
    pages = walk(alice, DocumentConfig(token_budget=900), page_size=20)
    assert len(pages) > 1
    assert max(estimate_tokens(json.dumps(page, ensure_ascii=False)) for page in pages) <= 900


def test_a_summary_that_alone_is_beyond_the_budget_is_cut_and_marked(alice: User) -> None:
    make_document(alice, "Long", "x", summary="word " * 390)
    [page] = walk(alice, DocumentConfig(token_budget=200))
    [item] = page["items"]
    assert item["summary_cut"] is True
    assert 0 < len(item["summary"]) < 1_000
    assert estimate_tokens(json.dumps(page)) <= 200


def test_a_page_beyond_the_last_is_empty(alice: User) -> None:
    make_document(alice)
    data = run(agent_of(alice), action="list", page=5).data
    assert (data["items"], data["has_more"], data["total"]) == ([], False, 1)


def test_lists_bring_what_their_documents_took_in(alice: User) -> None:
    make_document(alice, provenance=["untrusted"])
    assert run(agent_of(alice), action="list").provenance == {"private", "untrusted"}
    assert run(agent_of(alice), action="list", q="nothing").provenance == {"private"}


def test_the_default_page_is_no_larger_than_the_largest(alice: User) -> None:
    data = run(agent_of(alice), DocumentConfig(max_page_size=3), action="list").data
    assert data["page_size"] == 3
