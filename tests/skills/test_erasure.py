"""Erasing a person: the events stay, whole and sealed, and lead to nobody."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from config.base.actor import Actor, Origin
from config.base.errors import NotFound
from config.base.ids import uuid7
from config.base.models import User
from skills import subjects
from skills.erasure import PersonActive, erase_person
from skills.models import AuditEvent, AuditSubject
from skills.selectors import list_events
from skills.subjects import subject_of
from skills.verify import verify_audit
from tests.factories import UserFactory
from tests.skills.audit import record, seal_all
from tests.tools.secrets import operator_actor

pytestmark = [pytest.mark.both, pytest.mark.django_db]

PAGE = "admin:skills_auditevent_erase_page"


@pytest.fixture
def gone(alice: User) -> User:
    """Alice has acted, and was deactivated."""
    record(actor=Actor(user=alice, origin=Origin.CHAT))
    seal_all()
    alice.is_active = False
    alice.save()
    return alice


@pytest.fixture(autouse=True)
def no_subjects_kept() -> Iterator[None]:
    subjects._committed.clear()
    yield
    subjects._committed.clear()


def test_the_events_stay_and_lead_to_nobody(operator: User, gone: User) -> None:
    subject = subject_of(gone)
    assert subject
    assert erase_person(operator_actor(operator), gone.pk)
    assert AuditEvent.objects.filter(subject=subject).exists()
    assert not AuditSubject.objects.filter(pk=subject).exists()
    assert not list_events(user=gone).exists()
    seal_all()
    assert not verify_audit().problems


def test_it_is_an_event_that_is_no_tie_itself(operator: User, gone: User) -> None:
    subject = str(subject_of(gone))
    erase_person(operator_actor(operator), gone.pk)
    (event,) = AuditEvent.objects.filter(action="audit.person_erased")
    assert (event.target_type, event.target_id, event.actor) == ("user", str(gone.pk), "operator")
    values = AuditEvent.objects.filter(pk=event.pk).values().get()
    assert subject not in str(values)


def test_the_second_time_does_nothing(operator: User, gone: User) -> None:
    assert erase_person(operator_actor(operator), gone.pk)
    assert not erase_person(operator_actor(operator), gone.pk)
    assert AuditEvent.objects.filter(action="audit.person_erased").count() == 1


def test_somebody_who_can_still_sign_in_is_not_erased(operator: User, alice: User) -> None:
    with pytest.raises(PersonActive):
        erase_person(operator_actor(operator), alice.pk)
    assert AuditSubject.objects.filter(user=alice).exists()
    with pytest.raises(NotFound):
        erase_person(operator_actor(operator), uuid7())


def test_one_who_comes_back_has_another_subject(
    operator: User, gone: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = subject_of(User.objects.get(pk=gone.pk))
    assert before
    subjects._keep(gone.pk, before)  # as a process has it
    erase_person(operator_actor(operator), gone.pk)
    monkeypatch.setattr("time.monotonic", lambda: 1e12)  # a minute later
    after = subject_of(User.objects.get(pk=gone.pk))
    assert after not in {None, before}


# --- Command ---


def test_the_command_erases(gone: User) -> None:
    out = StringIO()
    call_command("erase_person", "alice", stdout=out)
    call_command("erase_person", "alice", stdout=out)
    assert out.getvalue().splitlines() == [
        "alice: erased: their events lead to nobody",
        "alice: no event led to them",
    ]


@pytest.mark.parametrize("name", ["bob", "nobody"])
def test_the_command_refuses_who_is_active_or_unknown(bob: User, name: str) -> None:
    with pytest.raises(CommandError):
        call_command("erase_person", name)
    assert AuditSubject.objects.filter(user=bob).exists()


# --- Page ---


def test_the_page_explains_and_erases(client: Client, operator: User, gone: User) -> None:
    client.force_login(operator)
    assert "can't be undone" in client.get(reverse(PAGE)).content.decode()
    assert AuditSubject.objects.filter(user=gone).exists()
    page = client.post(reverse(PAGE), {"user": "alice"}, follow=True).content.decode()
    assert "The events of alice lead to nobody." in page
    page = client.post(reverse(PAGE), {"user": "alice"}, follow=True).content.decode()
    assert "No event led to alice." in page


@pytest.mark.parametrize("name", ["", "nobody", "bob"])
def test_the_page_refuses_who_is_active_or_unknown(
    client: Client, operator: User, bob: User, name: str
) -> None:
    client.force_login(operator)
    page = client.post(reverse(PAGE), {"user": name})
    assert set(page.context["form"].errors) == {"user"}
    assert AuditSubject.objects.filter(user=bob).exists()


def test_reading_the_audit_is_no_leave_to_erase(client: Client, gone: User) -> None:
    staff = UserFactory.create(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_auditevent"))
    client.force_login(staff)
    assert client.post(reverse(PAGE), {"user": "alice"}).status_code == 403
    assert AuditSubject.objects.filter(user=gone).exists()
