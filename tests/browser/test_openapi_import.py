"""An operator imports an OpenAPI document: upload, search, choose, see what came of it."""

import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext, SignIn
from tests.browser.test_accessibility import axe_page, run_axe
from tests.tools.openapi.documents import PETSTORE, as_bytes, large, small

PATH = "/admin/tools/tool/import-openapi/"


@pytest.fixture
def operator(page: Page, sign_in: SignIn) -> Page:
    return sign_in(page, "operator")


def upload(page: Page, document: Any) -> None:
    page.goto(PATH)
    file = {"name": "a.json", "mimeType": "application/json", "buffer": as_bytes(document)}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]  # a FilePayload
    page.get_by_role("button", name="Show its operations").click()


def named(title: str, document: dict[str, Any]) -> dict[str, Any]:
    """The product is shared by all browser tests."""
    return {**document, "info": {"title": title, "version": "1"}}


def test_an_operator_searches_chooses_and_imports(operator: Page) -> None:
    operator.goto("/admin/tools/tool/")
    operator.get_by_role("link", name="Import from OpenAPI").first.click()
    upload(operator, named("Searched", large(240)))
    rows = operator.locator("[data-operations] tbody tr")
    expect(rows).to_have_count(240)
    operator.get_by_role("searchbox", name="Search").fill("DELETE things-11")
    expect(rows.locator("visible=true")).to_have_count(4)
    operator.get_by_role("button", name="Choose what is shown").click()
    expect(operator.locator("[data-count]")).to_have_text("4")
    operator.get_by_role("searchbox", name="Search").fill("things-8/")
    rows.locator("visible=true").get_by_role("checkbox").check()
    expect(operator.locator("[data-count]")).to_have_text("5")
    operator.get_by_role("searchbox", name="Search").press("Enter")
    operator.get_by_text("More settings").click()
    operator.get_by_label("Prefix of slugs").fill("found_")
    operator.get_by_role("button", name="Import what is chosen").click()
    expect(operator.get_by_text("5 new tools")).to_be_visible()
    operator.get_by_role("link", name="found_things8_get").click()
    expect(operator.get_by_label("Slug")).to_have_value("found_things8_get")
    path = re.compile(re.escape("/v2/things-8/{id}"))
    expect(operator.locator("textarea[name=config]")).to_have_value(path)


def test_importing_again_shows_what_would_change(operator: Page) -> None:
    upload(operator, named("Again", small()))
    operator.get_by_role("checkbox", name="GET /it").check()
    operator.get_by_role("button", name="Import what is chosen").click()
    expect(operator.get_by_text("1 new tool")).to_be_visible()
    upload(operator, named("Again", small(operation={"summary": "Now with words"})))
    expect(operator.get_by_role("checkbox", name="GET /it")).to_be_checked()
    expect(operator.locator("tbody")).to_contain_text("would change: about")
    operator.get_by_role("button", name="Import what is chosen").click()
    expect(operator.get_by_text("1 changed tool")).to_be_visible()


def test_a_document_that_is_none_is_said_where_it_was_given(operator: Page) -> None:
    upload(operator, {"swagger": "2.0"})
    expect(operator.locator("body")).to_contain_text("Swagger 2.0")
    expect(operator.locator("input[type=file]")).to_be_attached()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(
    new_context: NewContext, sign_in: SignIn, scheme: Literal["light", "dark"]
) -> None:
    page = axe_page(new_context, color_scheme=scheme)
    sign_in(page, "operator")
    upload(page, PETSTORE)
    page.get_by_text("More settings").click()
    findings = run_axe(page)
    page.get_by_role("checkbox", name="GET /pets", exact=True).check()
    page.get_by_role("button", name="Import what is chosen").click()
    expect(page.get_by_role("link", name="All tools of this type")).to_be_visible()
    assert findings + run_axe(page) == []


def test_it_fits_a_phone(phone_page: Page, sign_in: SignIn) -> None:
    sign_in(phone_page, "operator")
    upload(phone_page, named("On a phone", large(12)))
    phone_page.get_by_role("searchbox", name="Search").fill("things-4/")
    phone_page.get_by_role("checkbox", name="GET /v1/things-4/{id}").check()
    wide = phone_page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
    phone_page.get_by_role("button", name="Import what is chosen").click()
    expect(phone_page.get_by_text("1 new tool")).to_be_visible()
