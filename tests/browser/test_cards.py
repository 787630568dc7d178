"""Cards when things are not as they were: refused, on a phone, decided."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Console, SignIn
from tests.browser.pages import say, switch_tools_on, thread, wait_until_done
from tests.processes.harness import Product, Server

FITS = "document.documentElement.scrollWidth <= screen.width"  # innerWidth grows with the page


@pytest.fixture
def title() -> str:
    return f"Plan {uuid.uuid4().hex[:6]} for a title that is longer than a phone is wide"


def ask_to_delete(page: Page, title: str) -> None:
    switch_tools_on(page)
    say(page, f"create a document called {title} with the content Hello there")
    wait_until_done(page)
    say(page, f"delete the document {title}")
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()


def refresh_thread(page: Page) -> None:
    """What the page does by itself when a run ends or a card of it was decided elsewhere."""
    for _ in range(20):
        swapped = page.evaluate(
            """async () => {
              const before = document.getElementById("thread");
              const ask = {source: "#chat", target: "#thread", swap: "outerHTML"};
              await htmx.ajax("GET", before.dataset.threadUrl, ask);
              return before !== document.getElementById("thread");
            }"""
        )
        if swapped:
            return
        page.wait_for_timeout(100)  # the page was asking by itself, and htmx put ours off
    raise AssertionError("the thread stays as it was")


@contextmanager
def switched_off(product: Product, server: Server, slug: str) -> Iterator[None]:
    api = server.client(product.demo("operator")["token"])
    tool = api.get("/api/agent-tools/", params={"slug": slug}).json()["results"][0]
    path = f"/api/agent-tools/{tool['id']}/"
    api.patch(path, json={"enabled": False}).raise_for_status()
    try:
        yield
    finally:
        api.patch(path, json={"enabled": True}).raise_for_status()


def test_a_refused_confirmation_is_said_by_the_card_and_the_page_stays(
    page: Page, sign_in: SignIn, console: Console, product: Product, live_app: Server, title: str
) -> None:
    console.allow("403")
    sign_in(page, "sam")
    ask_to_delete(page, title)
    with switched_off(product, live_app, "document"):
        page.get_by_role("button", name="Confirm").click()
        card = page.locator('article.draft[data-state="dismissed"]').last
        expect(card).to_contain_text("not permitted any more")
        expect(card).to_contain_text("off")
    expect(card.locator(".draft-eyebrow")).to_contain_text("refused")
    expect(page.get_by_role("navigation", name="Main").first).to_be_visible()
    expect(page.get_by_label("Message")).to_be_visible()


def test_a_thread_that_comes_while_a_card_is_decided_does_not_hide_the_answer(
    page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(page, "sam")
    ask_to_delete(page, title)
    wait_until_done(page)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/confirm/", hold)
    with page.expect_request("**/confirm/"):
        page.get_by_role("button", name="Confirm").click()
    page.evaluate(
        """() => htmx.ajax("GET", document.getElementById("thread").dataset.threadUrl,
                   {source: "#chat", target: "#thread", swap: "outerHTML"})"""
    )
    held[0].continue_()
    expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
    wait_until_done(page)
    expect(page.locator("article.message-assistant").last).to_contain_text("Deleted")


def test_steps_and_a_waiting_card_fit_a_phone(
    phone_page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(phone_page, "sam")
    ask_to_delete(phone_page, title)
    expect(thread(phone_page).locator(".step").last).to_be_visible()
    assert phone_page.evaluate(FITS)


def test_live_steps_fit_a_phone(phone_page: Page, sign_in: SignIn) -> None:
    sign_in(phone_page, "sam")
    phone_page.evaluate(
        """() => {
          const step = document.getElementById("template-step").content.firstElementChild;
          const text = {title: "Deleting " + "a long title ".repeat(9), tool: "document"};
          for (const status of ["running", "needs_confirmation", "error"]) {
            const line = step.cloneNode(true);
            line.querySelector(".step").dataset.status = status;
            line.querySelector(".step-title").textContent = text.title;
            line.querySelector(".step-tool").textContent = text.tool;
            line.querySelector(".step-detail").textContent = "waits for you, and says so at length";
            line.querySelector(".step-duration").textContent = "12345 ms";
            document.getElementById("live").append(line);
          }
        }"""
    )
    assert phone_page.evaluate(FITS)


def test_a_decided_card_says_who_when_and_what_it_was(
    page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(page, "sam")
    ask_to_delete(page, title)
    page.get_by_role("button", name="Confirm").click()
    card = page.locator('article.draft[data-state="executed"]').last
    expect(card).to_contain_text(re.compile(r"Confirmed by you · \d"))
    wait_until_done(page)
    expect(card.get_by_text("Hello there")).to_be_hidden()
    card.get_by_text("What it was").click()
    expect(card.get_by_text("Hello there")).to_be_visible()
    refresh_thread(page)
    expect(card.get_by_text("Hello there")).to_be_visible()


def test_answering_instead_begins_in_its_field_in_sight_and_is_done(
    phone_page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(phone_page, "sam")
    ask_to_delete(phone_page, title)
    phone_page.locator("summary", has_text="Answer instead").click()
    answer = phone_page.get_by_label("Tell the agent what to do instead")
    expect(answer).to_be_focused()
    send = phone_page.get_by_role("button", name="Send answer")
    send.click(trial=True)
    button, dock = send.bounding_box(), phone_page.locator(".composer-dock").bounding_box()
    assert button
    assert dock
    assert button["y"] + button["height"] <= dock["y"]
    phone_page.keyboard.type("no, what is 6*7 instead")
    send.click()
    expect(thread(phone_page)).to_contain_text("6*7 = 42")


def test_what_is_typed_into_a_card_outlives_a_refresh_of_the_thread(
    page: Page, sign_in: SignIn, title: str
) -> None:
    sign_in(page, "sam")
    ask_to_delete(page, title)
    page.locator("summary", has_text="Answer instead").click()
    answer = page.get_by_label("Tell the agent what to do instead")
    answer.fill("Keep it")
    refresh_thread(page)
    expect(answer).to_have_value("Keep it")
    expect(answer).to_be_focused()
    page.keyboard.type(" until Friday")
    page.get_by_role("button", name="Send answer").click()
    expect(thread(page)).to_contain_text("Keep it until Friday")


@pytest.mark.parametrize("name", ["Confirm", "Dismiss"])
def test_a_button_keeps_the_focus_when_the_thread_is_refreshed(
    page: Page, sign_in: SignIn, title: str, name: str
) -> None:
    sign_in(page, "sam")
    ask_to_delete(page, title)
    wait_until_done(page)
    button = page.get_by_role("button", name=name, exact=True)
    button.focus()
    refresh_thread(page)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_count(0)


@contextmanager
def asking_for(product: Product, server: Server, slug: str) -> Iterator[None]:
    api = server.client(product.demo("operator")["token"])
    tool = api.get("/api/agent-tools/", params={"slug": slug}).json()["results"][0]
    path = f"/api/agent-tools/{tool['id']}/"
    api.patch(path, json={"needs_approval": True}).raise_for_status()
    try:
        yield
    finally:
        api.patch(path, json={"needs_approval": False}).raise_for_status()


def test_not_being_asked_again_is_chosen_by_keyboard_on_a_phone_and_taken_back(
    phone_page: Page, sign_in: SignIn, title: str, product: Product, live_app: Server
) -> None:
    page = phone_page
    sign_in(page, "sam")
    switch_tools_on(page)
    with asking_for(product, live_app, "document"):
        say(page, f"create a document called {title} with the content Hello there")
        wait_until_done(page)
        page.locator("summary", has_text="Don’t ask again").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Ask me every time").focus()
        refresh_thread(page)
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        expect(page.get_by_label("For how many calls")).to_be_visible()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_label("For how many calls")).to_be_hidden()
        page.keyboard.press("ArrowUp")
        refresh_thread(page)
        expect(page.get_by_label("Don’t ask in this conversation, for 24 hours")).to_be_checked()
        assert page.evaluate(FITS)
        page.get_by_role("button", name="Confirm").click()
        expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
        wait_until_done(page)
        say(page, f"create a document called {title} again with the content Hello there")
        wait_until_done(page)
        expect(page.get_by_role("button", name="Confirm")).to_have_count(0)
        page.goto("/actions/standing/")
        assert page.evaluate(FITS)
        page.get_by_role("button", name="Ask me again about").first.click()
        expect(page.locator("main")).to_contain_text("revoked")


def test_the_tabs_of_actions_follow_what_is_decided(
    page: Page, sign_in: SignIn, product: Product, live_app: Server
) -> None:
    """Asked for outside a conversation: the answer stands on the card."""
    api = live_app.client(product.demo("operator")["token"])
    tool = api.get("/api/agent-tools/", params={"slug": "calculator"}).json()["results"][0]
    with asking_for(product, live_app, "calculator"):
        for expression in ("6 * 111", "1 + 1"):
            body = {"input": {"expression": expression}}
            api.post(f"/api/agent-tools/{tool['id']}/execute/", json=body).raise_for_status()
        sign_in(page, "operator")
        page.goto("/actions/")
        waiting, decided = (page.locator(f"#tab-count-{name}") for name in ("waiting", "decided"))
        before = int(waiting.inner_text()), int(decided.inner_text())
        first = page.locator("article.draft", has_text="6 * 111")
        expect(first.locator(".draft-preview")).to_contain_text("6 * 111")
        first.get_by_role("button", name="Confirm").click()
        expect(page.locator("article.draft", has_text="666")).to_be_visible()
        expect(waiting).to_have_text(str(before[0] - 1))
        expect(decided).to_have_text(str(before[1] + 1))
        second = page.locator("article.draft", has_text="1 + 1")
        second.get_by_role("button", name="Dismiss", exact=True).first.click()
        expect(waiting).to_have_text(str(before[0] - 2))
        expect(decided).to_have_text(str(before[1] + 2))


def test_the_operators_lists_show_on_a_phone_how_things_stand(
    phone_page: Page, sign_in: SignIn, title: str, product: Product, live_app: Server
) -> None:
    page = phone_page
    sign_in(page, "operator")
    switch_tools_on(page)
    with asking_for(product, live_app, "document"):
        say(page, f"create a document called {title} with the content Hello there")
        wait_until_done(page)
        page.locator("summary", has_text="Don’t ask again").click()
        page.get_by_label("Don’t ask in this conversation, for 24 hours").check()
        page.get_by_role("button", name="Confirm").click()
        expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
    for model, state in (("standingapproval", "force"), ("actiondraft", "done")):
        page.goto(f"/admin/tools/{model}/")
        cell = page.locator("#result_list .field-situation span", has_text=state).first
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
