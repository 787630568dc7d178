"""Documents in a real browser: versions, conflicts with and without JavaScript, unsaved text."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Console, NewContext, SignIn
from tests.processes.harness import Product, Server

pytestmark = pytest.mark.browser

TEXT = """# Start

The gate decides calmly.

## Numbers

| Part | Before | After | Owner | Reviewer | Department | Remarks | Conclusion |
|---|---|---|---|---|---|---|---|
| Search | 12 ms | 6 ms | sam | cara | Engineering | stemmed | satisfactory |

```python
def f():
    return 1
```

## End

Last line.
"""


@pytest.fixture
def api(product: Product, live_app: Server) -> httpx.Client:
    return live_app.client(product.demo("alice")["token"])


def make(api: httpx.Client, title: str) -> str:
    """Its id."""
    answer = api.post("/api/agent-documents/", json={"title": title, "content": TEXT})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def change(api: httpx.Client, document_id: str, old: str, new: str) -> None:
    url = f"/api/agent-documents/{document_id}/"
    text = api.get(url).json()["content"].replace(old, new)
    api.patch(url, json={"content": text}).raise_for_status()


def test_one_reads_compares_and_goes_back(page: Page, sign_in: SignIn, api: httpx.Client) -> None:
    document_id = make(api, "Versions to compare")
    change(api, document_id, "calmly", "quickly")
    sign_in(page, "alice")
    page.goto(f"/documents/{document_id}/")
    outline = page.get_by_role("navigation", name="On this page")
    expect(outline.get_by_role("link", name="Start")).to_have_attribute("aria-current", "location")
    expect(page.locator(".prose pre.highlight .k").first).to_have_text("def")
    expect(page.locator(".heading-anchor")).to_have_count(3)
    page.get_by_role("link", name="Versions and what changed").click()
    page.get_by_role("radio", name="Compare from r1").check()
    page.get_by_role("button", name="Compare the two that are marked").click()
    expect(page.locator(".versus del b").last).to_have_text("calmly")
    expect(page.locator(".versus ins b").last).to_have_text("quickly")
    page.get_by_role("link", name="Restore (r1)").click()
    page.get_by_role("button", name="Restore r1").click()
    expect(page.get_by_text("It is again what it was at r1.")).to_be_visible()
    expect(page.locator(".prose")).to_contain_text("decides calmly")
    expect(page.get_by_role("link", name="r3")).to_be_visible()


def test_on_a_phone_a_diff_is_one_column_and_tables_scroll(
    phone_page: Page, sign_in: SignIn, api: httpx.Client
) -> None:
    page = phone_page
    document_id = make(api, "On a phone")
    change(api, document_id, "calmly", "quickly")
    sign_in(page, "alice")
    page.goto(f"/documents/{document_id}/")
    page.locator(".outline-fold summary").tap()
    page.locator(".outline-fold").get_by_role("link", name="End").tap()
    expect(page).to_have_url(re.compile("#u-end$"))
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    table = page.locator(".prose table")
    assert table.evaluate("e => e.scrollWidth > e.clientWidth && e.tabIndex === 0")
    page.goto(f"/documents/{document_id}/versions/1/diff/2/")
    old, new = (
        page.locator(f".versus-changed .{side}").last.bounding_box() for side in ("old", "new")
    )
    assert old
    assert new
    assert new["y"] >= old["y"] + old["height"] - 1
    assert page.evaluate(wide) == 0


def start_conflict(page: Page, api: httpx.Client, document_id: str, mine: str) -> None:
    """Alice has written; the document has got to another text; she saves."""
    page.goto(f"/documents/{document_id}/edit/")
    text = page.get_by_label("Text", exact=True)
    text.fill(text.input_value().replace("calmly", mine))
    change(api, document_id, "calmly", "quickly")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Changed in between")).to_be_visible()


def test_a_conflict_is_settled_by_keyboard_alone_without_javascript(
    new_context: NewContext, sign_in: SignIn, api: httpx.Client, console: Console
) -> None:
    console.allow("409")
    page = new_context(java_script_enabled=False).new_page()
    document_id = make(api, "A conflict")
    sign_in(page, "alice")
    start_conflict(page, api, document_id, "slowly")
    expect(page.locator(".versus").first).to_contain_text("quickly")
    page.get_by_role("button", name="Merge by hand").press("Enter")
    text = page.locator("textarea[name=content]")
    expect(text).to_have_value(re.compile("<<<<<<< yours\nThe gate decides slowly"))
    page.get_by_role("button", name="Save the merged text").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("still places to decide")
    text.fill("# Start\n\nThe gate decides slowly, then quickly.\n")
    page.get_by_role("button", name="Save the merged text").press("Enter")
    expect(page.locator(".prose")).to_contain_text("slowly, then quickly")


def test_unsaved_text_is_guarded_until_it_is_saved_or_given_up(
    page: Page, sign_in: SignIn, api: httpx.Client, console: Console
) -> None:
    console.allow("409")
    asked: list[str] = []

    def stay(dialog: object) -> None:
        asked.append(getattr(dialog, "type", ""))
        dialog.dismiss()  # type: ignore[attr-defined]  # Playwright's Dialog

    document_id = make(api, "Guarded")
    sign_in(page, "alice")
    page.on("dialog", stay)
    start_conflict(page, api, document_id, "slowly")
    assert asked == []
    page.locator("textarea[name=content]").press("End")
    page.get_by_role("link", name="Documents", exact=True).first.click()
    expect(page.get_by_role("heading", name="Changed in between")).to_be_visible()
    assert asked == ["beforeunload"]
    page.get_by_role("link", name="Take theirs").click()
    expect(page.locator(".prose")).to_contain_text("decides quickly")
    assert asked == ["beforeunload"]


@pytest.mark.parametrize("options", [{}, PHONE])
def test_deleting_for_ever_asks_first(
    options: dict[str, object], new_context: NewContext, sign_in: SignIn, api: httpx.Client
) -> None:
    title = f"Rubbish {len(options)}"
    api.delete(f"/api/agent-documents/{make(api, title)}/").raise_for_status()
    page = sign_in(new_context(**options).new_page(), "alice")
    page.goto("/documents/trash/")
    page.get_by_role("link", name=f"Delete “{title}” for ever").click()
    page.get_by_role("button", name="Delete for ever").click()
    expect(page.get_by_text(f"“{title}” is gone for good.")).to_be_visible()
    expect(page.get_by_role("link", name=f"Delete “{title}” for ever")).to_have_count(0)
