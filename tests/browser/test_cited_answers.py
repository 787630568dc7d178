"""A file is put into a space, read by a job, asked about in the chat, and cited where it stands."""

import re
import time
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Console, NewContext, SignIn
from tests.browser.pages import say, switch_tools_on, thread, wait_until_done
from tests.documents.knowledge import pdfs
from tests.processes.harness import Product, Server

pytestmark = pytest.mark.browser
SHAPES: dict[str, dict[str, object]] = {"desktop": {}, "phone": PHONE}
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
READ_SECONDS = 60_000
COVER = "Greenhouse manual\nFor everybody who has a key."
ORCHIDS = "The orchids are watered every nine days.\n兰花每九天浇一次水。"
QUESTION = "what does the manual say about watering the orchids?"


@pytest.fixture(scope="module")
def handbook(product: Product, live_app: Server, workers: None) -> None:
    """That of the demo, once it is read."""
    api, deadline = live_app.client(product.demo("bob")["token"]), time.monotonic() + 60
    while time.monotonic() < deadline:
        ready = api.get("/api/knowledge/resources/", params={"state": "ready"}).json()["results"]
        if any(one["title"] == "Staff handbook" for one in ready):
            return
        time.sleep(0.2)
    raise AssertionError("the handbook is not read")


def photograph(page: Page, pytestconfig: pytest.Config, name: str) -> None:
    """Beside those of tests that failed."""
    folder = Path(pytestconfig.getoption("--output")) / "knowledge"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def make_space(page: Page, name: str) -> None:
    page.goto("/knowledge/")
    page.get_by_role("link", name="New space").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Make space").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def upload(page: Page, title: str, data: bytes) -> None:
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("File").set_input_files(
        {"name": "greenhouse.pdf", "mimeType": "application/pdf", "buffer": data}
    )
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("is stored and is being read")).to_be_visible()


def ask(page: Page, text: str) -> Locator:
    """In a new conversation; the answer."""
    page.goto("/")
    switch_tools_on(page)
    say(page, text)
    wait_until_done(page)
    return thread(page).locator("article.message-assistant").last


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("shape", SHAPES)
def test_from_the_upload_to_a_cited_answer(
    shape: str,
    new_context: NewContext,
    sign_in: SignIn,
    console: Console,
    pytestconfig: pytest.Config,
) -> None:
    console.allow("404")
    title = f"Greenhouse {uuid.uuid4().hex[:6]}"
    page = sign_in(new_context(**SHAPES[shape]).new_page(), "alice")
    make_space(page, f"Garden {title[-6:]}")
    photograph(page, pytestconfig, f"{shape}-1-empty")
    upload(page, title, pdfs.text_pdf([COVER, ORCHIDS]))
    expect(page.get_by_text("ready", exact=True)).to_be_visible(timeout=READ_SECONDS)
    photograph(page, pytestconfig, f"{shape}-2-ready")
    assert page.evaluate(FITS)

    answer = ask(page, QUESTION)
    expect(answer.locator("blockquote").first).to_contain_text("every nine days")
    photograph(page, pytestconfig, f"{shape}-3-answer")
    assert page.evaluate(FITS)
    answer.get_by_role("link", name=f"{title}, p. 2").first.click()
    expect(page).to_have_url(re.compile(r"/knowledge/resources/.*\?passage=1#passage-1$"))
    passage = page.locator("#passage-1")
    expect(passage).to_be_in_viewport()
    expect(passage).to_have_attribute("aria-current", "true")
    expect(passage).to_contain_text("兰花每九天浇一次水。")
    photograph(page, pytestconfig, f"{shape}-4-passage")
    assert page.evaluate(FITS)

    theirs = sign_in(new_context(**SHAPES[shape]).new_page(), "bob")
    expect(ask(theirs, QUESTION)).to_contain_text("I found nothing about that")
    expect(thread(theirs)).not_to_contain_text("nine days")
    photograph(theirs, pytestconfig, f"{shape}-5-nothing")
    theirs.goto(page.url)
    expect(theirs.get_by_role("heading", name="Not here")).to_be_visible()


@pytest.mark.usefixtures("workers")
def test_in_chinese_and_the_file_from_before(
    page: Page, sign_in: SignIn, pytestconfig: pytest.Config
) -> None:
    title = f"温室手册 {uuid.uuid4().hex[:6]}"
    sign_in(page, "alice")
    make_space(page, f"Garden {title[-6:]}")
    upload(page, title, pdfs.text_pdf([COVER, ORCHIDS + title]))
    expect(page.get_by_text("ready", exact=True)).to_be_visible(timeout=READ_SECONDS)
    answer = ask(page, f"知识库里怎么说兰花浇水 {title}？")
    expect(answer).to_contain_text("兰花每九天浇一次水。")
    expect(answer.get_by_role("link", name=f"{title}，第 2 页").first).to_be_visible()
    say(page, f"把{title}文件给我")
    wait_until_done(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="下载").last.click()
    assert download.value.suggested_filename == "greenhouse.pdf"
    say(page, "刚才那份文件")
    wait_until_done(page)
    expect(page.get_by_role("link", name="下载")).to_have_count(2)
    photograph(page, pytestconfig, "chinese")


@pytest.mark.parametrize("options", [{}, PHONE, {"java_script_enabled": False}])
@pytest.mark.usefixtures("handbook")
def test_the_handbook_of_the_demo_is_searched_on_its_page(
    options: dict[str, object],
    new_context: NewContext,
    sign_in: SignIn,
    pytestconfig: pytest.Config,
) -> None:
    page = sign_in(new_context(**options).new_page(), "bob")
    page.goto("/knowledge/")
    photograph(page, pytestconfig, f"spaces-{len(options)}")
    page.get_by_role("link", name="Handbook").click()
    expect(page.get_by_role("link", name="Upload")).to_have_count(0)
    box = page.get_by_role("searchbox", name="Ask what the files say")
    box.fill("how much may a hotel cost?")
    box.press("Enter")
    expect(page.locator(".citation-quote")).to_have_count(1)
    expect(page.locator(".citation-quote")).to_contain_text("A hotel may cost 120 euros")
    expect(page.locator(".citation-quote")).not_to_contain_text("#")
    photograph(page, pytestconfig, f"found-{len(options)}")
    assert page.evaluate(FITS)
    box.fill("unicorns and dragons")
    box.press("Enter")
    expect(page.get_by_text("Nothing here answers that")).to_be_visible()
    photograph(page, pytestconfig, f"found-nothing-{len(options)}")
    page.get_by_role("link", name="Members").click()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    photograph(page, pytestconfig, f"members-{len(options)}")


@pytest.mark.usefixtures("handbook")
@pytest.mark.parametrize("shape", SHAPES)
def test_the_handbook_of_the_demo_answers_in_the_chat(
    shape: str, new_context: NewContext, sign_in: SignIn, pytestconfig: pytest.Config
) -> None:
    page = sign_in(new_context(**SHAPES[shape]).new_page(), "bob")
    answer = ask(page, "what does the handbook say about hotels?")
    expect(answer.locator("blockquote")).to_contain_text("120 euros a night")
    expect(answer.locator("blockquote :is(h1, h2, h3)")).to_have_count(0)
    expect(answer.get_by_role("link", name="Staff handbook, Travel").first).to_be_visible()
    say(page, "send me the file from before")
    wait_until_done(page)
    expect(thread(page).get_by_role("link", name="download").last).to_be_visible()
    photograph(page, pytestconfig, f"handbook-{shape}")
    assert page.evaluate(FITS)
