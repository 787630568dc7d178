"""The operator's tour, step by step as an operator does it: for its test and its pictures.

`STEPS` in their order; a step takes the page of an operator and what stands on this machine for
tools to reach. One begins where the one before it ended.
"""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.tour_approvals import (
    approve_for_a_day,
    need_approval,
    open_tool,
    revoke_it,
    see_its_history,
    see_the_approval,
)
from tests.browser.tour_imports import (
    PREFIX,
    STOCK,
    ask_an_mcp_server,
    choose_operations,
    import_from_it,
    import_operations,
    meet_other_words,
    name_a_document,
    see_what_changed,
    trust_it,
    try_an_operation,
    try_it,
)
from tests.browser.tour_places import Places

SLUG = "intranet"
NAME = "Intranet pages"
LIST = "/admin/tools/tool/"


@dataclass(frozen=True, slots=True)
class Step:
    name: str  # of its picture
    do: Callable[[Page, Places], None]


def create(page: Page, _places: Places) -> None:
    page.goto(f"{LIST}add/?type=fetch")
    page.locator("#id_name").fill(NAME)  # others are called so, too
    page.get_by_label("Slug").fill(SLUG)
    page.get_by_label("Description").fill("Reads pages of the intranet.")


def configure(page: Page, _places: Places) -> None:
    page.get_by_label("Allowed domains").fill("127.0.0.1")
    page.get_by_label("Allowed private networks").fill("127.0.0.1/32")
    page.get_by_role("button", name="Add: Default headers").click()
    row = page.locator('[id="id_config.default_headers"]')
    row.get_by_label("Name").fill("accept-language")
    row.get_by_label("Value").fill("en")
    page.locator('[id="id_config.default_headers"]').scroll_into_view_if_needed()


def save(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("body")).to_contain_text("was added successfully")
    page.goto(f"{LIST}?q={SLUG}")
    expect(page.locator("#result_list")).to_contain_text("ready")


def attempt(page: Page, places: Places) -> None:
    open_panel(page)
    page.get_by_label("Url").fill(places.page)
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("succeeded")
    expect(result(page)).to_contain_text("Release notes")


def ask_for_somebody(page: Page, _places: Places) -> None:
    page.get_by_label("Person").fill("alice")
    page.get_by_role("button", name="Show the decision").click()
    expect(result(page)).to_contain_text("alice would get")


def be_refused(page: Page, _places: Places) -> None:
    page.get_by_label("Url").fill("http://example.com/")
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("domain_not_allowed")


def see_why(page: Page, _places: Places) -> None:
    result(page).get_by_role("link", name="In the log").click()
    expect(page.locator("body")).to_contain_text("domain_not_allowed")


def switch_off(page: Page, _places: Places) -> None:
    choose(page, "Switch the selected tools off")
    expect(page.locator("body")).to_contain_text("1 tool was switched off.")


def be_denied(page: Page, places: Places) -> None:
    open_panel(page)
    page.get_by_label("Url").fill(places.page)
    page.get_by_role("button", name="Run").click()
    expect(result(page)).to_contain_text("switched off")


def switch_on(page: Page, _places: Places) -> None:
    choose(page, "Switch the selected tools on")
    expect(page.locator("body")).to_contain_text("1 tool was switched on.")


def accept(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Accept and switch on").click()
    expect(page.locator("body")).to_contain_text("was accepted and switched on")


def watch_log(page: Page, _places: Places) -> None:
    page.goto(f"/admin/tools/toolcall/?q={SLUG}")
    expect(page.locator("#result_list tbody tr")).not_to_have_count(0)


def watch_charts(page: Page, _places: Places) -> None:
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
    Step("openapi", name_a_document),
    Step("operations", choose_operations),
    Step("imported", import_operations),
    Step("operation", try_an_operation),
    Step("mcp", ask_an_mcp_server),
    Step("mcp-imported", import_from_it),
    Step("mcp-trusted", trust_it),
    Step("mcp-tried", try_it),
    Step("mcp-changed", meet_other_words),
    Step("diff", see_what_changed),
    Step("accepted", accept),
    Step("needs-approval", need_approval),
    Step("card", approve_for_a_day),
    Step("standing", see_the_approval),
    Step("revoked", revoke_it),
    Step("log", watch_log),
    Step("charts", watch_charts),
    Step("history", see_its_history),
)


def open_panel(page: Page) -> None:
    open_tool(page, SLUG)
    address = page.url.split("?")[0].replace("/change/", "/try-it")
    page.goto(address)
    expect(page.get_by_role("button", name="Run")).to_be_visible()


def result(page: Page) -> Locator:
    return page.get_by_role("region", name="Result")


def choose(page: Page, action: str) -> None:
    """What is done to several tools at once, for those that the list shows."""
    page.goto(f"{LIST}?q={SLUG}")
    page.locator("#result_list tbody input.action-select").first.check()
    page.locator("select[name=action]").select_option(label=action)
    page.locator("button[name=index]").first.click()


def forget(page: Page) -> None:
    """So that the tour can be made again: its calls stay in the log."""
    for words in (SLUG, PREFIX, STOCK):
        page.goto(f"{LIST}?q={words}")
        for box in page.locator("#result_list tbody input.action-select").all():
            box.check()
        page.locator("select[name=action]").select_option(label="Delete selected tools")
        page.locator("button[name=index]").first.click()
        page.get_by_role("button", name="Yes").or_(page.locator("input[type=submit]")).first.click()
        expect(page.locator("body")).to_contain_text("Successfully deleted")
