"""The hand checks at the end of seed 4, 7 to 14: the reminder of a goal check-in."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from agents.models import Conversation, Message
from agents.reminders.text import render_reminder
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills.models import AuditEvent, SkillJob
from tests.agents.hand_checks.conftest import CHECK_IN, JOBS, REMIND, Person, time_passes
from tests.threads import both_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def permitted(her: Person) -> Person:
    her.permits(CHECK_IN, REMIND)
    return her


def assert_no_message(person: Person, job_id: str) -> None:
    assert person.reminders() == []
    assert person.unread() == 0
    assert not Message.objects.filter(pk=job_id).exists()


def test_7_without_the_permission_none_can_be_ordered_and_nothing_is_made(her: Person) -> None:
    [error] = her.orders(status=403)["errors"]
    assert error["code"] == "permission_missing"
    assert REMIND in error["detail"]
    assert "/skills/" in error["detail"]
    assert her.results(JOBS) == []
    for rows in (Job, SkillJob, Conversation):
        assert not rows._default_manager.exists()
    event = AuditEvent.objects.get(action="policy.decided")
    assert (event.outcome, event.reason_code, event.skill) == (
        "denied",
        "permission_missing",
        CHECK_IN,
    )


def test_8_with_it_one_is_ordered_and_waits(her: Person) -> None:
    her.orders(status=403)
    her.permits(CHECK_IN, REMIND)
    job = her.orders()
    assert (job["status"], job["attempts"], job["version"]) == ("scheduled", 0, "1.0.0")
    [granted] = her.results("/api/skills/permissions/")
    assert job["grants"] == [granted["id"]]
    assert run_due_jobs() == []  # not yet
    assert_no_message(her, job["id"])


def test_9_when_its_time_has_come_there_is_one_message_and_it_is_completed(
    permitted: Person,
) -> None:
    job = permitted.orders(note="The draft")
    time_passes(job["id"])
    ended = permitted.job(job["id"])
    assert (ended["status"], ended["attempts"], ended["error_code"]) == ("completed", 1, "")
    [message] = permitted.reminders()
    assert message["id"] == job["id"]
    assert message["text"] == render_reminder("The draft", permitted.user.language)
    [conversation] = permitted.results("/api/agent/conversations/")
    assert conversation["id"] == job["conversation"]
    assert (conversation["message_count"], conversation["unread"]) == (1, 1)
    assert conversation["last_reply_at"] == message["created_at"]
    assert time_passes(job["id"]) == []
    assert len(permitted.reminders()) == 1
    assert "The draft" in permitted.page.get(f"/chat/{conversation['id']}/").content.decode()
    assert permitted.unread() == 0  # she has seen it
    [use] = permitted.results("/api/skills/runs/")
    assert (use["kind"], use["status"]) == ("background", "succeeded")


def test_10_cancelled_before_its_time_it_sends_nothing(permitted: Person) -> None:
    job = permitted.orders()
    cancelled = permitted.asks("POST", f"{JOBS}{job['id']}/cancel/")
    assert (cancelled["status"], cancelled["next_attempt_at"]) == ("cancelled", None)
    assert time_passes(job["id"]) == []
    assert_no_message(permitted, job["id"])
    permitted.asks("POST", f"{JOBS}{job['id']}/cancel/", status=409)


def revoke(person: Person) -> None:
    person.permits(CHECK_IN, REMIND, granted=False)


def switch_off(person: Person) -> None:
    person.switches(CHECK_IN, enabled=False)


@pytest.mark.parametrize(
    ("taken_back", "code"),
    [(revoke, "permission_missing"), (switch_off, "skill_disabled")],
    ids=["11_revoked", "12_switched_off"],
)
def test_11_12_what_is_taken_back_in_between_ends_it_for_good_without_a_message(
    permitted: Person, taken_back: Any, code: str
) -> None:
    job = permitted.orders()
    taken_back(permitted)
    assert permitted.job(job["id"])["status"] == "scheduled"
    time_passes(job["id"])
    ended = permitted.job(job["id"])
    assert (ended["status"], ended["error_code"], ended["attempts"]) == ("failed", code, 0)
    assert "/skills/" in ended["error_message"]
    assert_no_message(permitted, job["id"])
    [use] = permitted.results("/api/skills/runs/")
    assert (use["status"], use["error_code"]) == ("denied", code)
    permitted.permits(CHECK_IN, REMIND)
    permitted.switches(CHECK_IN, enabled=True)
    assert time_passes(job["id"]) == []  # for good
    assert_no_message(permitted, job["id"])


@pytest.fixture
def a_database_that_is_away_once(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: Iterator[Exception] = iter([OperationalError("the server went away")])

    def render(*text: Any) -> str:
        for error in errors:
            raise error
        return render_reminder(*text)

    monkeypatch.setattr("agents.reminders.writing.render_reminder", render)


@pytest.mark.usefixtures("a_database_that_is_away_once")
def test_13_after_a_temporary_error_it_is_tried_again_and_then_done(permitted: Person) -> None:
    job = permitted.orders()
    time_passes(job["id"])
    waits = permitted.job(job["id"])
    assert (waits["status"], waits["attempts"]) == ("retrying", 1)
    assert waits["error_code"] == "handler_failed"
    assert waits["next_attempt_at"] > waits["created_at"]
    assert_no_message(permitted, job["id"])
    assert run_due_jobs() == []  # in five minutes
    time_passes(job["id"])
    ended = permitted.job(job["id"])
    assert (ended["status"], ended["attempts"]) == ("completed", 2)
    assert len(permitted.reminders()) == 1
    assert [one["status"] for one in permitted.results("/api/skills/runs/")] == [
        "succeeded",
        "failed",
    ]


@pytest.mark.django_db(transaction=True)
def test_14_two_sweeps_at_once_send_one_message_for_each(permitted: Person) -> None:
    """The same with workers that are processes: tests/processes/test_reminders_survive.py."""
    jobs = [permitted.orders()["id"] for _ in range(5)]
    for job_id in jobs:
        make_due(Job.objects.get(pk=job_id))
    swept = both_at_once(run_due_jobs, run_due_jobs, run_due_jobs)
    ran = [str(job.pk) for sweep in swept for job in sweep]
    assert sorted(ran) == sorted(jobs)
    assert sorted(one["id"] for one in permitted.reminders()) == sorted(jobs)
    assert {permitted.job(job_id)["status"] for job_id in jobs} == {"completed"}
    [conversation] = permitted.results("/api/agent/conversations/")
    assert (conversation["message_count"], conversation["unread"]) == (5, 5)
    written = AuditEvent.objects.filter(action="reminder.written")
    assert written.count() == 5
