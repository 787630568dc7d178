"""Signing in, with a real browser."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn


def test_it_asks_who_you_are(page: Page) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile("/accounts/login/"))


def test_it_lets_alice_in(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "alice", fresh=True)
    expect(page.locator("body")).to_contain_text("alice")


def test_it_fits_a_phone(phone_page: Page, sign_in: SignIn) -> None:
    sign_in(phone_page, "alice")
    assert phone_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
