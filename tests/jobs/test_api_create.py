"""Making jobs over the API: of kinds that let one, at a time, once, or as a series."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from config.base.models import User
from jobs.errors import PermanentFailure
from jobs.models import Job, JobSeries
from tests.jobs.api import JOBS, NEW, OPERATORS_KIND, OWN_KIND, kinds
from tests.jobs.handlers import KIND, Script
from tests.jobs.steps import events_of
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

CRON = {"cron": "30 8 * * 1-5", "zone": "Europe/Berlin"}
NESTED = b'{"payload": ' + b"[" * 200 + b"]" * 200 + b"}"


@pytest.fixture(autouse=True)
def script(db: None) -> Any:
    with kinds() as script:
        yield script


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


def made(answer: Any) -> Job:
    status, body = answer
    assert status == 201, body
    return Job.objects.get(pk=body["id"])


def soon(**span: float) -> str:
    return (timezone.now() + timedelta(**span)).isoformat()


# --- Once ---


def test_a_job_of_ones_own_is_made_and_due_at_once(api: Api, alice: User) -> None:
    status, row = api("POST", JOBS, NEW)
    assert (status, row["status"], row["owner"]) == (201, "scheduled", "alice")
    assert row["payload"] == {"text": "hello", "count": 1}
    assert row["series"] is None
    assert api("GET", f"{JOBS}{row['id']}/") == (200, row)
    job = Job.objects.get()
    assert job.owner == alice
    assert events_of(job) == ["job.created"]


def test_a_payload_may_be_left_out(api: Api) -> None:
    assert made(api("POST", JOBS, {"kind": KIND})).payload == {"text": "hello", "count": 1}


def test_it_waits_for_its_time(api: Api) -> None:
    later = datetime(2026, 7, 1, 8, 30, tzinfo=UTC).replace(year=timezone.now().year + 1)
    later = min(later, timezone.now() + timedelta(days=300)).replace(microsecond=0)
    _status, row = api("POST", JOBS, {**NEW, "scheduled_at": later.isoformat()})
    assert datetime.fromisoformat(row["scheduled_at"]) == later
    assert row["next_attempt_at"] == row["scheduled_at"]


def test_a_time_that_has_passed_is_now(api: Api) -> None:
    """Else the queue would look as if it had stood still since then."""
    job = made(api("POST", JOBS, {**NEW, "scheduled_at": "2001-01-01T00:00:00Z"}))
    assert timezone.now() - job.scheduled_at < timedelta(minutes=1)
    assert job.next_attempt_at == job.scheduled_at


def test_an_operator_gives_priority(operator: User, api: Api) -> None:
    assert made(Api(operator)("POST", JOBS, {**NEW, "priority": 7})).priority == 7
    assert error_of(api("POST", JOBS, {**NEW, "priority": 7}))[:2] == (403, "permission_denied")


# --- Who ---


def test_kinds_say_who_may_make_them(operator: User, api: Api) -> None:
    says = {
        OPERATORS_KIND: "Only operators may make jobs of this kind.",
        OWN_KIND: "Jobs of this kind are not created over the API.",
    }
    for kind, message in says.items():
        answer = api("POST", JOBS, {"kind": kind})
        assert error_of(answer)[:2] == (403, "job_kind_not_permitted")
        assert answer[1]["errors"][0]["detail"] == message
    job = made(Api(operator)("POST", JOBS, {"kind": OPERATORS_KIND}))
    assert job.owner == operator
    assert error_of(Api(operator)("POST", JOBS, {"kind": OWN_KIND}))[0] == 403
    assert Job.objects.count() == 1


def test_staff_need_the_permission_to_add_jobs(db: None) -> None:
    clerk = User.objects.create(username="clerk", is_staff=True)
    assert Api(clerk)("POST", JOBS, {"kind": OPERATORS_KIND})[0] == 403
    clerk.user_permissions.add(Permission.objects.get(codename="add_job"))
    clerk = User.objects.get(pk=clerk.pk)
    assert Api(clerk)("POST", JOBS, {"kind": OPERATORS_KIND})[0] == 201


def test_what_the_handler_does_not_permit_is_not_made(api: Api, script: Script) -> None:
    script.refuse_with(PermanentFailure())
    assert error_of(api("POST", JOBS, NEW))[:2] == (409, "permanent_failure")
    assert not Job.objects.exists()


# --- Sending again ---


def test_the_header_makes_it_once(api: Api) -> None:
    first = api("POST", JOBS, NEW, Idempotency_Key="k")
    assert api("POST", JOBS, NEW, Idempotency_Key="k") == first
    other = {**NEW, "payload": {"text": "other"}}
    assert error_of(api("POST", JOBS, other, Idempotency_Key="k"))[:2] == (
        422,
        "idempotency_key_reused",
    )
    assert Job.objects.count() == 1


def test_the_jobs_own_key_makes_it_once_for_as_long_as_it_is_kept(api: Api, bob: User) -> None:
    body = {**NEW, "idempotency_key": "invoice-7"}
    first, second = api("POST", JOBS, body), api("POST", JOBS, body)
    assert first == second
    other = {**body, "payload": {"text": "other"}}
    assert error_of(api("POST", JOBS, other))[:2] == (422, "idempotency_key_reused")
    assert Job.objects.count() == 1
    assert made(Api(bob)("POST", JOBS, body)).owner == bob


# --- As a series ---


def test_a_recurrence_answers_the_first_job_of_its_series(api: Api, alice: User) -> None:
    body = {**NEW, "recurrence": {**CRON, "missed": "skip"}}
    job = made(api("POST", JOBS, body))
    series = JobSeries.objects.get()
    assert (job.series, job.owner, series.owner) == (series, alice, alice)
    assert (series.cron, series.zone, series.missed_policy) == (*CRON.values(), "skip")
    assert job.planned_at == job.next_attempt_at
    _status, row = api("GET", f"{JOBS}{job.pk}/")
    assert row["series"] == str(series.pk)


def test_a_series_is_made_once_by_the_header(api: Api) -> None:
    body = {**NEW, "recurrence": CRON}
    first = api("POST", JOBS, body, Idempotency_Key="k")
    assert api("POST", JOBS, body, Idempotency_Key="k") == first
    assert JobSeries.objects.count() == 1


def test_a_series_needs_the_same_leave_as_a_job(api: Api) -> None:
    body = {"kind": OPERATORS_KIND, "recurrence": CRON}
    assert error_of(api("POST", JOBS, body))[:2] == (403, "job_kind_not_permitted")
    assert not JobSeries.objects.exists()


# --- Bad input ---


@pytest.mark.parametrize(
    ("values", "code", "attr"),
    [
        ({"kind": "test.none"}, "job_kind_unknown", "kind"),
        ({"kind": None}, "null", "kind"),
        ({"kind": ""}, "blank", "kind"),
        ({"kind": "a\0"}, "null_characters_not_allowed", "kind"),
        ({"kind": 7}, "invalid", "kind"),
        ({"payload": []}, "not_a_dict", "payload"),
        ({"payload": {"colour": "red"}}, "job_payload_invalid", "payload"),
        ({"payload": {"count": "many"}}, "job_payload_invalid", "payload"),
        ({"payload": {"text": "a\0"}}, "job_payload_invalid", "payload"),
        ({"payload": {"text": "\ud800"}}, "job_payload_invalid", "payload"),
        ({"scheduled_at": "2031-01-01"}, "naive", "scheduled_at"),
        ({"scheduled_at": "2031-01-01T00:00:00"}, "naive", "scheduled_at"),
        ({"scheduled_at": "tomorrow"}, "invalid", "scheduled_at"),
        ({"scheduled_at": 7}, "invalid", "scheduled_at"),
        ({"scheduled_at": soon(days=370)}, "too_late", "scheduled_at"),
        ({"scheduled_at": "9999-12-31T23:59:59-12:00"}, "invalid", "scheduled_at"),
        ({"priority": 101}, "max_value", "priority"),
        ({"priority": "high"}, "invalid", "priority"),
        ({"colour": "red"}, "unknown_field", "colour"),
        ({"idempotency_key": "a" * 201}, "max_length", "idempotency_key"),
        ({"recurrence": "daily"}, "invalid", "recurrence.non_field_errors"),
        ({"recurrence": {"zone": "UTC"}}, "required", "recurrence.cron"),
        ({"recurrence": {**CRON, "colour": "red"}}, "unknown_field", "recurrence.colour"),
        ({"recurrence": {**CRON, "missed": "never"}}, "invalid_choice", "recurrence.missed"),
        ({"recurrence": {"cron": "often"}}, "job_recurrence_invalid", "recurrence"),
        ({"recurrence": {"cron": "0 0 30 2 *"}}, "job_recurrence_invalid", "recurrence"),
        ({"recurrence": {**CRON, "zone": "Mars"}}, "job_recurrence_invalid", "recurrence"),
        ({"recurrence": CRON, "scheduled_at": soon(days=1)}, "invalid", "scheduled_at"),
        ({"recurrence": CRON, "idempotency_key": "k"}, "invalid", "idempotency_key"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_field_is_named(
    api: Api, values: dict[str, Any], code: str, attr: str
) -> None:
    assert error_of(api("POST", JOBS, {**NEW, **values})) == (400, code, attr)
    assert not Job.objects.exists()
    assert not JobSeries.objects.exists()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"a"', b"null", b"\xff", NESTED])
def test_a_body_that_is_no_object_is_refused(api: Api, body: bytes) -> None:
    assert api("POST", JOBS, body)[0] == 400
