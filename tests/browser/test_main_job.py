"""The main job as alice does it: fetch, save, read, delete with a card, remember."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Console, SignIn
from tests.browser.pages import (
    open_loopback,
    say,
    served,
    switch_tools_on,
    thread,
    wait_until_done,
)
from tests.processes.harness import Product, Server

BODY = b"<html><body><main><h1>Release notes</h1><p>Search is faster.</p></main></body></html>"


@pytest.fixture
def title() -> str:
    """Of a document that no other test has."""
    return f"Notes {uuid.uuid4().hex[:6]}"


def test_she_fetches_a_page_into_a_document_and_sees_each_step(
    page: Page, sign_in: SignIn, product: Product, live_app: Server, title: str
) -> None:
    open_loopback(product, live_app)
    sign_in(page, "alice")
    switch_tools_on(page)
    with served(BODY, after_seconds=2) as url:  # long enough to be watched
        say(page, f"fetch {url} and save it as a document called {title}")
        expect(page.locator("#live, #thread").get_by_text(f"Fetching {url}").first).to_be_visible()
        wait_until_done(page)
    expect(thread(page)).to_contain_text(title)
    expect(page).to_have_url(re.compile("/chat/"))

    page.goto("/documents/?type=document")
    page.get_by_role("link", name=title).first.click()
    expect(page.get_by_role("heading", name="Release notes")).to_be_visible()
    expect(page.get_by_text("Search is faster.").last).to_be_visible()


def make_document(page: Page, title: str) -> None:
    switch_tools_on(page)
    say(page, f"create a document called {title} with the content Hello there")
    wait_until_done(page)


def test_deleting_shows_a_card_and_confirming_deletes_once(
    page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(page, "alice")
    make_document(page, title)
    say(page, f"delete the document {title}")
    card = page.locator("article.draft").last
    expect(card).to_contain_text(title)
    expect(card).to_contain_text("Hello there")

    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
    wait_until_done(page)
    expect(page.locator("article.message-assistant").last).to_contain_text(
        re.compile("deleted", re.IGNORECASE)
    )
    page.goto(f"/documents/?type=document&q={title.replace(' ', '+')}")
    expect(page.get_by_role("link", name=title)).to_have_count(0)


def test_dismissing_leaves_it(page: Page, sign_in: SignIn, title: str) -> None:
    sign_in(page, "alice")
    make_document(page, title)
    say(page, f"delete the document {title}")
    page.get_by_role("button", name="Dismiss").first.click()
    expect(page.locator('article.draft[data-state="dismissed"]').last).to_be_visible()
    wait_until_done(page)
    page.goto(f"/documents/?type=document&q={title.replace(' ', '+')}")
    expect(page.get_by_role("link", name=title).first).to_be_visible()


def test_a_memory_of_one_conversation_is_read_in_a_later_one(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "alice")
    switch_tools_on(page)
    fruit = f"mango{uuid.uuid4().hex[:6]}"
    say(page, f"remember that my favourite fruit is {fruit}")
    card = page.locator("article.draft").last
    expect(card.get_by_role("radio", name="Only me")).not_to_be_checked()
    card.get_by_role("radio", name="Only me").check()
    if card.get_by_role("radio", name="This replaces it").count():  # of an earlier run
        card.get_by_role("radio", name="This replaces it").check()
    card.get_by_role("button", name="Continue").click()
    card.get_by_role("button", name="Confirm").click()
    wait_until_done(page)

    page.goto("/skills/")
    permission = page.get_by_role("switch", name="Read agent memories")
    if not permission.is_checked():
        permission.click()
        expect(permission).to_be_checked()
    page.goto("/")
    switch_tools_on(page)
    say(page, "what is my favourite fruit?")
    wait_until_done(page)
    expect(page.locator("article.message-assistant").last).to_contain_text(fruit)

    page.goto(f"/memories/?q={fruit}")
    page.get_by_role("link", name=fruit).first.click()
    expect(page.get_by_role("link", name="Open the message")).to_be_visible()


def test_the_inbox_and_its_badge_follow_the_card(page: Page, sign_in: SignIn, title: str) -> None:
    sign_in(page, "bob")
    make_document(page, title)
    say(page, f"delete the document {title}")
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()
    page.goto("/actions/")
    expect(page.locator("article.draft")).to_have_count(1)
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('article.draft[data-state="executed"]')).to_be_visible()
    page.goto("/actions/")
    expect(page.locator("article.draft")).to_have_count(0)


def test_two_tabs_confirm_once_and_the_second_sees_how_it_ended(
    page: Page, sign_in: SignIn, console: Console, title: str
) -> None:
    console.allow("409")  # what the second tab is told
    sign_in(page, "alice")
    make_document(page, title)
    say(page, f"delete the document {title}")
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_role("button", name="Confirm")).to_be_visible()
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
    other.get_by_role("button", name="Confirm").click()
    expect(other.locator('article.draft[data-state="executed"]').last).to_be_visible()


def test_the_whole_way_works_by_keyboard(page: Page, sign_in: SignIn, title: str) -> None:
    sign_in(page, "alice")
    make_document(page, title)
    page.get_by_label("Message").press_sequentially(f"delete the document {title}")
    page.keyboard.press("Enter")
    confirm = page.get_by_role("button", name="Confirm")
    expect(confirm).to_be_visible()
    for _ in range(60):
        if confirm.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Shift+Tab")
    expect(confirm).to_be_focused()
    outline = confirm.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()


def test_a_message_is_sent_and_answered_without_javascript(
    new_context: object, sign_in: SignIn, live_app: Server
) -> None:
    context = new_context(java_script_enabled=False)  # type: ignore[operator]  # the fixture's factory
    page = context.new_page()
    sign_in(page, "alice")
    page.get_by_label("Message").fill("What is 12.5% of 80?")
    switch_tools_on(page)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("article.message-assistant").last).to_contain_text("10")


@pytest.mark.parametrize("path", ["/", "/actions/", "/documents/"])
def test_pages_fit_a_phone(phone_page: Page, sign_in: SignIn, path: str) -> None:
    sign_in(phone_page, "alice")
    phone_page.goto(path)
    assert phone_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
