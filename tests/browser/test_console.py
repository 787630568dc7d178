"""The browser tests themselves notice what a page does wrong."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Console


@pytest.fixture
def anywhere(page: Page) -> Page:
    page.goto("/accounts/login/")
    return page


def test_it_sees_what_the_policy_blocks(anywhere: Page, console: Console) -> None:
    console.allow("Content Security Policy")
    anywhere.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=color:red>')")
    assert "Content Security Policy" in console.problems[0]


def test_it_sees_errors_that_nobody_caught(anywhere: Page, console: Console) -> None:
    console.allow("uncaught: lost")
    with anywhere.expect_event("pageerror"):
        anywhere.evaluate("setTimeout(() => { throw new Error('lost') })")
    assert len(console.problems) == 1


def test_it_sees_pages_that_are_missing(anywhere: Page, console: Console) -> None:
    console.allow("status of 404")
    anywhere.goto("/no-such-page/")
    assert "status of 404" in console.problems[0]


def test_it_sees_requests_to_elsewhere(anywhere: Page, console: Console) -> None:
    console.allow("example.org")
    anywhere.evaluate("fetch('https://example.org/').catch(() => {})")
    assert any("example.org" in problem for problem in console.problems)
