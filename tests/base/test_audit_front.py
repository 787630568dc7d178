"""`audit.record()` hands the event to whom the settings name, in the caller's transaction."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import pytest
from django.db import transaction
from pytest_django import Settings

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.audit import AuditEntry, Outcome
from config.base.models import User
from skills.models import AuditEvent


class Keeper:
    entries: ClassVar[list[AuditEntry]] = []

    def record(self, entries: Sequence[AuditEntry]) -> None:
        self.entries.extend(entries)


@pytest.fixture
def kept(settings: Settings) -> Iterator[list[AuditEntry]]:
    settings.AUDIT_RECORDER = f"{__name__}.{Keeper.__name__}"
    audit._recorder.cache_clear()
    Keeper.entries.clear()
    yield Keeper.entries
    audit._recorder.cache_clear()


def test_the_recorder_of_the_settings_gets_everything(kept: list[AuditEntry]) -> None:
    actor = Actor(user=User(username="alice"), origin=Origin.API)
    audit.record(
        "tool.call.denied",
        Outcome.DENIED,
        actor=actor,
        target=("document", "42"),
        tool="document",
        reason_code="no_grant",
        metadata={"size_bytes": 3},
    )
    assert kept == [
        AuditEntry(
            action="tool.call.denied",
            outcome=Outcome.DENIED,
            actor=actor,
            target_type="document",
            target_id="42",
            tool="document",
            reason_code="no_grant",
            metadata={"size_bytes": 3},
        )
    ]


def test_what_belongs_to_one_change_is_handed_over_in_its_order(kept: list[AuditEntry]) -> None:
    first = audit.entry("policy.decided", Outcome.ALLOWED, actor=None)
    second = audit.entry("tool.call.succeeded", Outcome.SUCCEEDED, actor=None)
    audit.record_all([first, second])
    audit.record_all([])
    assert kept == [first, second]


def test_a_fact_that_no_event_has_is_a_bug(kept: list[AuditEntry]) -> None:
    with pytest.raises(TypeError):
        audit.record("x.y", Outcome.FAILED, actor=None, content="the whole letter")
    assert kept == []


@pytest.mark.both
@pytest.mark.django_db
def test_an_event_goes_with_the_change_that_is_rolled_back() -> None:
    with transaction.atomic():
        audit.record("x.y", Outcome.SUCCEEDED, actor=None)
        assert AuditEvent.objects.filter(action="x.y").exists()
        transaction.set_rollback(True)
    assert not AuditEvent.objects.filter(action="x.y").exists()


@pytest.mark.django_db
def test_an_actor_is_named_by_what_they_are(alice: User, operator: User) -> None:
    assert Actor(user=alice, origin=Origin.PAGE).label == f"user:{alice.pk}"
    assert Actor(user=operator, origin=Origin.ADMIN).label == f"operator:{operator.pk}"
    assert not Actor(user=alice, origin=Origin.PAGE).is_agent
    assert Actor(user=alice, origin=Origin.CHAT, agent_id=alice.pk).is_agent
