"""The operator's pages of series and workers."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.base.models import User
from jobs.admin.series import JobSeriesAdmin
from jobs.models import Job, JobSeries, MissedSlots, PausedKind, WorkerBeat
from skills.models import AuditEvent
from tests.jobs.api import kinds
from tests.jobs.handlers import SLOW_KIND
from tests.jobs.test_api_series import events_of, make_series

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LIST = reverse("admin:jobs_jobseries_changelist")


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds() as script:
        yield script


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def series(alice: User) -> JobSeries:
    made: JobSeries = make_series(alice)
    return made


def page(name: str, series: JobSeries) -> str:
    return reverse(f"admin:jobs_jobseries_{name}", args=[series.pk])


def text_of(console: Client, address: str) -> str:
    response = console.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_its_page_shows_the_next_times_in_its_zone(console: Client, series: JobSeries) -> None:
    text = text_of(console, page("change", series))
    planned = Job.objects.get().planned_at
    assert planned is not None
    assert f"{planned:%Y-%m-%d %H:%M}" in text
    assert text.count(" 08:30 CE") == 5


def test_times_that_clocks_skip_are_explained(console: Client, alice: User) -> None:
    text = text_of(console, page("change", make_series(alice, "30 2 * 3 0")))
    assert "has no 02:30 on" in text


def test_missed_times_are_shown(console: Client, series: JobSeries) -> None:
    now = timezone.now()
    MissedSlots.objects.create(
        series=series,
        first_planned_at=now - timedelta(days=3),
        last_planned_at=now,
        count=1000,
        is_more=True,
    )
    assert "1000+" in text_of(console, page("change", series))


def test_series_are_found_by_kind_and_owner(console: Client, series: JobSeries) -> None:
    other = JobSeries.objects.create(kind=SLOW_KIND, cron="0 8 * * *")

    def found(**query: str) -> set[Any]:
        return {row.pk for row in console.get(LIST, query).context["cl"].result_list}

    assert found(kind=SLOW_KIND) == {other.pk}
    assert found(owner="-") == {other.pk}
    assert found(owner="alice") == {series.pk}
    assert found(q=str(series.pk)) == {series.pk}


def test_a_series_whose_kind_is_paused_says_so(console: Client, series: JobSeries) -> None:
    PausedKind.objects.create(kind=series.kind)
    for address in (LIST, page("change", series)):
        assert "waits: its kind is paused" in text_of(console, address)


def test_where_a_series_comes_from_is_said_in_words(console: Client, series: JobSeries) -> None:
    shipped = JobSeries.objects.create(kind=SLOW_KIND, cron="0 8 * * *", shipped=True)
    model_admin = admin.site.get_model_admin(JobSeries)
    assert isinstance(model_admin, JobSeriesAdmin)
    origins = [str(model_admin.origin(one)) for one in (shipped, series)]
    assert origins == ["product", "a person"]
    assert "a person" in text_of(console, page("change", series))


@pytest.mark.parametrize(
    ("acts", "state", "events"),
    [
        (["pause"], "paused", ["job_series.paused"]),
        (["pause", "resume"], "active", ["job_series.paused", "job_series.resumed"]),
        (["end"], "ended", ["job_series.ended"]),
    ],
)
def test_a_series_is_paused_resumed_and_ended(
    console: Client, series: JobSeries, acts: list[str], state: str, events: list[str]
) -> None:
    for act in acts:
        assert f'href="{page(act, series)}"' in text_of(console, page("change", series))
        assert console.get(page(act, series)).status_code == 200
        assert console.post(page(act, series)).status_code == 302
    assert f">{state}" in text_of(console, LIST).replace("\n", "").replace(" ", "")
    assert events_of(series) == ["job_series.created", *events]


def test_an_ended_series_is_offered_nothing_more(console: Client, series: JobSeries) -> None:
    console.post(page("end", series))
    text = text_of(console, page("change", series))
    assert not [act for act in ("pause", "resume", "end") if f'href="{page(act, series)}"' in text]
    response = console.post(page("resume", series), follow=True)
    assert "The series has ended" in str(next(iter(response.context["messages"])))


def test_many_are_decided_at_once(console: Client, series: JobSeries, bob: User) -> None:
    both = [series, make_series(bob)]
    chosen = [str(one.pk) for one in both]
    for action in ("pause_all", "resume_all", "end_all"):
        console.post(LIST, {"action": action, "_selected_action": chosen})
    expected = ["job_series.created", "job_series.paused", "job_series.resumed", "job_series.ended"]
    assert [events_of(one) for one in both] == [expected, expected]


def test_who_may_look_only_decides_nothing(client: Client, series: JobSeries) -> None:
    looking = User.objects.create(username="auditor", is_staff=True)
    looking.user_permissions.add(Permission.objects.get(codename="view_jobseries"))
    client.force_login(looking)
    assert f'href="{page("end", series)}"' not in text_of(client, page("change", series))
    assert client.post(page("end", series)).status_code == 403
    assert client.post(page("change", series), {"cron": "* * * * *"}).status_code == 403
    assert events_of(series) == ["job_series.created"]


def test_its_payload_is_shown_on_record_only(console: Client, series: JobSeries) -> None:
    assert "hello" not in text_of(console, page("change", series))
    assert "hello" in console.post(page("content", series)).content.decode()
    assert AuditEvent.objects.get(action="job_series.viewed").target_id == str(series.pk)


# --- Workers ---


def test_workers_say_whether_they_live(console: Client) -> None:
    now = timezone.now()
    for name, ago in (("here", 0), ("gone", 60)):
        WorkerBeat.objects.create(
            name=name,
            machine="host",
            slots=2,
            started_at=now - timedelta(hours=1),
            seen_at=now - timedelta(seconds=ago),
        )
    rows = console.get(reverse("admin:jobs_workerbeat_changelist")).context["cl"].result_list
    assert {row.name: row.alive for row in rows} == {"here": True, "gone": False}
    text = text_of(console, reverse("admin:jobs_workerbeat_change", args=["gone"]))
    assert "gone; last seen 60 s ago" in re.sub(r"6[1-9] s", "60 s", text)
