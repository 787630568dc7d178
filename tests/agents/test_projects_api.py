"""/api/agent/projects/: where one is a member."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from config.base.models import Role, User
from tests.clients import with_token
from tests.factories import MembershipFactory, ProjectFactory

pytestmark = pytest.mark.django_db

URL = "/api/agent/projects/"


def found(user: User, query: str = "") -> Any:
    response = with_token(user).get(f"{URL}{query}")
    assert response.status_code == 200
    return response.json()


@pytest.fixture
def second(alice: User) -> None:
    project = ProjectFactory.create(slug="a-second", name="Zeta")
    MembershipFactory.create(user=alice, project=project, role=Role.SUPERVISOR)
    MembershipFactory.create(project__slug="theirs")


@pytest.mark.usefixtures("second")
def test_it_lists_ones_own_projects_with_the_role_in_each(alice: User) -> None:
    assert found(alice)["results"] == [
        {"slug": "demo", "name": "Demo", "role": "employee"},
        {"slug": "a-second", "name": "Zeta", "role": "supervisor"},
    ]


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("?ordering=slug", ["a-second", "demo"]),
        ("?ordering=-slug", ["demo", "a-second"]),
        ("?ordering=-role", ["a-second", "demo"]),
        ("?page_size=1&page=2", ["a-second"]),
    ],
)
def test_it_is_ordered_and_paged(alice: User, query: str, slugs: list[str]) -> None:
    assert [row["slug"] for row in found(alice, query)["results"]] == slugs


def test_who_is_in_none_has_none(stranger: User) -> None:
    assert found(stranger) == {"count": 0, "next": None, "previous": None, "results": []}


def test_it_needs_a_sign_in_and_its_scope(alice: User) -> None:
    assert APIClient().get(URL).status_code == 401
    assert with_token(alice, ["documents:read"]).get(URL).status_code == 403


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_it_is_only_read(alice: User, method: str) -> None:
    assert getattr(with_token(alice), method)(URL).status_code == 405
