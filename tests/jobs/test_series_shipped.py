"""The product's own series: `migrate` makes them, operators decide about them."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.models.signals import post_migrate
from django_q.models import Schedule

from config.base import tables
from config.base.models import User
from jobs import q2, services
from jobs.handlers import Handler, NoPayload, Recurrence
from jobs.models import Job, JobSeries
from jobs.registry import list_handlers
from jobs.testing import registered
from skills.models import AuditEvent
from tests.jobs.recurring import person

pytestmark = [pytest.mark.django_db, pytest.mark.both]


class Sweeping(Handler[NoPayload]):
    kind = "test.sweeping"
    recurrence = Recurrence("5 4 * * *", "Asia/Shanghai")


@pytest.fixture
def shipped() -> Iterator[JobSeries]:
    with registered(Sweeping):
        services.ship_series()
        yield JobSeries.objects.get(kind=Sweeping.kind)


def events() -> list[str]:
    return list(AuditEvent.objects.order_by("id").values_list("action", flat=True))


def test_every_kind_that_recurs_gets_one(shipped: JobSeries) -> None:
    assert (shipped.cron, shipped.zone, shipped.owner) == ("5 4 * * *", "Asia/Shanghai", None)
    kinds = [handler.kind for handler in list_handlers() if handler.recurrence]
    assert list(JobSeries.objects.order_by("kind").values_list("kind", flat=True)) == kinds
    assert events() == ["job_series.created"] * len(kinds)


def test_the_first_worker_plans_it(shipped: JobSeries) -> None:
    assert not Job.objects.exists()
    services.plan_missing_jobs()
    job = Job.objects.get(series=shipped)
    assert job.planned_at
    assert (job.planned_at.hour, job.planned_at.minute, job.owner) == (20, 5, None)


def test_twice_is_once(shipped: JobSeries) -> None:
    before = list(JobSeries.objects.order_by("pk").values())
    services.ship_series()
    assert list(JobSeries.objects.order_by("pk").values()) == before


def test_what_an_operator_made_of_it_stays(shipped: JobSeries, operator: User) -> None:
    services.pause_series(person(operator), shipped.pk)
    before = JobSeries.objects.values().get(pk=shipped.pk)
    services.ship_series()
    assert JobSeries.objects.values().get(kind=Sweeping.kind) == before


def test_one_that_an_operator_ended_stays_ended(shipped: JobSeries, operator: User) -> None:
    services.end_series(person(operator), shipped.pk)
    services.ship_series()
    assert not JobSeries.objects.get(kind=Sweeping.kind).is_active


def test_nobody_else_decides_about_it(shipped: JobSeries, alice: User) -> None:
    assert not JobSeries.objects.for_user(alice).exists()
    assert not JobSeries.objects.changeable_by(alice).exists()


def test_one_whose_kind_is_gone_ends_and_comes_back_anew() -> None:
    with registered(Sweeping):
        services.ship_series()
        services.plan_missing_jobs()
    services.ship_series()
    old = JobSeries.objects.get(kind=Sweeping.kind)
    assert (old.is_active, old.shipped) == (False, False)
    assert not Job.objects.waiting().filter(series=old).exists()
    assert events()[-1] == "job_series.ended"
    with registered(Sweeping):
        services.ship_series()
    assert JobSeries.objects.filter(kind=Sweeping.kind, shipped=True).count() == 1


def test_somebodys_own_series_of_a_gone_kind_is_left_alone(alice: User) -> None:
    with registered(Sweeping):
        series = services.create_series(Sweeping.kind, actor=person(alice), cron="0 9 * * *")
    services.ship_series()
    assert JobSeries.objects.get(pk=series.pk).is_active


# --- `migrate` ---


def migrated() -> None:
    sender = apps.get_app_config("jobs")
    post_migrate.send(sender=sender, using="default", app_config=sender, verbosity=0)


def test_migrating_makes_them_and_the_net_under_lost_wake_ups() -> None:
    Schedule.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert JobSeries.objects.filter(kind="housekeeping.jobs").exists()
    assert Schedule.objects.get().name == q2.NET


def test_before_there_are_tables_nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "are_there", lambda: False)
    migrated()
    assert not JobSeries.objects.exists()
