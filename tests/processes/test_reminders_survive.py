"""A worker killed at every step of a reminder, and several at once: one message, counted once."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
from django.db.models import Count, F
from django.db.models.functions import Now
from django.utils import timezone

from agents.models import Conversation, Message, MessageRole
from agents.runs.messages import add_message
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.enums import JobStatus
from jobs.models import Job, PausedKind
from jobs.registry import list_kinds
from skills.background.services import Order, create_background_job
from skills.grants import Permission, grant_permission
from skills.models import AuditEvent, SkillRun
from tests.processes.harness import ROOT, Product
from tests.processes.people import agent_with, person
from tests.processes.waiting import until

BACK_SECONDS = 60.0
QUICK = {"GATEHOUSE_JOB_LEASE_SECONDS": "2", "GATEHOUSE_JOB_RETRY_SECONDS": "0.5"}

# In the order of a reminder's life: before the claim, after it, once its attempt has begun, after
# the insertion of the message, at the end of the transaction that completes the job, after it.
STEPS = (
    *("job.claiming", "job.claimed", "job.started"),
    *("reminder.inserted", "job.applied", "job.completed"),
)
ATTEMPTS = 4  # of those, the three in the middle cost one each


@pytest.fixture
def alice(product: Product) -> User:
    product.extra = dict(QUICK)
    return person("alice")[0]


@pytest.fixture
def conversation(alice: User) -> Conversation:
    found = Conversation.objects.create(owner=alice, agent=agent_with(), title="Thesis")
    add_message(found, MessageRole.USER, "When?")
    add_message(found, MessageRole.ASSISTANT, "In May.")
    return found


def remind(conversation: Conversation) -> Job:
    """With more attempts than its kind has: each kill in the middle costs one."""
    actor = Actor(user=conversation.owner, origin=Origin.PAGE)
    grant_permission(actor, Permission(skill_id=CHECK_IN, code="proactive_message:write"))
    due = timezone.now() + timedelta(hours=1)
    job = create_background_job(
        actor,
        Order(
            skill_id=CHECK_IN, agent_id=conversation.agent_id, note="The draft", scheduled_at=due
        ),
    )
    Job.objects.filter(pk=job.pk).update(max_attempts=3 * ATTEMPTS, next_attempt_at=Now())
    return job


def pause_others() -> None:
    PausedKind.objects.bulk_create(
        PausedKind(kind=kind) for kind in list_kinds() if kind != CHECK_IN
    )


def is_counted(conversation: Conversation) -> bool:
    """Whenever one looks, in one query."""
    rows = Conversation.objects.filter(pk=conversation.pk).annotate(there=Count("messages"))
    return rows.filter(message_count=F("there"), there__in=(2, 3)).exists()


def assert_written_once(conversation: Conversation, job: Job) -> None:
    conversation.refresh_from_db()
    assert (conversation.message_count, conversation.unread) == (3, 2)
    message = Message.objects.get(conversation=conversation, position__gt=2)
    assert (message.pk, message.position, message.role) == (job.pk, 3, MessageRole.REMINDER)
    assert conversation.last_reply_text == " ".join(message.text.split())
    assert conversation.last_reply_at == message.created_at
    uses = SkillRun.objects.order_by("number").values_list("number", "status", "error_code")
    lost = [(number, "failed", "worker_lost") for number in range(job.attempts - 1)]
    assert list(uses) == [*lost, (job.attempts - 1, "succeeded", "")]
    told = AuditEvent.objects.filter(action="reminder.written")
    assert [event.target_id for event in told] == [str(job.pk)]


def test_a_reminder_killed_at_every_step_is_written_once(
    product: Product, conversation: Conversation
) -> None:
    job = remind(conversation)
    pause_others()  # a job of another kind that happens to be due would be killed instead
    server = product.start(faults=STEPS, only="")

    def all_fired() -> bool:
        assert is_counted(conversation)
        job.refresh_from_db()
        return product.fired() == set(STEPS) and job.status == JobStatus.COMPLETED

    until(all_fired, seconds=2 * BACK_SECONDS)
    assert job.attempts >= ATTEMPTS
    assert_written_once(conversation, job)
    server.stop()


SWEEPS, REMINDERS = 3, 40  # more than one sweep claims at a time
SWEEP = """
import django
django.setup()
from jobs.worker.ticking import tick
print("ready", flush=True)
input()
tick()
"""


@contextmanager
def sweeping(product: Product) -> Iterator["subprocess.Popen[str]"]:
    """A process that sweeps once it is told to."""
    environment = {**product.environment(), "DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEP],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def test_processes_that_sweep_at_once_write_each_reminder_once(
    product: Product, conversation: Conversation
) -> None:
    jobs = [remind(conversation) for _ in range(REMINDERS)]
    with ExitStack() as there:
        processes = [there.enter_context(sweeping(product)) for _ in range(SWEEPS)]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert [process.wait(BACK_SECONDS) for process in processes] == [0] * SWEEPS
    states = set(Job.objects.filter(kind=CHECK_IN).values_list("status", "attempts"))
    assert states == {(JobStatus.COMPLETED, 1)}
    written = Message.objects.filter(conversation=conversation, role=MessageRole.REMINDER)
    assert set(written.values_list("pk", flat=True)) == {job.pk for job in jobs}
    places = written.order_by("position").values_list("position", flat=True)
    assert list(places) == list(range(3, REMINDERS + 3))
    conversation.refresh_from_db()
    counted = (conversation.message_count, conversation.unread)
    assert counted == (REMINDERS + 2, REMINDERS + 1)
    assert SkillRun.objects.filter(status="succeeded").count() == REMINDERS
