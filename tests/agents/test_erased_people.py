"""A person who is erased with their account is in no table any more, but for events of nobody."""

import re
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.urls import reverse

from agents.memories.services import create_memory
from agents.models import Agent, Memory, Message
from agents.testing import ScriptedClient
from config.base.accounts import end_sessions
from config.base.actor import Actor, Origin
from config.base.models import Project, User
from config.base.tokens import create_token
from skills.erasure import erase_person
from skills.grants import Permission, grant_permission, revoke_as_operator
from skills.models import AuditEvent, AuditSubject
from skills.verify import verify_audit
from tests.agents.conftest import Turn, asks, call, says
from tests.agents.markers import WORD, marker
from tests.browser.rows import make_rows
from tests.factories import MembershipFactory
from tests.skills.audit import seal_all
from tests.tools.secrets import operator_actor
from tools.models import Tool, ToolCall, ToolCallContent

TEA = "Do you remember which tea I like, "
ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
pytestmark = [pytest.mark.both, pytest.mark.django_db]

# What is not erased with its person, and why.
KEPT = {
    "documents.KnowledgeSpace.created_by": "a space is of those who are in it",
    "documents.Resource.uploaded_by": "a file is of its space; one of nobody goes with its last",
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
    use_a_skill_and_a_token(user, operator, lambda: turn(user, f"{TEA}{marker('tea')}?"), model)
    client = Client()
    client.force_login(operator)
    client.post(reverse("admin:base_user_change", args=[user.pk]), {"username": marker("renamed")})
    user.is_active = False
    user.save()
    seal_all()
    return user


def use_a_skill_and_a_token(
    user: User, operator: User, ask: Callable[[], object], model: ScriptedClient
) -> None:
    """Each event that could name them by their key: by themselves, and by an operator."""
    oneself, other = Actor(user=user, origin=Origin.PAGE), operator_actor(operator)
    recall = Permission(skill_id="memory-recall", code="memory:read")
    given = grant_permission(oneself, recall)
    model.script.append(says("!"))
    ask()
    revoke_as_operator(other, given.pk)
    grant_permission(other, recall, person=user)
    end_sessions(oneself)
    for actor in (oneself, other):
        create_token(user, actor=actor, name="script")


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


def rows_of(*words: str) -> list[str]:
    """Every row of the database, as text, that holds one of these."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            shown = (f"{table} {row!r}".lower().replace("-", "") for row in cursor.fetchall())
            found += [row for row in shown if any(word in row for word in words)]
    return found


def reached_from(start: str, *, hubs: set[str]) -> set[str]:
    """The ids that rows lead to, from row to row, but not through `hubs`: what many share."""
    reached: set[str] = set()
    new = {start}
    while new:
        reached |= new
        rows = rows_of(*(new - hubs))
        new = {found for row in rows for found in ID.findall(row)} - reached
    return reached


def test_no_path_leads_from_the_account_to_the_subject(person: User) -> None:
    """By any ids that rows share, but for what is everybody's: agents, tools, the operator."""
    account, subject = person.pk.hex, AuditSubject.objects.get(user=person).pk.hex
    assert ToolCall.objects.filter(user=person, origin="skill").exists()
    assert {"auth.signed_in", "grant.granted", "token.created"} <= set(
        AuditEvent.objects.filter(subject=AuditSubject.objects.get(user=person).pk).values_list(
            "action", flat=True
        )
    )
    operator = User.objects.get(username="operator")
    shared: list[Any] = [Agent, Tool, Project]
    hubs = {key.hex for model in shared for key in model.objects.values_list("pk", flat=True)}
    hubs |= {operator.pk.hex, AuditSubject.objects.get(user=operator).pk.hex}
    assert subject in reached_from(account, hubs=hubs)  # while they are there, their row ties them
    erase_person(operator_actor(operator), person.pk, with_account=True)
    assert rows_of(account)  # that the account was erased is kept
    assert rows_of(subject)
    assert subject not in reached_from(account, hubs=hubs)
    assert all(row.startswith("skills_auditevent") for row in rows_of(account))


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
