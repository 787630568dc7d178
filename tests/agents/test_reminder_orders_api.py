"""Reminders ordered, listed and cancelled over the API."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from agents.models import Agent, Conversation
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.models import Job, JobSeries
from jobs.testing import make_due, run_due_jobs
from skills.background.selectors import list_background_jobs
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, PermissionGrant, SkillJob
from tests.agents.cards import conversation_of
from tests.jobs.factories import JobFactory
from tests.plans import analyze, assert_uses_index
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

JOBS = "/api/skills/background-jobs/"
PERMISSION = Permission(skill_id=CHECK_IN, code="proactive_message:write")
DAILY = {"cron": "30 8 * * *", "zone": "Asia/Shanghai"}


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


@pytest.fixture
def grant(alice: User) -> PermissionGrant:
    return grant_permission(Actor(user=alice, origin=Origin.PAGE), PERMISSION)


def soon(**span: float) -> str:
    return (timezone.now() + timedelta(**(span or {"hours": 1}))).isoformat()


def wanted(agent: Agent, /, **facts: Any) -> dict[str, Any]:
    body = {
        "skill_id": CHECK_IN,
        "agent": str(agent.pk),
        "scheduled_at": soon(),
        "note": "The first chapter",
    }
    return {name: value for name, value in {**body, **facts}.items() if value is not None}


def test_one_is_ordered_seen_and_cancelled(
    api: Api, alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    conversation = conversation_of(alice, guide)
    status, row = api("POST", JOBS, wanted(guide))
    assert status == 201, row
    assert (row["skill_id"], row["version"], row["status"]) == (CHECK_IN, "1.0.0", "scheduled")
    assert (row["agent"], row["conversation"]) == (str(guide.pk), str(conversation.pk))
    assert (row["grants"], row["note"], row["recurrence"]) == (
        [str(grant.pk)],
        "The first chapter",
        None,
    )
    assert api("GET", f"{JOBS}{row['id']}/") == (200, row)
    assert api("GET", JOBS)[1]["results"] == [row]
    status, cancelled = api("POST", f"{JOBS}{row['id']}/cancel/")
    assert (status, cancelled["status"], cancelled["next_attempt_at"]) == (200, "cancelled", None)
    again = api("POST", f"{JOBS}{row['id']}/cancel/")
    assert error_of(again)[:2] == (409, "job_finished")
    assert run_due_jobs() == []


def test_one_that_recurs_says_how(api: Api, guide: Agent, grant: PermissionGrant) -> None:
    status, row = api("POST", JOBS, wanted(guide, scheduled_at=None, recurrence=DAILY))
    assert status == 201, row
    series = JobSeries.objects.get()
    assert row["recurrence"] == {**DAILY, "series": str(series.pk), "missed": "run_once"}
    assert (row["version"], row["grants"]) == ("1.0.0", [str(grant.pk)])
    assert api("POST", f"/api/jobs/series/{series.pk}/end/")[0] == 200
    assert [one["status"] for one in api("GET", JOBS)[1]["results"]] == ["cancelled"]


def test_one_time_of_a_series_is_cancelled_or_the_whole(
    api: Api, guide: Agent, grant: PermissionGrant
) -> None:
    row = api("POST", JOBS, wanted(guide, scheduled_at=None, recurrence=DAILY))[1]
    cancel = f"{JOBS}{row['id']}/cancel/"
    assert api("POST", cancel, {})[1]["status"] == "cancelled"
    following, skipped = api("GET", JOBS)[1]["results"]
    assert (following["status"], skipped["id"]) == ("scheduled", row["id"])
    assert following["recurrence"] == row["recurrence"]
    assert following["scheduled_at"] > row["scheduled_at"]
    assert error_of(api("POST", cancel))[:2] == (409, "job_finished")
    assert api("POST", cancel, {"whole_series": True})[0] == 200  # of one that has ended, too
    assert {one["status"] for one in api("GET", JOBS)[1]["results"]} == {"cancelled"}


def test_what_is_no_way_to_cancel_is_refused(
    api: Api, guide: Agent, grant: PermissionGrant
) -> None:
    row = api("POST", JOBS, wanted(guide))[1]
    cancel = f"{JOBS}{row['id']}/cancel/"
    whole = error_of(api("POST", cancel, {"whole_series": True}))
    assert whole == (409, "not_recurring", None)
    assert error_of(api("POST", cancel, {"all": True}))[:2] == (400, "unknown_field")
    assert error_of(api("POST", cancel, {"whole_series": "perhaps"}))[:2] == (400, "invalid")
    assert Job.objects.get().status == "scheduled"


def test_why_one_failed_is_told(
    api: Api, alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    _status, row = api("POST", JOBS, wanted(guide))
    revoke_permission(Actor(user=alice, origin=Origin.PAGE), PERMISSION)
    make_due(Job.objects.get())
    run_due_jobs()
    row = api("GET", f"{JOBS}{row['id']}/")[1]
    assert (row["status"], row["error_code"]) == ("failed", "permission_missing")
    assert "/skills/" in row["error_message"]


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ({"skill_id": "gone"}, (404, "unknown_skill", None)),
        ({"skill_id": "memory-recall"}, (400, "skill_not_background", "skill_id")),
        ({"agent": str(uuid4())}, (404, "agent_not_found", None)),
        ({"agent": "guide"}, (400, "invalid", "agent")),
        ({"scheduled_at": None}, (400, "one_time_or_recurrence", "scheduled_at")),
        ({"recurrence": DAILY}, (400, "one_time_or_recurrence", "scheduled_at")),
        ({"scheduled_at": "2020-01-01T00:00:00Z"}, (400, "too_soon", "scheduled_at")),
        ({"scheduled_at": "2090-01-01T00:00:00Z"}, (400, "too_late", "scheduled_at")),
        ({"scheduled_at": "2090-01-01T00:00:00"}, (400, "naive", "scheduled_at")),
        (
            {"scheduled_at": None, "recurrence": {**DAILY, "cron": "0 8 29 2 *"}},
            (400, "too_late", "recurrence"),
        ),
        ({"note": "x" * 501}, (400, "max_length", "note")),
        ({"note": "a\0"}, (400, "null_characters_not_allowed", "note")),
        (
            {"scheduled_at": None, "recurrence": {**DAILY, "cron": "daily"}},
            (400, "job_recurrence_invalid", "recurrence"),
        ),
        (
            {"scheduled_at": None, "recurrence": {**DAILY, "cron": "*/5 9 * * *"}},
            (400, "too_often", "recurrence"),
        ),
        ({"conversation_id": str(uuid4())}, (400, "unknown_field", "conversation_id")),
        ({"payload": {}}, (400, "unknown_field", "payload")),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_is_refused_leaves_nothing(
    api: Api, guide: Agent, grant: PermissionGrant, facts: dict[str, Any], error: Any
) -> None:
    assert error_of(api("POST", JOBS, wanted(guide, **facts))) == error
    for rows in (Job, JobSeries, SkillJob, Conversation):
        assert not rows._default_manager.exists()


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k"}], ids=["plain", "with a key"])
def test_not_permitted_is_on_record_and_leaves_nothing(
    api: Api, guide: Agent, headers: dict[str, str]
) -> None:
    answer = api("POST", JOBS, wanted(guide), **headers)
    assert error_of(answer)[:2] == (403, "permission_missing")
    assert not Job.objects.exists()
    [event] = AuditEvent.objects.filter(action="policy.decided")
    assert (event.outcome, event.skill, event.target_id) == ("denied", CHECK_IN, str(guide.pk))


def test_sent_again_with_its_key_it_is_made_once(
    api: Api, alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    body = wanted(guide)
    first = api("POST", JOBS, body, Idempotency_Key="k")
    revoke_permission(Actor(user=alice, origin=Origin.PAGE), PERMISSION)
    assert api("POST", JOBS, body, Idempotency_Key="k") == first
    other = api("POST", JOBS, {**body, "note": ""}, Idempotency_Key="k")
    assert error_of(other)[:2] == (422, "idempotency_key_reused")
    assert Job.objects.count() == 1


def test_nobody_sees_or_cancels_another_persons(
    api: Api, bob: User, operator: User, guide: Agent, grant: PermissionGrant
) -> None:
    row = api("POST", JOBS, wanted(guide))[1]
    for user in (bob, operator):
        theirs = Api(user)
        assert theirs("GET", JOBS)[1]["count"] == 0
        assert theirs("GET", f"{JOBS}{row['id']}/")[0] == 404
        assert theirs("POST", f"{JOBS}{row['id']}/cancel/")[0] == 404


def test_it_can_not_be_made_past_its_skill(api: Api, guide: Agent, grant: PermissionGrant) -> None:
    """By the API of jobs a client would say where it writes."""
    body = {"kind": CHECK_IN, "payload": {}}
    assert error_of(api("POST", "/api/jobs/", body))[:2] == (403, "job_kind_not_permitted")


def test_the_list_has_pages_is_narrowed_and_asks_as_often_however_long_it_is(
    api: Api, alice: User, guide: Agent, grant: PermissionGrant, django_assert_num_queries: Any
) -> None:
    for number in range(21):
        recurring = {"scheduled_at": None, "recurrence": DAILY} if number % 2 else {}
        assert api("POST", JOBS, wanted(guide, **recurring))[0] == 201
    JobFactory.create(owner=alice, future=True)
    with django_assert_num_queries(6):  # session, user, how many, rows, and of a skill's by each
        status, body = api("GET", JOBS)
    assert (status, body["count"], len(body["results"])) == (200, 21, 20)
    with django_assert_num_queries(6):
        api("GET", f"{JOBS}?page_size=2")
    job_id = body["results"][0]["id"]
    api("POST", f"{JOBS}{job_id}/cancel/")
    [only] = api("GET", f"{JOBS}?status=cancelled")[1]["results"]
    assert only["id"] == job_id
    assert error_of(api("GET", f"{JOBS}?status=gone")) == (400, "invalid", "status")


def test_the_list_finds_its_index(alice: User, bob: User) -> None:
    others = [JobFactory.build(owner=bob, future=True) for _ in range(3_000)]
    hers = [JobFactory.build(owner=alice, kind=CHECK_IN, future=True) for _ in range(30)]
    Job.objects.bulk_create([*others, *hers])
    analyze(Job)
    rows = list_background_jobs(alice).order_by("-created_at", "-pk").values("pk")[:20]
    assert_uses_index(rows, "job_newest_of_owner")
