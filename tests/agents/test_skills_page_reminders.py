"""Reminders on the page of skills: planned, refused, looked at again, cancelled."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent, Conversation, Message
from agents.skill_definitions import CHECK_IN
from config.base.models import User
from jobs.enums import JobStatus
from jobs.models import Job, JobSeries
from jobs.recurrence import next_slot
from jobs.services import pause_series
from jobs.testing import make_due, run_due_jobs
from skills.bindings import switch_skill
from skills.models import SkillJob
from tests.agents.cards import conversation_of
from tests.agents.skills_pages import (
    URL,
    check_in_line,
    grant,
    in_form,
    job_lines,
    one,
    page,
    plan,
    press,
    signed_in,
    soup,
    text_of,
)
from tests.agents.test_skills_page import actor, queries
from tests.jobs.factories import make_job

pytestmark = [pytest.mark.django_db, pytest.mark.both]

JOBS = f"{URL}jobs/"
CANCEL, SKIP, END = (f"[aria-label^='{word}']" for word in ("Cancel", "Skip", "End"))


@pytest.fixture
def client(alice: User, guide: Agent) -> Client:
    client = signed_in(alice)
    grant(client)
    return client


@pytest.fixture
def other(db: None) -> Agent:
    return Agent.objects.create(slug="other", name="Other")


def errors(answer: Any) -> dict[str, str]:
    """By field."""
    found = soup(answer).select("#reminder-form p.error")
    return {str(one["id"]).split("-")[1].split("_")[0]: text_of(one) for one in found}


# --- Whether it can be planned ---


def test_without_the_permission_the_form_is_there_disabled_and_says_why(
    alice: User, guide: Agent
) -> None:
    found = page(signed_in(alice))
    assert one(found, "#reminder-form fieldset").has_attr("disabled")
    why = one(found, "#reminders-why")
    assert "“Send proactive reminders” is missing" in text_of(why)
    assert one(found, str(one(why, "a")["href"])).select("[role=switch]")


def test_nor_while_the_skill_is_off(client: Client, guide: Agent) -> None:
    assert not one(page(client), "#reminder-form fieldset").has_attr("disabled")
    found = soup(press(client, check_in_line(page(client))))
    assert one(found, "#reminder-form fieldset").has_attr("disabled")
    why = one(found, "#reminders-why")
    assert "“Goal check-in reminder” is switched off" in text_of(why)
    assert one(why, "a")["href"] == f"#skill-{CHECK_IN}"


def test_of_several_agents_those_that_may_can_be_chosen(
    alice: User, guide: Agent, other: Agent
) -> None:
    client = signed_in(alice)
    grant(client, agent=other)
    found = page(client)
    assert not one(found, "#reminder-form fieldset").has_attr("disabled")
    options = one(found, "#reminder-agent").select("option")
    assert [(one.text, one.has_attr("disabled")) for one in options] == [
        ("Guide", True),
        ("Other", False),
    ]
    assert one(found, "#reminder-agent option[selected]").text == "Other"
    assert one(page(client, guide), "#reminder-form fieldset").has_attr("disabled")


def test_what_is_sent_all_the_same_is_refused_by_the_service(alice: User, guide: Agent) -> None:
    answer = plan(signed_in(alice), guide)
    assert answer.status_code == 400
    assert "The permission is missing" in text_of(soup(answer))
    assert not Job.objects.filter(kind=CHECK_IN).exists()


# --- Planning ---


def test_it_begins_with_tomorrow_morning_in_the_persons_zone(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(time_zone="Asia/Tokyo")
    form = one(page(client), "#reminder-form")
    assert one(form, "#reminder-zone")["value"] == "Asia/Tokyo"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT09:00", str(one(form, "#reminder-when")["value"]))


def test_what_is_planned_waits_at_its_local_time(client: Client, alice: User, guide: Agent) -> None:
    conversation_of(alice, guide, title="Handbook")
    day = timezone.now() + timedelta(days=3)
    answer = plan(client, guide, when=f"{day:%Y-%m-%d}T18:30", zone="tokyo", note="Über <b>")
    assert (answer.status_code, answer["Location"]) == (302, f"{URL}#reminder-jobs")
    job = Job.objects.get(kind=CHECK_IN)
    assert job.scheduled_at == datetime(day.year, day.month, day.day, 9, 30, tzinfo=UTC)
    [line] = job_lines(page(client))
    assert (line["data-state"], "waiting" in text_of(line)) == ("scheduled", True)
    for words in ("“Über <b>”", "Guide", "Handbook"):
        assert words in text_of(line)
    assert one(line, "time")["datetime"] == job.scheduled_at.isoformat()


def test_a_form_that_is_sent_twice_plans_once(client: Client, guide: Agent) -> None:
    def key() -> str:
        return str(one(page(client), "#reminder-form [name=key]")["value"])

    first = key()
    for _twice in range(2):
        assert plan(client, guide, key=first).status_code == 302
    assert Job.objects.filter(kind=CHECK_IN).count() == 1
    assert plan(client, guide, key=key()).status_code == 302
    assert Job.objects.filter(kind=CHECK_IN).count() == 2


def test_a_form_that_was_gone_back_to_plans_what_it_says_now(client: Client, guide: Agent) -> None:
    key = str(one(page(client), "#reminder-form [name=key]")["value"])
    day = timezone.now() + timedelta(days=3)
    for hour, shown in ((9, "9:30 a.m."), (17, "5:30 p.m.")):
        when = f"{day:%Y-%m-%d}T{hour:02}:30"
        answer = plan(client, guide, key=key, zone="UTC", when=when, note=str(hour))
        said = text_of(soup(client.get(answer["Location"]))).partition("Planned for")[2]
        assert shown in said
    made = Job.objects.filter(kind=CHECK_IN).order_by("scheduled_at")
    assert [(job.scheduled_at.hour, job.payload["note"]) for job in made] == [(9, "9"), (17, "17")]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"when": ""}, "when", "required"),
        ({"when": "tomorrow"}, "when", "such as"),
        ({"when": "2031-01-01T09:00+01:00"}, "when", "such as"),
        ({"when": "2020-01-01T09:00"}, "when", "At least a minute ahead"),
        ({"when": "9999-12-31T23:59", "zone": "America/New_York"}, "when", "At most a year"),
        ({"when": "2099-01-01T09:00"}, "when", "At most a year"),
        ({"zone": "Mars/Olympus"}, "zone", "zone"),
        ({"zone": ""}, "zone", "required"),
        ({"repeat": "hourly"}, "repeat", "hourly"),
        ({"repeat": "cron", "cron": ""}, "cron", "required"),
        ({"repeat": "cron", "cron": "every day"}, "cron", "five fields"),
        ({"repeat": "cron", "cron": "0 9 31 2 *"}, "cron", "can't be read"),
        ({"repeat": "daily", "when": "2099-01-01T09:00"}, "when", "It would begin"),
        ({"note": "x" * 501}, "note", "500"),
        ({"note": "a\0b"}, "note", "Null"),
        ({"agent": "x"}, "agent", "x"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_can_t_be_planned_is_said_beside_its_field_and_nothing_is_lost(
    client: Client, guide: Agent, changes: dict[str, str], field: str, words: str
) -> None:
    answer = plan(client, guide, **changes)
    assert answer.status_code == 400
    found = errors(answer)
    assert list(found) == [field]
    assert words in found[field]
    assert not Job.objects.filter(kind=CHECK_IN).exists()
    kept = {**in_form(guide), **changes}
    form = one(soup(answer), "#reminder-form")
    for name in {"when", "zone", "cron"} - {field}:
        assert one(form, f"#reminder-{name}").get("value", "") == kept[name]
    if field != "note":
        assert one(form, "#reminder-note").text.strip() == "The first draft"
    wrong = one(form, f"#reminder-{field}")
    assert wrong["aria-invalid"] == "true"


def test_a_time_that_the_clocks_skip_is_none(client: Client, guide: Agent) -> None:
    """Wherever the next such night is: the last Sunday in March, in Berlin."""
    now = timezone.now()
    year = now.year if now < datetime(now.year, 3, 25, tzinfo=UTC) else now.year + 1
    last = datetime(year, 3, 31, tzinfo=UTC)
    sunday = last - timedelta(days=last.isoweekday() % 7)
    answer = plan(client, guide, when=f"{sunday:%Y-%m-%d}T02:30", zone="Europe/Berlin")
    assert "skip" in errors(answer)["when"]


def test_lines_of_a_note_count_as_the_browser_counts_them(client: Client, guide: Agent) -> None:
    note = "\r\n".join("x" * 9 for _ in range(50))  # 499 characters, 548 as they are sent
    assert plan(client, guide, note=note).status_code == 302
    assert Job.objects.get(kind=CHECK_IN).payload["note"] == note.replace("\r\n", "\n")


# --- Series ---


def soonest() -> str:
    """When any series can begin that has this hour, this weekday or this day of the month."""
    return f"{timezone.now() + timedelta(hours=1):%Y-%m-%dT%H:%M}"


@pytest.mark.parametrize(
    ("repeat", "words"),
    [("daily", "every day at"), ("weekly", "day at"), ("monthly", "month")],
)
def test_a_series_begins_with_the_chosen_time_and_says_when_it_comes_again(
    client: Client, guide: Agent, repeat: str, words: str
) -> None:
    when = soonest()
    assert plan(client, guide, repeat=repeat, when=when).status_code == 302
    job = Job.objects.get(kind=CHECK_IN)
    assert f"{job.scheduled_at:%Y-%m-%dT%H:%M}" == when
    [line] = job_lines(page(client))
    assert words in text_of(line)
    assert "(UTC)" in text_of(line)
    upcoming = [datetime.fromisoformat(str(one["datetime"])) for one in line.select("details time")]
    assert len(upcoming) == 3
    assert upcoming == sorted(upcoming)
    assert upcoming[0] > job.scheduled_at


def test_a_cron_expression_will_do_without_a_day(client: Client, guide: Agent) -> None:
    answer = plan(client, guide, repeat="cron", cron="30 8 * * 1-5", when="", zone="Asia/Shanghai")
    assert answer.status_code == 302
    [line] = job_lines(page(client))
    assert "Mon–Fri at 08:30 (Asia/Shanghai)" in text_of(line)


def test_one_of_a_series_is_skipped_or_the_whole_series_is_ended(
    client: Client, guide: Agent
) -> None:
    plan(client, guide, repeat="daily", when=soonest())
    press(client, job_lines(page(client))[0], SKIP)
    lines = job_lines(page(client))
    assert [line["data-state"] for line in lines] == ["scheduled", "cancelled"]
    assert not lines[1].select("form")
    answer = press(client, lines[0], END)
    assert [line["data-state"] for line in job_lines(soup(answer))] == ["cancelled", "cancelled"]
    assert "Its series was ended." in text_of(job_lines(soup(answer))[0])
    assert JobSeries.objects.get(kind=CHECK_IN).ended_at is not None
    assert not page(client).select("#reminder-jobs form")


def test_a_long_series_is_ended_at_its_newest_job_on_whichever_page_that_is(
    client: Client, guide: Agent
) -> None:
    plan(client, guide, repeat="daily", when=soonest())
    for _ in range(11):
        press(client, job_lines(page(client))[0], SKIP)
    first, second = (job_lines(soup(client.get(JOBS, {"page": n}))) for n in (1, 2))
    assert (len(first), len(second)) == (10, 2)
    assert [bool(line.select(END)) for line in (*first, *second)] == [True] + [False] * 11
    assert [bool(line.select("details time")) for line in (*first, *second)] == (
        [True] + [False] * 11
    )
    for _ in range(10):
        plan(client, guide)
    [newest] = [one for one in job_lines(soup(client.get(JOBS, {"page": 2}))) if one.select(END)]
    press(client, newest, END)
    assert JobSeries.objects.get(kind=CHECK_IN).ended_at is not None


def test_a_series_that_comes_too_often_is_refused_beside_its_rule(
    client: Client, guide: Agent
) -> None:
    answer = plan(client, guide, repeat="cron", cron="*/5 * * * *", when="")
    assert answer.status_code == 400
    assert errors(answer) == {"cron": "A series has at least 15 minutes from one time to the next."}
    assert not JobSeries.objects.filter(kind=CHECK_IN).exists()


def test_a_series_that_rests_says_so_and_can_be_ended(
    client: Client, alice: User, guide: Agent
) -> None:
    plan(client, guide, repeat="daily", when=soonest())
    press(client, job_lines(page(client))[0], SKIP)
    pause_series(actor(alice), JobSeries.objects.get(kind=CHECK_IN).pk)
    [line] = job_lines(page(client))
    assert "resting" in text_of(line)
    press(client, line, END)
    assert JobSeries.objects.get(kind=CHECK_IN).ended_at is not None


# --- How they went ---


def test_it_is_followed_from_waiting_to_its_message(
    client: Client, alice: User, guide: Agent
) -> None:
    plan(client, guide)
    make_due(Job.objects.get(kind=CHECK_IN))
    run_due_jobs()
    assert Message.objects.filter(role="reminder").count() == 1
    found = page(client)
    [line] = job_lines(found)
    assert line["data-state"] == "completed"
    assert "attempt 1 of 3" in text_of(line)
    assert not line.select("form")
    assert "Goal check-in reminder" in text_of(one(found, "#uses"))


def test_a_failure_is_said_in_words(client: Client, alice: User, guide: Agent) -> None:
    plan(client, guide)
    switch_skill(actor(alice), CHECK_IN, enabled=False)
    make_due(Job.objects.get(kind=CHECK_IN))
    run_due_jobs()
    [line] = job_lines(page(client))
    assert line["data-state"] == "failed"
    assert "is switched off" in text_of(line)


@pytest.mark.parametrize(
    ("attempts", "state", "label"), [(1, "retrying", "retrying"), (0, "scheduled", "waiting")]
)
def test_what_was_put_off_before_it_began_waits(
    client: Client, alice: User, attempts: int, state: str, label: str
) -> None:
    make_job(JobStatus.RETRYING, owner=alice, kind=CHECK_IN, attempts=attempts)
    [line] = job_lines(page(client))
    assert line["data-state"] == state
    assert label in text_of(line)


def test_what_has_ended_meanwhile_is_shown_as_it_is(client: Client, guide: Agent) -> None:
    plan(client, guide)
    line = job_lines(page(client))[0]
    make_due(Job.objects.get(kind=CHECK_IN))
    run_due_jobs()
    answer = press(client, line, CANCEL)
    assert [str(one) for one in answer.context["messages"]] == ["The job has ended."]
    assert job_lines(soup(answer))[0]["data-state"] == "completed"


# --- Looking again ---


@pytest.mark.parametrize(
    ("minutes", "seconds"), [(1, "every 3s"), (60, "every 30s")], ids=["soon", "later"]
)
def test_it_looks_again_the_sooner_the_nearer_it_is(
    client: Client, guide: Agent, minutes: int, seconds: str
) -> None:
    plan(client, guide)
    Job.objects.update(next_attempt_at=timezone.now() + timedelta(minutes=minutes))
    assert one(page(client), "#reminder-jobs")["hx-trigger"] == seconds


def test_where_nothing_is_to_come_it_does_not(client: Client, alice: User) -> None:
    make_job(JobStatus.COMPLETED, owner=alice, kind=CHECK_IN)
    assert not one(page(client), "#reminder-jobs").has_attr("hx-trigger")


def test_the_list_is_sent_again_when_it_has_changed(client: Client, guide: Agent) -> None:
    plan(client, guide)
    seen = client.get(JOBS).context["jobs"].seen
    assert client.get(JOBS, headers={"X-Seen": seen}).status_code == 204
    make_due(Job.objects.get(kind=CHECK_IN))
    run_due_jobs()
    answer = client.get(JOBS, headers={"X-Seen": seen})
    found = soup(answer)
    assert not found.select("html")
    assert job_lines(found)[0]["data-state"] == "completed"
    badge = one(found, "#count-side-chat")
    assert badge["hx-swap-oob"] == "true"
    assert text_of(badge).startswith("1")


def test_what_is_planned_for_bob_is_his(client: Client, bob: User, guide: Agent) -> None:
    plan(client, guide)
    job = Job.objects.get(kind=CHECK_IN)
    theirs = signed_in(bob)
    assert not job_lines(page(theirs))
    for act in ("cancel", "end"):
        assert theirs.post(f"{JOBS}{job.pk}/{act}/").status_code == 404
    job.refresh_from_db()
    assert job.status == JobStatus.SCHEDULED


def test_the_list_has_pages_and_costs_the_same_on_each(
    client: Client, alice: User, guide: Agent
) -> None:
    plan(client, guide, repeat="daily", when=soonest())
    few = queries(client, JOBS)
    for _ in range(11):
        plan(client, guide)
        plan(client, guide, repeat="daily", when=soonest())
    assert SkillJob.objects.count() == 23
    assert len(job_lines(soup(client.get(JOBS)))) == 10
    assert len(job_lines(soup(client.get(JOBS, {"page": "3"})))) == 3
    assert one(page(client), "a[rel=next]")["href"] == "?page=2#reminder-jobs"
    with CaptureQueriesContext(connection) as captured:
        assert client.get(JOBS).status_code == 200
    assert len(captured) <= few + 1  # those of jobs that are alone
    assert len(captured) <= 14


# --- What a newcomer stumbled on ---


def test_all_that_is_wrong_is_said_at_once_and_stands_in_sight(
    client: Client, guide: Agent
) -> None:
    answer = plan(client, guide, repeat="cron", cron="61 8 * * *", zone="America/New_Yrk")
    assert answer.status_code == 400
    problems = one(soup(answer), "#reminder-problems[autofocus][tabindex='-1']")
    assert [link["href"] for link in problems.select("a")] == ["#reminder-cron", "#reminder-zone"]
    assert "Unknown time zone. Choose one from the list." in text_of(problems)


def test_every_working_day_is_a_choice_and_said_in_words(client: Client, guide: Agent) -> None:
    first = next_slot("30 8 * * 1-5", "UTC", timezone.now())  # today, before half past eight
    answer = plan(client, guide, repeat="working_days", when=f"{first:%Y-%m-%dT%H:%M}")
    assert answer.status_code == 302
    [line] = job_lines(page(client))
    assert "Mon–Fri at 08:30 (UTC)" in text_of(line)


def test_a_time_of_another_zone_is_said_by_both_clocks(client: Client, guide: Agent) -> None:
    plan(client, guide, repeat="cron", cron="30 8 * * *", when="", zone="Asia/Shanghai")
    [line] = job_lines(page(client))
    assert "12:30 a.m." in text_of(line)
    assert "8:30 a.m. (Asia/Shanghai)" in text_of(line.select(".dotted")[0])


def test_it_is_said_before_where_the_reminder_will_come(
    client: Client, alice: User, guide: Agent
) -> None:
    where = one(page(client), "#reminder-where")
    assert " ".join(where.text.split()) == "It will come into: a new conversation (Guide)"
    found = Conversation.objects.create(owner=alice, agent=guide, title="Thesis")
    where = one(page(client), "#reminder-where")
    assert [link["href"] for link in where.select("a")] == [f"/chat/{found.pk}/"]
    assert "Thesis" in text_of(where)


def test_a_series_that_one_ended_oneself_is_no_failure(client: Client, guide: Agent) -> None:
    plan(client, guide, repeat="cron", cron="30 8 * * *", when="")
    [line] = job_lines(page(client))
    [line] = job_lines(soup(press(client, line, "[aria-label^='End series']")))
    assert "Its series was ended." in text_of(line)
    assert not line.select(".line-error")
