"""Who an event is about: known while the person is, unknown for good once they are erased."""

import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from config.base.actor import Actor, Origin
from config.base.models import User
from skills.models import AuditEvent, AuditSubject
from skills.subjects import subject_of
from skills.verify import verify_audit
from tests.factories import UserFactory
from tests.skills.audit import Thread, record, seal_all

pytestmark = pytest.mark.both


@pytest.mark.django_db
def test_a_person_has_a_subject_from_the_start(alice: User) -> None:
    assert subject_of(alice) == AuditSubject.objects.get(user=alice).pk
    assert subject_of(alice) != alice.pk


@pytest.mark.django_db
def test_one_who_was_made_in_bulk_gets_a_subject_when_they_first_act() -> None:
    (user,) = User.objects.bulk_create([User(username="imported")])
    assert subject_of(user) == subject_of(user) == AuditSubject.objects.get(user=user).pk


@pytest.mark.django_db
def test_a_subject_that_was_rolled_back_is_not_remembered() -> None:
    (user,) = User.objects.bulk_create([User(username="imported")])
    with transaction.atomic():
        lost = subject_of(user)
        transaction.set_rollback(True)
    assert subject_of(user) != lost
    assert subject_of(user) == AuditSubject.objects.get(user=user).pk


@pytest.mark.django_db(transaction=True)
def test_a_process_looks_a_person_up_once(alice: User) -> None:
    known = subject_of(User.objects.get(pk=alice.pk))
    again = User.objects.get(pk=alice.pk)
    with CaptureQueriesContext(connection) as queries:
        assert subject_of(again) == known
    assert not queries.captured_queries


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_later_is_not_remembered_by_the_process() -> None:
    (user,) = User.objects.bulk_create([User(username="imported")])
    with transaction.atomic():
        subject_of(user)
        lost = subject_of(User.objects.get(pk=user.pk))  # found: its own transaction sees it
        transaction.set_rollback(True)
    assert subject_of(User.objects.get(pk=user.pk)) != lost


@pytest.mark.django_db
def test_deleting_a_person_leaves_the_events_and_unties_them(alice: User) -> None:
    subject = subject_of(alice)
    record(actor=Actor(user=alice, origin=Origin.PAGE))
    seal_all()
    alice.delete()
    assert AuditEvent.objects.get().subject == subject
    assert not AuditSubject.objects.exists()
    assert not verify_audit().problems


@pytest.mark.django_db
def test_a_person_who_was_just_deleted_acts_without_a_subject(alice: User) -> None:
    alice.delete()
    assert record(actor=Actor(user=alice, origin=Origin.PAGE)).subject is None


@pytest.mark.django_db(transaction=True)
def test_two_first_events_at_once_share_one_subject() -> None:
    User.objects.bulk_create([User(username="imported")])
    together = threading.Barrier(2)

    def act() -> None:
        user = User.objects.get(username="imported")
        together.wait()
        with transaction.atomic():
            record(actor=Actor(user=user, origin=Origin.API))

    for thread in [Thread(act), Thread(act)]:
        thread.finish()
    assert AuditEvent.objects.count() == 2
    assert {event.subject for event in AuditEvent.objects.all()} == {AuditSubject.objects.get().pk}


@pytest.mark.django_db
def test_a_deleted_users_subject_is_not_given_to_another() -> None:
    first = UserFactory.create(username="sam")
    subject = subject_of(first)
    first.delete()
    assert subject_of(UserFactory.create(username="sam")) != subject
