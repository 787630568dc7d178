"""/api/jobs/series/: what recurs, when next, what was missed; pausing, resuming, ending."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import Scope, User
from jobs.models import Job, JobSeries, MissedSlots
from jobs.services import create_series
from skills.models import AuditEvent
from tests.jobs.api import JOBS, kinds
from tests.jobs.handlers import KIND
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SERIES = f"{JOBS}series/"
OF_ONE = [
    ("GET", "{id}/"),
    ("POST", "{id}/pause/"),
    ("POST", "{id}/resume/"),
    ("POST", "{id}/end/"),
]


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds() as script:
        yield script


def make_series(user: User | None, cron: str = "30 8 * * *", zone: str = "Europe/Berlin") -> Any:
    actor = Actor(user, Origin.API) if user else None
    return create_series(KIND, {"text": "hello"}, actor=actor, cron=cron, zone=zone)


@pytest.fixture
def series(alice: User) -> JobSeries:
    made: JobSeries = make_series(alice)
    return made


def path_of(series: JobSeries, rest: str = "") -> str:
    return f"{SERIES}{series.pk}/{rest}"


def events_of(series: JobSeries) -> list[str]:
    found = AuditEvent.objects.filter(target_id=str(series.pk)).order_by("pk")
    return list(found.values_list("action", flat=True))


# --- Who ---


@pytest.mark.parametrize(("method", "path"), [("GET", ""), *OF_ONE])
def test_one_signs_in_and_has_the_scope(
    alice: User, series: JobSeries, method: str, path: str
) -> None:
    path = SERIES + path.format(id=series.pk)
    others = sorted(set(Scope.values) - {Scope.JOBS})
    assert error_of(Api()(method, path))[:2] == (401, "not_authenticated")
    assert error_of(Api(alice, others)(method, path))[:2] == (403, "scope_missing")
    assert Api(alice, [Scope.JOBS])(method, path)[0] == 200


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_what_is_somebody_elses_or_nobodys_is_not_found(
    series: JobSeries, bob: User, operator: User, method: str, path: str
) -> None:
    for one in (series, make_series(None)):
        answer = Api(bob)(method, SERIES + path.format(id=one.pk))
        assert error_of(answer)[:2] == (404, "not_found")
    assert Api(operator)(method, SERIES + path.format(id=uuid7()))[0] == 404


@pytest.mark.parametrize(
    ("method", "path"), [("POST", ""), ("DELETE", "{id}/"), ("GET", "{id}/pause/")]
)
def test_other_methods_are_refused(alice: User, series: JobSeries, method: str, path: str) -> None:
    assert Api(alice)(method, SERIES + path.format(id=series.pk))[0] == 405


def test_an_operator_who_may_look_may_not_touch(series: JobSeries) -> None:
    looking = User.objects.create(username="auditor", is_staff=True)
    looking.user_permissions.add(Permission.objects.get(codename="view_jobseries"))
    api = Api(User.objects.get(pk=looking.pk))
    status, row = api("GET", path_of(series))
    assert (status, row["payload"]) == (200, None)
    assert error_of(api("POST", path_of(series, "end/")))[:2] == (403, "permission_denied")


# --- Looking ---


def test_one_sees_ones_own_and_an_operator_all(
    series: JobSeries, alice: User, bob: User, operator: User
) -> None:
    make_series(bob)
    make_series(None)
    status, body = Api(alice)("GET", SERIES)
    assert (status, [row["id"] for row in body["results"]]) == (200, [str(series.pk)])
    assert body["results"][0]["payload"] == {"text": "hello", "count": 1}
    assert Api(operator)("GET", SERIES)[1]["count"] == 3


def test_a_series_tells_its_next_five_times(series: JobSeries, alice: User) -> None:
    status, row = Api(alice)("GET", path_of(series))
    assert status == 200
    slots = row["next_slots"]
    assert len(slots) == 5
    times = [datetime.fromisoformat(slot["at"]) for slot in slots]
    assert times == sorted(times)
    assert times[0] > timezone.now()
    assert times[0] == Job.objects.get().planned_at
    for slot, time in zip(slots, times, strict=True):
        local = datetime.fromisoformat(slot["local"])
        assert (local.hour, local.minute, local) == (8, 30, time)
        assert slot["note"] == ""


def test_times_that_clocks_skip_or_show_twice_are_noted(alice: User) -> None:
    for cron, note in (("30 2 * 3 0", "gap"), ("30 2 * 10 0", "fold")):
        _status, row = Api(alice)("GET", path_of(make_series(alice, cron)))
        assert note in [slot["note"] for slot in row["next_slots"]]


def test_missed_times_are_told(series: JobSeries, alice: User) -> None:
    first = timezone.now() - timedelta(days=3)
    MissedSlots.objects.create(
        series=series, first_planned_at=first, last_planned_at=timezone.now(), count=3
    )
    _status, row = Api(alice)("GET", path_of(series))
    (missed,) = row["missed"]
    assert (missed["count"], missed["is_more"]) == (3, False)
    assert datetime.fromisoformat(missed["first_planned_at"]) == first


def test_a_list_costs_the_same_for_one_and_for_many(alice: User, series: JobSeries) -> None:
    api = Api(alice)

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api("GET", SERIES)[0] == 200
        return len(queries)

    cost()
    few = cost()
    for _ in range(4):
        make_series(alice)
    assert cost() == few <= 5


# --- Deciding ---


def test_a_series_is_paused_and_goes_on(series: JobSeries, alice: User) -> None:
    for _ in range(2):
        status, row = Api(alice)("POST", path_of(series, "pause/"))
        assert (status, row["next_slots"]) == (200, [])
        assert row["paused_at"] is not None
    assert not Job.objects.waiting().exists()
    status, row = Api(alice)("POST", path_of(series, "resume/"))
    assert (status, row["paused_at"], len(row["next_slots"])) == (200, None, 5)
    assert Job.objects.waiting().count() == 1
    assert events_of(series) == ["job_series.created", "job_series.paused", "job_series.resumed"]


def test_a_series_is_ended_for_good(series: JobSeries, operator: User) -> None:
    for _ in range(2):
        status, row = Api(operator)("POST", path_of(series, "end/"))
        assert (status, row["next_slots"]) == (200, [])
        assert row["ended_at"] is not None
    for act in ("pause/", "resume/"):
        answer = Api(operator)("POST", path_of(series, act))
        assert error_of(answer)[:2] == (409, "job_series_ended")
    assert events_of(series) == ["job_series.created", "job_series.ended"]
