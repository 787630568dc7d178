"""The thread while it is drawn anew: what was shown live goes when the server's rendering comes."""

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import SignIn
from tests.browser.pages import say, thread, wait_until_done

NEWS = 'document.dispatchEvent(new CustomEvent("news:thread"))'


def test_a_run_that_ends_while_the_thread_is_being_fetched_leaves_nothing_live(
    page: Page, sign_in: SignIn
) -> None:
    sign_in(page, "sam")
    say(page, "What is 2+2?")
    wait_until_done(page)
    url = page.locator("#thread").get_attribute("data-thread-url")
    assert url
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**{url}", hold, times=2)
    with page.expect_request(f"**{url}"):
        page.evaluate(NEWS)
    page.evaluate(NEWS)
    with page.expect_request(f"**{url}"):
        held[0].continue_()
    say(page, "What is 3+3?")
    expect(page.locator("#live")).to_contain_text("I am the offline model")
    page.wait_for_timeout(500)  # its end comes while the answer about the second news is awaited
    held[1].continue_()
    wait_until_done(page)
    expect(thread(page)).to_contain_text("What is 3+3?")
