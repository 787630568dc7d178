"""A file is uploaded, read by a worker while one watches, asked about, cited and downloaded."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Console, NewContext, SignIn
from tests.documents.knowledge import pdfs

pytestmark = pytest.mark.browser
MANUAL = pdfs.text_pdf(
    ["Pump manual\nFor hall 4", "Maintenance\nThe pump is checked every 90 days by its crew."]
)


def photograph(page: Page, pytestconfig: pytest.Config, name: str) -> None:
    """Beside those of tests that failed."""
    folder = Path(pytestconfig.getoption("--output")) / "knowledge"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def make_space(page: Page, name: str) -> None:
    page.goto("/knowledge/")
    page.get_by_role("link", name="New space").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Make space").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def upload(page: Page, name: str, data: bytes) -> None:
    page.get_by_role("link", name="Upload").first.click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": name, "mimeType": "application/pdf", "buffer": data}
    )
    page.get_by_role("button", name="Upload").click()


def test_from_an_upload_to_a_cited_answer(
    page: Page,
    sign_in: SignIn,
    pytestconfig: pytest.Config,
    tmp_path: Path,
    console: Console,
    workers: None,
) -> None:
    console.allow("400")
    sign_in(page, "alice")
    make_space(page, "Halls and pumps")
    photograph(page, pytestconfig, "empty")
    upload(page, "photo.pdf", b"\x89PNG\r\n\x1a\n" + bytes(100))
    expect(page.get_by_text("Files of this kind are not taken")).to_be_visible()
    photograph(page, pytestconfig, "refused")
    page.get_by_role("link", name="Cancel").click()
    upload(page, "Pump manual.pdf", MANUAL)
    expect(page.get_by_text("ready", exact=True)).to_be_visible(timeout=60_000)  # nobody reloads
    photograph(page, pytestconfig, "files")
    page.get_by_role("searchbox").fill("How often is the pump checked?")
    page.get_by_role("button", name="Search").last.click()
    expect(page.get_by_text("page 2")).to_be_visible()
    photograph(page, pytestconfig, "found")
    page.get_by_role("link", name="Pump manual").first.click()
    cited = page.locator(".passage[aria-current]")
    expect(cited).to_contain_text("every 90 days")
    photograph(page, pytestconfig, "cited")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download").click()
    file = tmp_path / "copy.pdf"
    started.value.save_as(file)
    assert file.read_bytes() == MANUAL
    assert started.value.suggested_filename == "Pump manual.pdf"


def test_without_javascript_and_on_a_phone(
    new_context: NewContext, sign_in: SignIn, pytestconfig: pytest.Config, workers: None
) -> None:
    page = sign_in(new_context(java_script_enabled=False, **PHONE).new_page(), "alice")
    make_space(page, "Small screen")
    upload(page, "scan.pdf", pdfs.picture_pdf())
    expect(page.get_by_text("is stored and is being read")).to_be_visible()
    for _attempt in range(60):
        page.wait_for_timeout(500)
        page.reload()
        if page.get_by_text("not readable").count():
            break
    expect(page.get_by_text("recognised text")).to_be_visible()
    photograph(page, pytestconfig, "phone")
