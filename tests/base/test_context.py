"""The frame of every page: where one is, and what waits."""

from typing import Any

import pytest
from django.test import RequestFactory

from config.base.context import NavItem, frame
from config.base.models import User
from tests.agents.cards import parked_delete


def nav(path: str, user: User | None = None) -> list[NavItem]:
    request = RequestFactory().get(path)
    if user:
        request.user = user
    items: list[NavItem] = list(frame(request)["nav_items"])
    return items


@pytest.mark.parametrize(
    ("cookie", "theme"), [("light", "light"), ("dark", "dark"), ("", ""), ('"><script>', "")]
)
def test_the_theme_is_one_of_two_or_none(cookie: str, theme: str) -> None:
    request = RequestFactory().get("/")
    request.COOKIES["theme"] = cookie
    assert frame(request)["theme"] == theme


def test_nobody_gets_no_navigation() -> None:
    assert nav("/") == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "active"),
    [
        ("/", ["Chat"]),
        ("/chat/0190-some-conversation/", ["Chat"]),
        ("/actions/", ["Actions"]),
        ("/actions/?tab=decided", ["Actions"]),
        ("/documents/", ["Documents"]),
        ("/documents/new/", ["Documents"]),
        ("/skills/", ["Skills"]),
        ("/accounts/profile/password/", ["Profile"]),
        ("/chatter/", []),
        ("/admin/", []),
    ],
)
def test_the_section_of_the_page_is_marked(alice: User, path: str, active: list[str]) -> None:
    items = nav(path, alice)
    labels = ["Chat", "Actions", "Documents", "Memories", "Knowledge", "Skills", "Profile"]
    assert [item.label for item in items] == labels
    assert [item.label for item in items if item.active] == active


@pytest.mark.django_db
def test_the_badge_counts_what_waits_for_this_person_and_says_so(alice: User, bob: User) -> None:
    parked_delete(alice)
    parked_delete(alice)
    badges = {item.label: (item.badge, item.badge_label) for item in nav("/", alice)}
    assert badges.pop("Actions") == (2, "waiting for you")
    assert set(badges.values()) == {(0, "")}
    assert not any(item.badge for item in nav("/", bob))


@pytest.mark.django_db
def test_nothing_is_counted_where_no_navigation_is_shown(
    alice: User, django_assert_num_queries: Any
) -> None:
    request = RequestFactory().get("/admin/")
    request.user = alice
    with django_assert_num_queries(0):
        frame(request)
