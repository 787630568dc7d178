"""The operator's tour, step by step as an operator does it: for its test and its pictures.

`STEPS` in their order; a step takes the page of an operator and the address of a page on this
machine for a tool to read. Steps of an import are added here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

SLUG = "intranet"
NAME = "Intranet pages"
LIST = "/admin/tools/tool/"


@dataclass(frozen=True, slots=True)
class Step:
    name: str  # of its picture
    do: Callable[[Page, str], None]


def create(page: Page, _url: str) -> None:
    page.goto(f"{LIST}add/?type=fetch")
    page.locator("#id_name").fill(NAME)  # others are called so, too
    page.get_by_label("Slug").fill(SLUG)
    page.get_by_label("Description").fill("Reads pages of the intranet.")


def configure(page: Page, _url: str) -> None:
    page.get_by_label("Allowed domains").fill("127.0.0.1")
    page.get_by_label("Allowed private networks").fill("127.0.0.1/32")
    page.get_by_role("button", name="Add: Default headers").click()
    row = page.locator('[id="id_config.default_headers"]')
    row.get_by_label("Name").fill("accept-language")
    row.get_by_label("Value").fill("en")
    page.locator('[id="id_config.default_headers"]').scroll_into_view_if_needed()


def save(page: Page, _url: str) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("body")).to_contain_text("was added successfully")
    page.goto(f"{LIST}?q={SLUG}")
    expect(page.locator("#result_list")).to_contain_text("ready")


def attempt(page: Page, url: str) -> None:
    open_panel(page)
    page.get_by_label("Url").fill(url)
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("succeeded")
    expect(result(page)).to_contain_text("Release notes")


def ask_for_somebody(page: Page, _url: str) -> None:
    page.get_by_label("Person").fill("alice")
    page.get_by_role("button", name="Show the decision").click()
    expect(result(page)).to_contain_text("alice would get")


def be_refused(page: Page, _url: str) -> None:
    page.get_by_label("Url").fill("http://example.com/")
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("domain_not_allowed")


def see_why(page: Page, _url: str) -> None:
    result(page).get_by_role("link", name="In the log").click()
    expect(page.locator("body")).to_contain_text("domain_not_allowed")


def switch_off(page: Page, _url: str) -> None:
    choose(page, "Switch the selected tools off")
    expect(page.locator("body")).to_contain_text("1 tool was switched off.")


def be_denied(page: Page, url: str) -> None:
    open_panel(page)
    page.get_by_label("Url").fill(url)
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("switched off")


def switch_on(page: Page, _url: str) -> None:
    choose(page, "Switch the selected tools on")
    expect(page.locator("body")).to_contain_text("1 tool was switched on.")


def watch_log(page: Page, _url: str) -> None:
    page.goto(f"/admin/tools/toolcall/?q={SLUG}")
    expect(page.locator("#result_list tbody tr")).not_to_have_count(0)


def watch_charts(page: Page, _url: str) -> None:
    page.goto(f"/admin/tools/tool/calls/{SLUG}/")
    expect(page.get_by_role("img").first).to_be_visible()


STEPS = (
    Step("create", create),
    Step("configure", configure),
    Step("save", save),
    Step("try", attempt),
    Step("ask", ask_for_somebody),
    Step("refused", be_refused),
    Step("why", see_why),
    Step("off", switch_off),
    Step("denied", be_denied),
    Step("on", switch_on),
    Step("log", watch_log),
    Step("charts", watch_charts),
)


def open_tool(page: Page) -> None:
    page.goto(f"{LIST}?q={SLUG}")
    page.locator("#result_list").get_by_role("link", name=NAME).first.click()
    expect(page.get_by_label("Slug")).to_have_value(SLUG)


def open_panel(page: Page) -> None:
    open_tool(page)
    address = page.url.split("?")[0].replace("/change/", "/try-it")
    page.goto(address)
    expect(page.get_by_role("button", name="Run")).to_be_visible()


def result(page: Page) -> Locator:
    return page.get_by_role("region", name="Result")


def choose(page: Page, action: str) -> None:
    """What is done to several tools at once, for those that the list shows."""
    page.goto(f"{LIST}?q={SLUG}")
    page.locator("#result_list tbody input.action-select").first.check(force=True)
    page.locator("select[name=action]").select_option(label=action)
    page.locator("button[name=index]").first.click()


def forget(page: Page) -> None:
    """So that the tour can be made again: its calls stay in the log."""
    open_tool(page)
    page.goto(page.url.split("?")[0].replace("/change/", "/delete/"))
    page.get_by_role("button", name="Yes").or_(page.locator("input[type=submit]")).first.click()
    expect(page.locator("body")).to_contain_text("deleted successfully")
