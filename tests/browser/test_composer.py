"""The message box: what it says before anything is sent, and the frame of a new conversation."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn
from tests.browser.pages import say, thread, wait_until_done


def test_a_text_that_is_too_long_stays_whole_and_is_not_sent(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "sam")
    box = page.get_by_label("Message")
    box.fill("x" * 95_000)
    expect(page.locator("[data-count]")).to_have_text("95,000 / 100,000")
    box.fill("x" * 100_001)
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("at most 100,000 characters")
    assert len(box.input_value()) == 100_001
    expect(page.locator(".message-user")).to_have_count(0)
    box.fill("short")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("[data-count]")).to_be_hidden()


def test_a_message_of_spaces_gets_a_hint(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "sam")
    say(page, "   ")
    expect(page.get_by_role("alert")).to_contain_text("Write something")
    expect(page.locator(".message-user")).to_have_count(0)


def test_a_new_conversation_has_its_title_and_new_without_a_reload(
    page: Page, sign_in: SignIn
) -> None:
    sign_in(page, "sam")
    new = page.get_by_role("link", name="New", exact=True)
    expect(new).to_be_hidden()
    expect(page.get_by_label("This conversation")).to_be_hidden()
    say(page, "What is 2+2?")
    expect(page).to_have_url(re.compile("/chat/"))
    wait_until_done(page)
    expect(thread(page)).to_contain_text("What is 2+2?")
    expect(page).to_have_title("What is 2+2? · Gatehouse")
    page.get_by_label("This conversation").click()
    expect(page.get_by_label("Title")).to_be_focused()
    expect(page.get_by_label("Title")).to_have_value("What is 2+2?")
    page.get_by_label("Title").fill("Four")
    page.get_by_role("button", name="Rename").click()
    expect(page).to_have_title("Four · Gatehouse")
    new.click()
    expect(page.locator("#welcome")).to_be_visible()


def test_the_operator_alone_has_a_way_to_the_console(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "sam")
    console = page.get_by_role("link", name="Operator console")
    expect(console).to_have_count(0)
    page.context.clear_cookies()
    sign_in(page, "operator")
    console.click()
    expect(page).to_have_url(re.compile("/admin/"))


def test_keys_lead_to_the_conversations_where_one_is_renamed_and_deleted(
    page: Page, sign_in: SignIn
) -> None:
    sign_in(page, "sam")
    say(page, "What is 3+3?")
    wait_until_done(page)
    page.locator("body").click(position={"x": 5, "y": 400})
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("gc")
    expect(page).to_have_title("Conversations · Gatehouse")
    page.get_by_role("link", name="What is 3+3?").first.click()
    page.get_by_label("This conversation").click()
    page.get_by_label("Title").fill("A sum")
    page.get_by_role("button", name="Rename").click()
    expect(page).to_have_title("A sum · Gatehouse")
    expect(page.locator("#conversation-menu")).to_be_focused()
    page.get_by_label("This conversation").click()
    page.get_by_role("link", name="Delete conversation").click()
    page.get_by_role("button", name="Delete conversation").click()
    expect(page.locator("#toasts")).to_contain_text("is deleted")
    expect(page.get_by_role("link", name="A sum")).to_have_count(0)
