"""A person who is erased with their account is in no table any more, but for events of nobody."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.urls import reverse

from agents.memories.services import create_memory
from agents.models import Memory, Message
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import Project, User
from skills.erasure import erase_person
from skills.models import AuditEvent, AuditSubject
from skills.verify import verify_audit
from tests.agents.conftest import Turn, asks, call, says
from tests.agents.markers import WORD, marker
from tests.browser.rows import make_rows
from tests.factories import MembershipFactory
from tests.skills.audit import seal_all
from tests.tools.secrets import operator_actor
from tools.models import ToolCall, ToolCallContent

pytestmark = [pytest.mark.both, pytest.mark.django_db]

# What is not erased with its person, and why.
KEPT = {
    "documents.DocumentVersion.user": "who wrote another's version; the text is the other's",
    "jobs.PausedKind.paused_by": "the kind stays paused, by nobody",
    "skills.SkillEvaluation.evaluated_by": "the result is of a skill, nobody's",
    "skills.PermissionGrant.granted_by": "a grant of somebody else's",
    "skills.PermissionGrant.revoked_by": "a grant of somebody else's",
    "tools.ActionDraft.decided_by": "a card of somebody else's",
    "tools.StandingApproval.revoked_by": "an approval of somebody else's",
    "tools.ToolCall.user": "the ledger counts on; content and name are gone",
}


def relations() -> Iterator[tuple[str, Any]]:
    for model in apps.get_models(include_auto_created=True):
        fields: list[Any] = list(model._meta.concrete_fields)
        for field in fields:
            if field.remote_field is not None and field.related_model is User:
                yield f"{model._meta.label}.{field.name}", field.remote_field.on_delete


def test_each_table_of_people_says_what_becomes_of_its_rows() -> None:
    """A new relation to a person is erased with them, or is named above with the reason."""
    kept = {name for name, on_delete in relations() if on_delete is not models.CASCADE}
    assert kept == set(KEPT)
    assert all(on_delete in {models.CASCADE, models.SET_NULL} for _, on_delete in relations())


@pytest.fixture
def person(project: Project, turn: Turn, model: ScriptedClient) -> User:
    """Named by a marker, with a row of everything, and gone."""
    user: User = MembershipFactory.create(
        user__username=marker("name"), user__email=f"{WORD}@example.org", project=project
    ).user
    operator = User.objects.create_superuser("operator")
    Client().force_login(user)
    make_rows(user)
    document = {"action": "create", "title": marker("title"), "content": marker("content")}
    sum_ = {"expression": f"1 + {marker('x')}"}
    model.script = [asks(call("document", document), call("calculator", sum_, id_="2")), says("!")]
    turn(user, marker("question"))
    create_memory(Actor(user=user, origin=Origin.PAGE), marker("memory"))
    client = Client()
    client.force_login(operator)
    client.post(reverse("admin:base_user_change", args=[user.pk]), {"username": marker("renamed")})
    user.is_active = False
    user.save()
    seal_all()
    return user


def told_anywhere(*words: str) -> dict[str, set[str]]:
    """Table to its columns that hold one of these words, in the whole database."""
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    shown = repr(bytes(value) if isinstance(value, memoryview) else value).lower()
                    if any(word in shown for word in words):
                        found.setdefault(table, set()).add(name)
    return found


def test_nothing_of_the_person_is_left(person: User) -> None:
    keys = (str(person.pk), person.pk.hex)
    subject = AuditSubject.objects.get(user=person).pk
    assert len(told_anywhere(WORD)) > 5
    operator = operator_actor(User.objects.get(username="operator"))
    assert erase_person(operator, person.pk, with_account=True)
    assert told_anywhere(WORD) == {}
    assert set(told_anywhere(*keys)) <= {"skills_auditevent"}  # an id that leads nowhere
    assert AuditEvent.objects.filter(subject=subject).exists()
    assert not ToolCallContent.objects.filter(call__user=None).exists()
    seal_all()
    assert verify_audit().problems == []


def test_killed_in_the_middle_all_or_nothing_is_gone(
    person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_args: object, **_facts: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(User, "delete", die)
        with pytest.raises(KeyboardInterrupt):
            erase_person(None, person.pk, with_account=True)
    assert AuditSubject.objects.filter(user=person).exists()
    assert Message.objects.filter(text__contains=WORD).exists()
    assert not AuditEvent.objects.filter(action="audit.person_erased").exists()
    assert erase_person(None, person.pk, with_account=True)
    assert told_anywhere(WORD) == {}


def test_what_others_have_and_that_there_were_calls_stays(person: User, alice: User) -> None:
    memory = create_memory(Actor(user=alice, origin=Origin.PAGE), "Likes green tea.")
    calls, events = ToolCall.objects.count(), AuditEvent.objects.count()
    erase_person(None, person.pk, with_account=True)
    assert Memory.objects.filter(pk=memory.pk).exists()
    assert (ToolCall.objects.count(), AuditEvent.objects.count()) == (calls, events + 1)


def test_the_command_and_the_page_delete_the_account_when_asked(
    person: User, alice: User, client: Client
) -> None:
    out = StringIO()
    call_command("erase_person", person.username, "--account", stdout=out)
    assert "the account and all that was theirs is deleted" in out.getvalue()
    assert not User.objects.filter(pk=person.pk).exists()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    client.force_login(User.objects.get(username="operator"))
    page = reverse("admin:skills_auditevent_erase_page")
    client.post(page, {"user": "alice", "account": "on"})
    assert not User.objects.filter(pk=alice.pk).exists()


def test_who_may_not_delete_accounts_does_not_do_it_by_erasing(
    person: User, client: Client
) -> None:
    staff = User.objects.create_user("staff", is_staff=True)
    codes = ("view_auditevent", "delete_auditsubject")
    permissions = apps.get_model("auth", "Permission").objects.filter(codename__in=codes)
    staff.user_permissions.set(permissions)
    client.force_login(staff)
    page = reverse("admin:skills_auditevent_erase_page")
    answer = client.post(page, {"user": person.username, "account": "on"})
    assert set(answer.context["form"].errors) == {"account"}
    assert AuditSubject.objects.filter(user=person).exists()
