"""The operator's list of jobs: what it shows, what it finds, what can be decided there."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from config.base.models import User
from jobs import q2
from jobs.admin.jobs import JobAdmin
from jobs.enums import AttemptOutcome, CancelReason, JobStatus
from jobs.models import Job, JobAttempt, JobSeries, PausedKind
from jobs.registry import list_handlers
from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.jobs.api import kinds
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, SLOW_KIND
from tests.jobs.steps import events_of, expire
from tests.plans import analyze

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LIST = reverse("admin:jobs_job_changelist")
KINDS = reverse("admin:jobs_job_kinds")
SECRET = "xyzzy"


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds() as script:
        yield script


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def looking(db: None) -> Client:
    """Staff who may look and not touch."""
    user = User.objects.create(username="auditor", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_job"))
    client = Client()
    client.force_login(user)
    return client


def page(name: str, job: Job) -> str:
    return reverse(f"admin:jobs_job_{name}", args=[job.pk])


def text_of(console: Client, address: str) -> str:
    response = console.get(address)
    assert response.status_code == 200
    return response.content.decode()


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def found(console: Client, jobs: dict[str, Job], **query: str) -> set[str]:
    answer = console.get(LIST, query)
    assert answer.status_code == 200
    keys = {row.pk for row in answer.context["cl"].result_list}
    return {name for name, job in jobs.items() if job.pk in keys}


# --- The list ---


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, {"waiting", "failed", "running", "ours"}),
        ({"status": "failed"}, {"failed"}),
        ({"status": "scheduled"}, {"waiting", "ours"}),
        ({"status": "nonsense"}, set()),
        ({"kind": SLOW_KIND}, {"failed"}),
        ({"owner": "alice"}, {"waiting", "running"}),
        ({"owner": "-"}, {"ours"}),
        ({"owner": "nobody"}, set()),
        ({"error": "worker_lost"}, {"failed"}),
        ({"series": "nonsense"}, set()),
        ({"ended_since": "2020-01-01"}, {"failed"}),
        ({"within": "24h"}, {"waiting", "failed", "running", "ours"}),
        ({"q": "bob"}, {"failed"}),
        ({"q": SLOW_KIND}, {"failed"}),
        ({"q": "test."}, {"waiting", "failed", "running", "ours"}),
        ({"q": "nonsense"}, set()),
    ],
)
def test_jobs_are_found(
    console: Client, alice: User, bob: User, query: dict[str, str], expected: set[str]
) -> None:
    jobs = {
        "waiting": make_job(owner=alice),
        "failed": make_job(
            JobStatus.FAILED, owner=bob, kind=SLOW_KIND, last_error_code="worker_lost"
        ),
        "running": make_job(JobStatus.RUNNING, owner=alice),
        "ours": make_job(),
    }
    assert found(console, jobs, **query) == expected


def test_jobs_are_found_by_ids(console: Client, alice: User) -> None:
    series = JobSeries.objects.create(owner=alice, kind=KIND, cron="0 8 * * *")
    planned = make_job(owner=alice, series=series, planned_at=timezone.now())
    jobs = {"planned": planned, "other": make_job()}
    for key in (planned.pk, series.pk, alice.pk):
        assert found(console, jobs, q=str(key)) == {"planned"}
    assert found(console, jobs, series=str(series.pk)) == {"planned"}


def test_who_holds_a_job_and_for_how_long_is_shown(console: Client) -> None:
    running = make_job(JobStatus.RUNNING, lease_owner="host:4711:abc")
    Job.objects.filter(pk=running.pk).update(
        lease_expires_at=timezone.now() + timedelta(seconds=90)
    )
    text = text_of(console, LIST)
    assert "host:4711:abc · 9" in text or "host:4711:abc · 89 s left" in text
    expire(running)
    assert "host:4711:abc · lost" in text_of(console, LIST)


def test_the_list_is_read_in_an_indexs_order(operator: User) -> None:
    Job.objects.bulk_create(JobFactory.build(completed=True) for _ in range(1500))
    analyze(Job)
    request = RequestFactory().get("/")
    request.user = operator
    rows = admin.site.get_model_admin(Job).get_changelist_instance(request).queryset[:50]
    assert "job_newest" in rows.explain()


def test_what_ran_and_when_is_a_column_and_what_ended_is_not_due(console: Client) -> None:
    job = make_job(JobStatus.COMPLETED)
    row = console.get(LIST).context["cl"].result_list[0]
    model_admin = admin.site.get_model_admin(Job)
    assert isinstance(model_admin, JobAdmin)
    assert job.finished_at is not None
    assert job.finished_at.isoformat() in model_admin.ended(row)
    assert model_admin.due(row) == "–"
    waiting = Job.objects.get(pk=make_job().pk)
    assert model_admin.ended(waiting) == "–"
    assert waiting.next_attempt_at is not None
    assert waiting.next_attempt_at.isoformat() in model_admin.due(waiting)


def test_jobs_whose_kind_is_paused_say_so(console: Client) -> None:
    waiting, ended = make_job(), make_job(JobStatus.COMPLETED)
    says = f'<a href="{KINDS}" class="gh-in-label">waits: its kind is paused</a>'
    assert says not in text_of(console, LIST)
    PausedKind.objects.create(kind=KIND)
    assert text_of(console, LIST).count(says) == 1
    assert says in text_of(console, page("change", waiting))
    assert says not in text_of(console, page("change", ended))
    assert "Its kind is paused" in text_of(console, page("run_now", waiting))
    assert "Its kind is paused" not in text_of(console, page("cancel", waiting))


def test_hurrying_the_run_of_a_series_says_that_it_is_that_run(
    console: Client, alice: User
) -> None:
    series = JobSeries.objects.create(owner=alice, kind=KIND, cron="0 8 * * *")
    later = timezone.now() + timedelta(hours=3)
    planned = make_job(owner=alice, series=series, planned_at=later)
    words = "which will not take place again"
    assert words in text_of(console, page("run_now", planned))
    assert words not in text_of(console, page("run_now", make_job(owner=alice)))


# --- One job ---


def test_when_it_last_began_is_shown_of_one_cancelled_between_attempts(console: Client) -> None:
    job = make_job(JobStatus.CANCELLED, attempts=1)
    began = timezone.now() - timedelta(minutes=10)
    JobAttempt.objects.create(
        job=job, number=1, outcome=AttemptOutcome.FAILED, started_at=began, finished_at=began
    )
    model_admin = admin.site.get_model_admin(Job)
    assert isinstance(model_admin, JobAdmin)
    assert model_admin.began(job) == began


def test_its_page_tells_how_each_attempt_ended(console: Client, alice: User) -> None:
    job = make_job(JobStatus.RUNNING, owner=alice, attempts=2, lease_owner="host:2")
    began = timezone.now() - timedelta(minutes=10)
    JobAttempt.objects.create(
        job=job,
        number=1,
        outcome=AttemptOutcome.LOST,
        started_at=began,
        finished_at=began + timedelta(seconds=150),
        worker="host:1",
        error_code="worker_lost",
        error_message="The worker died.",
    )
    text = text_of(console, page("change", job))
    for words in ("lost", "2 min", "host:1", "worker_lost", "The worker died.", "host:2"):
        assert words in text
    assert "It has not started yet." in text_of(console, page("change", make_job()))
    cancelled = make_job(JobStatus.CANCELLED)
    assert "It was never started." in text_of(console, page("change", cancelled))


def test_its_page_says_why_its_series_cancelled_it(console: Client) -> None:
    job = make_job(JobStatus.CANCELLED)
    Job.objects.filter(pk=job.pk).update(last_error_code=CancelReason.SLOT_MISSED)
    assert str(CancelReason.SLOT_MISSED.label) in text_of(console, page("change", job))


def test_nothing_of_it_can_be_edited_added_or_deleted(console: Client) -> None:
    job = make_job()
    assert console.post(page("change", job), {"priority": 9}).status_code == 403
    assert console.get(page("delete", job)).status_code == 403
    assert console.get(reverse("admin:jobs_job_add")).status_code == 403
    job.refresh_from_db()
    assert job.priority == 0


def test_what_somebodys_job_is_about_is_shown_on_record_only(console: Client, alice: User) -> None:
    about = {"text": SECRET}
    job = make_job(JobStatus.COMPLETED, owner=alice, payload=about, result=about)
    content = page("content", job)
    assert f'href="{content}"' in text_of(console, page("change", job))
    assert SECRET not in text_of(console, page("change", job))
    assert SECRET not in text_of(console, content)
    assert events_of(job) == []
    assert console.post(content).content.decode().count(SECRET) == 2
    event = AuditEvent.objects.get(action="job.viewed")
    assert (event.target_id, event.metadata) == (str(job.pk), {"owner": str(subject_of(alice))})


def test_ones_own_and_the_products_are_open(console: Client, operator: User) -> None:
    for owner in (operator, None):
        job = make_job(owner=owner, payload={"text": SECRET})
        assert SECRET in text_of(console, page("change", job))


def test_content_is_for_who_may_see_jobs(client: Client, alice: User) -> None:
    job = make_job(owner=alice, payload={"text": SECRET})
    client.force_login(User.objects.create(username="clerk", is_staff=True))
    for response in (client.get(page("content", job)), client.post(page("content", job))):
        assert response.status_code == 403
    client.force_login(alice)
    assert client.post(page("content", job)).status_code == 302


# --- What is decided ---


@pytest.mark.parametrize(
    ("act", "job_status", "then", "event", "done"),
    [
        (
            "cancel",
            JobStatus.SCHEDULED,
            JobStatus.CANCELLED,
            "job.cancelled",
            "The job is cancelled.",
        ),
        ("retry", JobStatus.FAILED, JobStatus.RETRYING, "job.retried", "It is tried again."),
        ("run_now", JobStatus.RETRYING, JobStatus.RETRYING, "job.hurried", "It is due now."),
    ],
)
def test_the_page_asks_and_a_post_does_it(
    console: Client,
    alice: User,
    act: str,
    job_status: JobStatus,
    then: JobStatus,
    event: str,
    done: str,
) -> None:
    job = make_job(job_status, owner=alice)
    assert f'href="{page(act, job)}"' in text_of(console, page("change", job))
    assert "csrfmiddlewaretoken" in text_of(console, page(act, job))
    assert events_of(job) == []
    response = console.post(page(act, job), follow=True)
    assert messages_of(response) == [done]
    job.refresh_from_db()
    assert job.status == then
    assert events_of(job) == [event]
    assert AuditEvent.objects.get(action=event).origin == "admin"


@pytest.mark.parametrize(
    ("act", "job_status", "reason"),
    [
        ("cancel", JobStatus.RUNNING, "The job is running already."),
        ("cancel", JobStatus.COMPLETED, "The job has ended."),
        ("run_now", JobStatus.RUNNING, "The job is running already."),
        ("retry", JobStatus.COMPLETED, "Only a failed job can be tried again."),
    ],
)
def test_too_late_is_said_plainly_and_not_even_offered(
    console: Client, act: str, job_status: JobStatus, reason: str
) -> None:
    job = make_job(job_status)
    assert f'href="{page(act, job)}"' not in text_of(console, page("change", job))
    response = console.post(page(act, job), follow=True)
    assert messages_of(response) == [f"Not done: {reason}"]
    assert events_of(job) == []


def test_who_may_look_only_decides_nothing(looking: Client) -> None:
    job = make_job()
    assert f'href="{page("cancel", job)}"' not in text_of(looking, page("change", job))
    assert looking.post(page("cancel", job)).status_code == 403
    looking.post(LIST, {"action": "cancel_all", "_selected_action": [str(job.pk)]})
    job.refresh_from_db()
    assert job.status == JobStatus.SCHEDULED


def test_a_job_that_is_gone_is_not_found(console: Client) -> None:
    job = make_job()
    address = page("cancel", job)
    job.delete()
    assert console.post(address).status_code == 404


def test_many_are_decided_at_once_each_by_itself(console: Client) -> None:
    jobs = [make_job(), make_job(), make_job(JobStatus.RUNNING), make_job(JobStatus.COMPLETED)]
    chosen = {"action": "cancel_all", "_selected_action": [str(job.pk) for job in jobs]}
    response = console.post(LIST, chosen, follow=True)
    assert sorted(messages_of(response)) == [
        "2 jobs are cancelled.",
        "Cancel the job: 1 not done. The job has ended.",
        "Cancel the job: 1 not done. The job is running already.",
    ]
    assert [events_of(job) for job in jobs] == [["job.cancelled"], ["job.cancelled"], [], []]


@pytest.mark.parametrize(
    ("action", "job_status", "event"),
    [
        ("retry_all", JobStatus.FAILED, "job.retried"),
        ("run_all_now", JobStatus.SCHEDULED, "job.hurried"),
    ],
)
def test_many_are_tried_again_or_hurried(
    console: Client, action: str, job_status: JobStatus, event: str
) -> None:
    jobs = [make_job(job_status), make_job(job_status)]
    console.post(LIST, {"action": action, "_selected_action": [str(job.pk) for job in jobs]})
    assert [events_of(job) for job in jobs] == [[event], [event]]


# --- Kinds ---


def test_kinds_say_what_they_do(console: Client) -> None:
    assert "Throws away old versions of documents" in text_of(console, KINDS)


def test_every_kind_of_the_product_says_what_it_does() -> None:
    ours = [one for one in list_handlers() if not type(one).__module__.startswith("tests.")]
    assert ours
    assert [one.kind for one in ours if not one.description] == []


def test_a_kind_rests_and_goes_on_with_who_and_when(console: Client) -> None:
    assert f"Pause {KIND}" in text_of(console, KINDS)
    assert console.post(KINDS, {"kind": KIND, "pause": ""}).status_code == 302
    assert PausedKind.objects.get().paused_by
    text = text_of(console, KINDS)
    assert "by operator since" in text
    assert f"Resume {KIND}" in text
    console.post(KINDS, {"kind": KIND, "resume": ""})
    assert not PausedKind.objects.exists()
    actions = (
        AuditEvent.objects.filter(target_type="job_kind")
        .order_by("pk")
        .values_list("action", flat=True)
    )
    assert list(actions) == ["job_kind.paused", "job_kind.resumed"]


def test_a_kind_that_is_gone_can_still_go_on(console: Client) -> None:
    PausedKind.objects.create(kind="test.gone")
    assert "No handler is installed." in text_of(console, KINDS)
    assert console.post(KINDS, {"kind": "test\0.gone", "resume": ""}).status_code == 302
    assert not PausedKind.objects.exists()


def test_a_kind_that_never_was_cannot_rest(console: Client) -> None:
    response = console.post(KINDS, {"kind": "test.none", "pause": ""}, follow=True)
    assert messages_of(response)[0].startswith("There is no kind of job")
    assert not PausedKind.objects.exists()


def test_who_may_look_only_pauses_nothing(looking: Client, client: Client, alice: User) -> None:
    assert f"Pause {KIND}" not in text_of(looking, KINDS)
    assert looking.post(KINDS, {"kind": KIND, "pause": ""}).status_code == 403
    client.force_login(alice)
    assert client.get(KINDS).status_code == 302
    assert not PausedKind.objects.exists()


# --- django-q2 ---


def test_django_q2s_own_pages_are_not_there() -> None:
    q2.hide_admin()  # twice is once
    assert not [model for model in admin.site._registry if model.__module__.startswith("django_q")]
