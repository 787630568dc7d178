"""The page of skills, as seed 4 has it checked by hand: permissions, recall, reminders."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from agents.conversations import post_message
from agents.memories.rows import bring_in_step
from agents.models import Agent, Conversation, Memory
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.models import Job
from skills.models import PermissionGrant, SkillBinding, SkillRun
from tests.browser.conftest import PHONE, Console, InDatabase, NewContext, SignIn
from tests.browser.pages import say, thread, wait_until_done
from tests.processes.harness import Server

OURS, OTHERS = "Likes jasmine tea: 喜欢茉莉花茶", "Likes black coffee: 喜欢黑咖啡"
FITS = "document.documentElement.scrollWidth <= screen.width"
SHAPES: dict[str, dict[str, Any]] = {"desktop": {}, "phone": PHONE}
READ, WRITE = "Read agent memories", "Send proactive reminders"
NAME = "bob"  # whose memories no other browser test reads


def begin_anew() -> None:
    """Nothing granted, nothing switched, two memories: one of this agent, one of another."""
    bob, guide = User.objects.get(username=NAME), Agent.objects.get(slug="guide")
    PermissionGrant.objects.for_user(bob).active().update(revoked_at=Now())
    SkillBinding.objects.for_user(bob).delete()
    SkillRun.objects.for_user(bob).delete()
    Job.objects.filter(owner=bob).delete()
    Conversation.objects.for_user(bob).delete()
    Memory.objects.for_user(bob).delete()
    other = Agent.objects.get_or_create(slug="other", name="Other", enabled=False)[0]
    for agent, text in ((guide, OURS), (other, OTHERS)):
        bring_in_step(Memory.objects.create(owner=bob, agent=agent, text=text))


@pytest.fixture(params=SHAPES)
def page(
    request: pytest.FixtureRequest,
    new_context: NewContext,
    live_app: Server,
    in_database: InDatabase,
    sign_in: SignIn,
) -> Page:
    in_database(begin_anew)
    return sign_in(new_context(**SHAPES[request.param]).new_page(), NAME)


def skill(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Available skills").get_by_role("switch", name=name)


def permission(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="What you permit").get_by_role("switch", name=name)


def press(switch: Locator, *, on: bool) -> None:
    switch.click()
    expect(switch).to_be_checked(checked=on)


def ask(page: Page, text: str) -> Locator:
    """In a new conversation."""
    page.goto("/")
    say(page, text)
    wait_until_done(page)
    return thread(page)


def last_use(page: Page) -> Locator:
    page.goto("/skills/")
    return page.get_by_role("region", name="Last used").get_by_role("listitem").first


def uses(page: Page) -> int:
    count: int = page.request.get("/api/skills/runs/").json()["count"]
    return count


@pytest.mark.parametrize("question", ["Do you still remember what I like?", "你还记得我喜欢什么吗"])
def test_a_memory_is_read_once_that_is_permitted_and_while_it_is_wanted(
    page: Page, question: str
) -> None:
    page.goto("/skills/")
    expect(skill(page, "Memory recall")).to_be_checked()
    expect(skill(page, "Goal check-in reminder")).to_be_checked()
    expect(permission(page, READ)).not_to_be_checked()

    said = ask(page, question)
    expect(said).to_contain_text("memory:read")
    link = said.get_by_role("link", name="Skills")
    expect(link.first).to_have_attribute("href", "/skills/#permission-memory-recall-memory-read")
    expect(said).not_to_contain_text("jasmine")
    expect(last_use(page)).to_contain_text("denied")

    press(permission(page, READ), on=True)
    said = ask(page, question)
    expect(said).to_contain_text(OURS)
    expect(said).not_to_contain_text(OTHERS)

    ask(page, "/memory-recall what I like")
    expect(thread(page)).to_contain_text(OURS)
    used = last_use(page)
    for words in ("Memory recall", "uses a tool · 1.0.0", "succeeded"):
        expect(used).to_contain_text(words)
    used.get_by_role("link").click()
    expect(thread(page)).to_contain_text("/memory-recall what I like")

    page.goto("/skills/")
    press(skill(page, "Memory recall"), on=False)
    before = uses(page)
    expect(ask(page, question)).not_to_contain_text("jasmine")
    assert uses(page) == before


def form(page: Page) -> Locator:
    return page.get_by_role("region", name="Plan a reminder")


def job(page: Page, note: str) -> Locator:
    region = page.get_by_role("region", name="Your reminders")
    return region.get_by_role("listitem").filter(has_text=note)


def plan(page: Page, note: str) -> None:
    form(page).get_by_label("Note").fill(note)
    form(page).get_by_role("button", name="Plan reminder").click()
    expect(job(page, note)).to_contain_text("waiting")


def move(in_database: InDatabase, note: str, **ahead: int) -> None:
    """Its time, so that nobody waits for the morning."""
    due = timezone.now() + timedelta(**ahead)
    rows = Job.objects.filter(kind=CHECK_IN, payload__note=note)
    in_database(lambda: rows.update(next_attempt_at=due, scheduled_at=due))


def test_a_reminder_is_planned_once_that_is_permitted_seen_to_arrive_or_cancelled(
    page: Page, in_database: InDatabase, workers: None
) -> None:
    page.goto("/skills/")
    expect(form(page).get_by_role("button", name="Plan reminder")).to_be_disabled()
    expect(form(page).get_by_label("Note")).to_be_disabled()
    expect(form(page)).to_contain_text(f"“{WRITE}” is missing")
    form(page).get_by_role("link", name="Give it").click()
    press(permission(page, WRITE), on=True)

    plan(page, "Handbook, chapter two")
    plan(page, "To be called off")
    job(page, "To be called off").get_by_role("button", name="Cancel").click()
    expect(job(page, "To be called off")).to_contain_text("cancelled")

    move(in_database, "Handbook, chapter two", minutes=1)
    page.reload()  # so that it looks again every few seconds
    expect(job(page, "Handbook, chapter two")).to_contain_text("waiting")
    move(in_database, "Handbook, chapter two", seconds=0)
    expect(job(page, "Handbook, chapter two")).to_contain_text("completed", timeout=60_000)
    expect(page.get_by_role("status").filter(has_text="completed")).to_have_count(1)
    assert page.evaluate(FITS)

    chat = page.get_by_role("link", name="Chat").filter(visible=True)
    expect(chat).to_contain_text("1 unread")
    job(page, "Handbook, chapter two").get_by_role("link", name="Goal check-in").click()
    expect(thread(page)).to_contain_text("“Handbook, chapter two”")
    expect(thread(page)).not_to_contain_text("called off")
    expect(last_use(page)).to_contain_text("Goal check-in reminder")


def test_what_was_typed_stays_when_something_is_switched(page: Page) -> None:
    page.goto("/skills/")
    press(permission(page, WRITE), on=True)
    form(page).get_by_label("Note").fill("Half a note")
    form(page).get_by_label("Repeat").select_option("cron")
    press(skill(page, "Weekly review"), on=False)
    expect(form(page).get_by_label("Note")).to_have_value("Half a note")
    expect(form(page).get_by_label("Cron expression")).to_be_visible()
    expect(form(page).get_by_label("Day and time")).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text="“Weekly review” is off.")).to_be_visible()


def test_what_is_wrong_is_said_beside_its_field(page: Page, console: Console) -> None:
    console.allow("status of 400")
    page.goto("/skills/")
    press(permission(page, WRITE), on=True)
    form(page).get_by_label("Time zone").fill("Atlantis")
    form(page).get_by_label("Note").fill("Kept")
    form(page).get_by_role("button", name="Plan reminder").click()
    expect(form(page).get_by_label("Time zone")).to_have_attribute("aria-invalid", "true")
    expect(form(page).get_by_label("Note")).to_have_value("Kept")
    form(page).get_by_role("link", name="Time zone").click()
    expect(form(page).get_by_label("Time zone")).to_be_focused()


def test_a_switch_is_pressed_by_the_keyboard_and_keeps_the_focus(page: Page) -> None:
    page.goto("/skills/")
    switch = permission(page, READ)
    switch.focus()
    for on in (True, False):
        page.keyboard.press("Space")
        expect(switch).to_be_checked(checked=on)
        expect(switch).to_be_focused()


def test_one_agent_has_settings_of_its_own(page: Page) -> None:
    page.goto("/skills/")
    page.get_by_label("Settings for").select_option(label="Guide")
    page.wait_for_url("**/skills/?agent=*")
    press(skill(page, "Memory recall"), on=False)
    page.get_by_label("Settings for").select_option(label="All agents")
    expect(skill(page, "Memory recall")).to_be_checked()
    expect(page.get_by_role("region", name="Available skills")).to_contain_text("Off for Guide.")


def test_it_works_without_javascript(
    new_context: NewContext, live_app: Server, in_database: InDatabase, sign_in: SignIn
) -> None:
    in_database(begin_anew)
    page = sign_in(new_context(java_script_enabled=False).new_page(), NAME)
    page.goto("/skills/")
    press(permission(page, WRITE), on=True)
    plan(page, "By hand")
    job(page, "By hand").get_by_role("button", name="Cancel").click()
    expect(job(page, "By hand")).to_contain_text("cancelled")


def test_a_switch_leaves_the_page_where_it_is(page: Page) -> None:
    page.goto("/skills/")
    for switch in (skill(page, "Weekly review"), permission(page, WRITE), permission(page, READ)):
        switch.scroll_into_view_if_needed()
        for on in (not switch.is_checked(), switch.is_checked()):
            before = switch.bounding_box()
            press(switch, on=on)
            expect(switch).to_be_focused()
            after = switch.bounding_box()
            assert before
            assert after
            assert abs(before["y"] - after["y"]) < 40


def say_beside() -> None:
    found = Conversation.objects.for_user(User.objects.get(username=NAME)).latest("updated_at")
    actor = Actor(user=found.owner, origin=Origin.JOB)
    post_message(actor, found.pk, "How far have you come?", provenance=[])


def test_what_comes_into_an_open_conversation_is_shown_and_read(
    page: Page, in_database: InDatabase
) -> None:
    ask(page, "What is 2 + 2?")
    in_database(say_beside)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # sooner than its time
    expect(thread(page)).to_contain_text("How far have you come?")
    expect(page.locator("#count-side-chat")).to_be_empty()
    page.goto("/skills/")
    in_database(say_beside)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#count-side-chat")).to_have_text("1 unread")


def test_a_refused_reminder_is_said_in_sight(page: Page, console: Console) -> None:
    console.allow("400 (Bad Request)")
    page.goto("/skills/")
    press(permission(page, WRITE), on=True)
    page.get_by_label("Repeat").select_option("cron")
    page.get_by_label("Cron expression").fill("61 8 * * *")
    page.get_by_label("Time zone").fill("America/New_Yrk")
    page.get_by_role("button", name="Plan reminder").click()
    problems = page.locator("#reminder-problems")
    expect(problems).to_be_focused()
    expect(problems).to_be_in_viewport()
    expect(problems.get_by_role("link")).to_have_count(2)
