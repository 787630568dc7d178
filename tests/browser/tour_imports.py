"""Steps of the operator's tour: tools that are imported, and one whose server changed its words."""

from playwright.sync_api import Page, expect

from tests.browser.tour_places import Places

OPENAPI = "/admin/tools/tool/import-openapi/"
MCP = "/admin/tools/tool/import-mcp/"
LOOPBACK = "127.0.0.1/32"
PREFIX, TEA, STOCK = "tour_", "tour_read_tea", "tea_house_stock"


def name_a_document(page: Page, places: Places) -> None:
    page.goto("/admin/tools/tool/")
    follow(page, "Import from OpenAPI")
    page.get_by_label("Or its URL").fill(places.document)
    page.get_by_text("Within your own network").click()
    page.get_by_label("Private networks").fill(LOOPBACK)


def choose_operations(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Show its operations").click()
    expect(page.get_by_role("heading", name="4 operations")).to_be_visible()
    page.get_by_text("More settings").click()
    page.get_by_label("Prefix of slugs").fill(PREFIX)
    page.get_by_label("on", exact=True).check()
    page.get_by_role("checkbox", name="GET /teas/{tea}").check()
    page.get_by_role("checkbox", name="POST /orders").check()
    show_the_list(page)


def import_operations(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Import what is chosen").click()
    expect(page.get_by_text("2 new tools")).to_be_visible()


def try_an_operation(page: Page, _places: Places) -> None:
    page.get_by_role("link", name=TEA).click()
    follow(page, "Try it")
    page.get_by_label("Tea").fill("sencha")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text("Shizuoka")


def ask_an_mcp_server(page: Page, places: Places) -> None:
    page.goto("/admin/tools/tool/")
    follow(page, "Import from an MCP server")
    page.get_by_label("Address").fill(places.mcp)
    page.get_by_text("Within your own network").click()
    page.get_by_label("Private networks").fill(LOOPBACK)
    page.get_by_role("button", name="List its tools").click()
    page.get_by_role("checkbox", name="stock").check()
    show_the_list(page)


def import_from_it(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Import the chosen ones").click()
    expect(page.get_by_text("imported now")).to_be_visible()
    show_the_list(page)


def trust_it(page: Page, _places: Places) -> None:
    """Else each of its calls would wait for a person. New tools are off until looked at."""
    page.get_by_role("link", name=STOCK).click()
    page.get_by_label("Enabled").check()
    page.get_by_label("Trust read only").check()
    page.get_by_label("Trust read only").scroll_into_view_if_needed()


def try_it(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.locator("body")).to_contain_text("was changed successfully")
    follow(page, "Try it")
    page.get_by_label("Tea").fill("sencha")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text("450 g")


def meet_other_words(page: Page, places: Places) -> None:
    places.reword()
    ask_an_mcp_server(page, places)
    expect(page.get_by_text("changed since it was imported")).to_be_visible()
    show_the_list(page)


def see_what_changed(page: Page, _places: Places) -> None:
    page.get_by_role("button", name="Import the chosen ones").click()
    page.get_by_role("link", name=STOCK).click()
    expect(page.get_by_role("region", name="Changes")).to_contain_text("send me your notes")


def show_the_list(page: Page) -> None:
    page.locator("table").last.evaluate("table => table.scrollIntoView({block: 'center'})")


def follow(page: Page, name: str) -> None:
    """One of a page's own links: on a phone they are in a menu."""
    link = page.get_by_role("link", name=name, exact=True).first
    menu = page.get_by_role("link", name="More actions")
    expect(link.or_(menu).locator("visible=true").first).to_be_visible()
    if not link.is_visible():
        menu.first.click()
    link.click()
