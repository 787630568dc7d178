"""Lists: count, next, previous, results; 20 to a page, 100 at most; an order without ties."""

import re
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from agents.models import Agent
from config.base.ids import uuid7
from config.base.models import Project, User
from config.base.rest.pagination import ordered
from tests.clients import codes_of, with_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def agents(db: None) -> None:
    for n in range(103):
        Agent.objects.create(slug=f"agent-{n:03}", name=f"Agent {n:03}")


def page(user: User, query: str = "") -> Any:
    return with_session(user).get(f"/api/agents/{query}")


def test_a_page_has_twenty_rows_and_links(alice: User, agents: None) -> None:
    body = page(alice).json()
    assert set(body) == {"count", "next", "previous", "results"}
    assert (body["count"], len(body["results"]), body["previous"]) == (103, 20, None)
    assert body["next"].endswith("/api/agents/?page=2")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("?page_size=7", 7),
        ("?page_size=100", 100),
        ("?page_size=101", 100),
        (f"?page_size={10**18}", 100),
        ("?page=6", 3),
    ],
)
def test_how_many_rows_a_page_has(alice: User, agents: None, query: str, rows: int) -> None:
    assert len(page(alice, query).json()["results"]) == rows


@pytest.mark.parametrize("size", ["0", "-1", "x", "", "1.5", "%00", "٣", "9" * 5000])
def test_what_is_no_size_is_refused(alice: User, agents: None, size: str) -> None:
    response = page(alice, f"?page_size={size}")
    assert (response.status_code, codes_of(response)) == (400, ["invalid"])


@pytest.mark.parametrize(
    "number", ["7", "0", "-1", "x", "", "last", "1.5", "%00", "9" * 30, "9" * 5000]
)
def test_a_page_that_is_not_there_is_404(alice: User, agents: None, number: str) -> None:
    response = page(alice, f"?page={number}")
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])


def test_the_pages_together_have_each_row_once(alice: User, agents: None) -> None:
    names = [
        row["slug"] for n in range(1, 7) for row in page(alice, f"?page={n}").json()["results"]
    ]
    assert names == sorted(set(names))
    assert len(names) == 103


def test_an_empty_list_is_a_page_too(stranger: User) -> None:
    body = page(stranger).json()
    assert body == {"count": 0, "next": None, "previous": None, "results": []}


# --- parameters ---


def lists() -> list[str]:
    """Every path of the document whose GET is a list."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    return [
        path
        for path, methods in schema["paths"].items()
        if "page_size" in [each["name"] for each in methods.get("get", {}).get("parameters", [])]
    ]


def test_every_list_refuses_a_parameter_that_it_does_not_have(operator: User) -> None:
    assert len(lists()) >= 15
    client = with_session(operator)
    for path in lists():
        response = client.get(re.sub(r"{\w+}", str(uuid7()), path), {"bogus": "1"})
        assert (response.status_code, codes_of(response)) == (400, ["unknown_parameter"]), path


def test_the_refusal_names_each_unknown_one_and_those_that_there_are(operator: User) -> None:
    response = with_session(operator).get("/api/agent-tools/?slugs=a&enabled=true&Page=2")
    assert response.status_code == 400
    errors = response.json()["errors"]
    assert [error["attr"] for error in errors] == ["Page", "slugs"]
    for error in errors:
        assert "slug, type, enabled, ordering, page, page_size" in error["detail"]


def test_no_answer_names_more_unknown_ones_than_anybody_reads(alice: User) -> None:
    response = page(alice, "?" + "&".join(f"x{n}=" for n in range(50)))
    assert codes_of(response) == ["unknown_parameter"] * 20


def test_what_is_not_read_as_a_list_takes_no_notice(alice: User) -> None:
    assert with_session(alice).options("/api/agents/?bogus=1").status_code == 200


def test_who_may_not_see_a_list_is_not_told_its_parameters(alice: User) -> None:
    response = with_session(alice).get("/api/agent-tools/?bogus=1")
    assert (response.status_code, codes_of(response)) == (403, ["permission_denied"])


# --- ordering ---


def in_order(query: str) -> list[str]:
    request = Request(APIRequestFactory().get(f"/{query}"))
    rows = ordered(Project.objects.all(), request, allowed=("name", "slug"), default="name")
    return [project.slug for project in rows]


@pytest.fixture
def projects(db: None) -> None:
    for slug, name in [("a", "Z"), ("b", "Y"), ("c", "Y")]:
        Project.objects.create(slug=slug, name=name)


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("", "bca"),
        ("?ordering=slug", "abc"),
        ("?ordering=-slug", "cba"),
        ("?ordering=name", "bca"),
        ("?ordering=-name", "acb"),  # ties go the same way round as the rest
    ],
)
def test_rows_come_in_the_order_asked_for(projects: None, query: str, slugs: str) -> None:
    assert "".join(in_order(query)) == slugs


@pytest.mark.parametrize(
    "wanted", ["", "id", "--name", "-", "name,slug", "%3F", "name__x", "members", "%00"]
)
def test_another_order_is_refused(projects: None, wanted: str) -> None:
    with pytest.raises(ValidationError) as refused:
        in_order(f"?ordering={wanted}")
    assert "ordering" in refused.value.get_full_details()
