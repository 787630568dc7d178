"""Signing in, with a real browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_it_asks_who_you_are(page: Page) -> None:
    page.goto("/")
    expect(page).to_have_url(lambda url: "/accounts/login/" in url)


def test_it_lets_alice_in(page: Page, sign_in: Callable[..., Page]) -> None:
    sign_in(page, "alice")
    expect(page.locator("body")).to_contain_text("alice")


def test_it_fits_a_phone(phone_page: Page, sign_in: Callable[..., Page]) -> None:
    sign_in(phone_page, "alice")
    assert phone_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
