"""Create a tool, configure it, try it, see it refused and why, switch it, watch it."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, NewContext, SignIn
from tests.browser.pages import served
from tests.browser.tour import STEPS, forget

PAGE = b"<!doctype html><title>Release notes</title><main><h1>Release notes</h1><p>2.1</p></main>"


@pytest.fixture(params=[{}, PHONE], ids=["desktop", "phone"])
def operator(request: pytest.FixtureRequest, new_context: NewContext, sign_in: SignIn) -> Page:
    return sign_in(new_context(**request.param).new_page(), "operator")


def test_an_operator_makes_tries_denies_and_watches_a_tool(operator: Page) -> None:
    with served(PAGE) as url:
        for step in STEPS:
            step.do(operator, url)
            wide = operator.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, step.name
        forget(operator)
