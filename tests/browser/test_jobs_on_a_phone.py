"""The console's pages of jobs on a phone: nothing is cut to a letter a line, nothing sticks out."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
NARROWEST = """Math.min(...[...document.querySelectorAll('.gh-stacks tbody :is(th, td)')]
    .filter(cell => cell.textContent.trim().length > 12)
    .map(cell => cell.getBoundingClientRect().width))"""
MAKE_SERIES = """async token => {
    const answer = await fetch('/api/jobs/', {
        method: 'POST',
        headers: {'Content-Type': 'application/json', 'X-CSRFToken': token},
        body: JSON.stringify({
            kind: 'housekeeping.jobs',
            recurrence: {cron: '30 2 * 3 0', zone: 'Europe/Berlin'},
        }),
    });
    return (await answer.json()).series;
}"""


@pytest.fixture
def operator(phone_page: Page, sign_in: SignIn) -> Page:
    return sign_in(phone_page, "operator")


def test_kinds_are_read_row_by_row(operator: Page) -> None:
    operator.goto("/admin/jobs/job/kinds/")
    expect(operator.locator("main, body").first).to_contain_text("Throws away")
    assert operator.evaluate(NARROWEST) > 150
    assert operator.evaluate(FITS)


def test_the_note_of_a_time_that_clocks_skip_has_room(operator: Page) -> None:
    operator.goto("/admin/jobs/job/kinds/")
    token = operator.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    series = operator.evaluate(MAKE_SERIES, token)
    operator.goto(f"/admin/jobs/jobseries/{series}/change/")
    expect(operator.locator("body")).to_contain_text("has no 02:30 on")
    assert operator.evaluate(NARROWEST) > 150
    assert operator.evaluate(FITS)
