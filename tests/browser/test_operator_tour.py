"""Create tools, configure, try, deny, import, approve and watch them, on every kind of screen."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, NewContext, SignIn
from tests.browser.tour import STEPS, forget
from tests.browser.tour_places import places


@pytest.fixture(params=[{}, PHONE], ids=["desktop", "phone"])
def operator(request: pytest.FixtureRequest, new_context: NewContext, sign_in: SignIn) -> Page:
    return sign_in(new_context(**request.param).new_page(), "operator")


def test_an_operator_makes_tries_denies_imports_and_watches_tools(operator: Page) -> None:
    with places() as around:
        for step in STEPS:
            step.do(operator, around)
            wide = operator.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, step.name
        forget(operator)
