"""Steps of the operator's tour: what people need not be asked again, and what was changed."""

from playwright.sync_api import Page, expect

from tests.browser.pages import say, switch_tools_on, wait_until_done
from tests.browser.tour_imports import STOCK, follow
from tests.browser.tour_places import Places

LIST = "/admin/tools/tool/"
APPROVALS = "/admin/tools/standingapproval/"


def need_approval(page: Page, _places: Places) -> None:
    ask_for_approval(page, needed=True)


def approve_for_a_day(page: Page, _places: Places) -> None:
    page.goto("/")
    switch_tools_on(page)
    say(page, "create a document called Opening hours with the content Ten to six")
    wait_until_done(page)  # what stands there before it is drawn anew at its end
    page.locator("summary", has_text="Don’t ask again").click()
    page.get_by_label("Don’t ask in this conversation, for 24 hours").check()
    page.get_by_role("button", name="Confirm").scroll_into_view_if_needed()


def see_the_approval(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('article.draft[data-state="executed"]').last).to_be_visible()
    wait_until_done(page)
    page.goto(f"{APPROVALS}?q=document")
    expect(page.locator("#result_list")).to_contain_text("operator")


def revoke_it(page: Page, _places: Places) -> None:
    page.locator("#result_list tbody input.action-select").first.check()
    page.locator("select[name=action]").select_option(label="Revoke the selected approvals")
    page.locator("button[name=index]").first.click()
    expect(page.locator("#result_list tbody tr").first).to_contain_text("revoked")
    ask_for_approval(page, needed=False)
    page.goto(f"{APPROVALS}?q=document")


def see_its_history(page: Page, _places: Places) -> None:
    open_tool(page, STOCK)
    follow(page, "History")
    page.wait_for_url("**/history/**")
    expect(page.locator("body")).to_contain_text("config.changed_descriptor")
    expect(page.locator("td[data-label=Before]").first).to_be_visible()


def open_tool(page: Page, slug: str) -> None:
    page.goto(f"{LIST}?q={slug}")
    page.locator("#result_list").get_by_role("row").filter(
        has=page.get_by_role("cell", name=slug, exact=True)
    ).locator("th a").first.click()
    expect(page.get_by_label("Slug")).to_have_value(slug)


def ask_for_approval(page: Page, *, needed: bool) -> None:
    open_tool(page, "document")
    page.get_by_label("Needs approval").set_checked(needed)
    page.get_by_role("button", name="Save and continue editing").or_(
        page.get_by_role("button", name="Save", exact=True)
    ).locator("visible=true").first.click()
    expect(page.locator("body")).to_contain_text("was changed successfully")
