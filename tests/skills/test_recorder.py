import uuid
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.hashing import HASHED_FIELDS, hash_event
from skills.models import AuditEvent, AuditSubject
from tests.skills.audit import record

pytestmark = [pytest.mark.both, pytest.mark.django_db]

AGENT, CONVERSATION, RUN = (uuid.uuid4() for _ in range(3))


def agent_of(user: User) -> Actor:
    return Actor(
        user=user,
        origin=Origin.CHAT,
        agent_id=AGENT,
        conversation_id=CONVERSATION,
        run_id=RUN,
    )


def test_it_keeps_who_what_on_what_and_why(alice: User) -> None:
    event = record(
        "tool.call.denied",
        outcome=audit.Outcome.DENIED,
        actor=agent_of(alice),
        target=("document", RUN),
        tool="document",
        skill="notes",
        skill_version="1.2.0",
        scope="user",
        reason_code="grant_missing",
        metadata={"gates": ["grant"]},
    )
    assert (event.action, event.outcome, event.actor) == ("tool.call.denied", "denied", "user")
    assert event.subject == AuditSubject.objects.get(user=alice).pk
    assert (event.agent_id, event.conversation_id, event.run_id) == (AGENT, CONVERSATION, RUN)
    assert (event.origin, event.tool, event.scope) == ("chat", "document", "user")
    assert (event.skill, event.skill_version) == ("notes", "1.2.0")
    assert (event.target_type, event.target_id) == ("document", str(RUN))
    assert (event.reason_code, event.metadata) == ("grant_missing", {"gates": ["grant"]})


def test_it_names_staff_operators(operator: User) -> None:
    assert record(actor=Actor(user=operator, origin=Origin.ADMIN)).actor == "operator"


def test_it_records_the_system_without_a_subject() -> None:
    event = record(actor=None)
    assert (event.actor, event.subject, event.origin) == ("system", None, "")


@pytest.mark.parametrize(
    "metadata",
    [{}, {"n": 1, "f": 0.1, "t": "中文 \U0001f600", "l": [None, True, {"a": 100.0}]}, {"x": 1e300}],
)
def test_the_row_hash_fits_what_the_database_gives_back(
    alice: User, metadata: dict[str, Any]
) -> None:
    event = record(actor=agent_of(alice), metadata=metadata, reason_code="a\0b", tool="\ud800")
    assert event.row_hash == hash_event(event)


def test_the_row_hash_covers_every_field_but_the_id() -> None:
    names = {field.attname for field in AuditEvent._meta.concrete_fields}
    assert names - set(HASHED_FIELDS) == {"id", "row_hash"}


@pytest.mark.parametrize("name", HASHED_FIELDS)
def test_another_value_in_any_field_changes_the_row_hash(name: str, alice: User) -> None:
    event = record(actor=agent_of(alice))
    changed = {"recorded_at": event.recorded_at.replace(year=1999), "metadata": {"other": 1}}
    setattr(event, name, changed.get(name, "other"))
    assert hash_event(event) != event.row_hash


def test_what_does_not_fit_is_cut_rather_than_lost() -> None:
    event = record(reason_code="r" * 500, target=("page", "x" * 3000))
    assert len(event.reason_code) == 100
    assert len(event.target_id) == 200
    assert event.row_hash == hash_event(event)


def test_it_rolls_back_with_its_transaction(alice: User) -> None:
    def change_and_fail() -> None:
        with transaction.atomic():
            record(actor=agent_of(alice))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert not AuditEvent.objects.exists()


def test_it_costs_one_insert_and_one_look_up_per_user(alice: User) -> None:
    actor = agent_of(User.objects.get(pk=alice.pk))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        audit.record("a.b", audit.Outcome.SUCCEEDED, actor=actor)
        audit.record("a.c", audit.Outcome.SUCCEEDED, actor=actor)
    assert [query["sql"].split()[0] for query in queries] == ["SELECT", "INSERT", "INSERT"]
