"""Whose events they are: nobody who owns the database makes them another's without being found."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st
from pytest_django import Settings

from config.base.actor import Actor, Origin
from config.base.models import User
from skills.errors import AppendOnly
from skills.hashing import subject_mac
from skills.models import AuditSubject
from skills.triggers import drop_triggers, lifted_triggers, make_triggers, missing_triggers
from skills.verify import Kind, verify_audit
from tests.factories import UserFactory
from tests.skills.audit import record, run_sql, seal_all

pytestmark = [pytest.mark.both, pytest.mark.django_db]

TABLE = "skills_auditsubject"
PEOPLE = 5
FORGED = uuid.UUID("018f3b5e-0000-4000-8000-00000000feed")


@pytest.fixture
def people(db: None) -> list[User]:
    """Each with an event under a seal."""
    made = [UserFactory.create(username=f"person{n}") for n in range(PEOPLE)]
    for person in made:
        record(actor=Actor(user=person, origin=Origin.PAGE))
    seal_all()
    return made


def subject_of(person: User) -> uuid.UUID:
    return AuditSubject.objects.get(user=person).pk


def raw(value: uuid.UUID) -> Any:
    return value if connection.vendor == "postgresql" else value.hex


@contextmanager
def undone() -> Iterator[None]:
    """By somebody who owns the database; each example starts from the same rows."""
    with transaction.atomic():
        with lifted_triggers(connection):
            yield
        transaction.set_rollback(True)


def tie(subject: uuid.UUID, user_id: uuid.UUID) -> None:
    sql = f"UPDATE {TABLE} SET user_id = %s WHERE id = %s"
    assert run_sql(sql, [raw(user_id), raw(subject)]) == 1


def named() -> set[str]:
    """The subjects that verification complains of."""
    problems = [one for one in verify_audit().problems if one.kind is not Kind.TRIGGER]
    assert {one.kind for one in problems} <= {Kind.SUBJECT}
    return {word for one in problems for word in one.text.replace(",", "").split() if "-" in word}


def quietly(test: Any) -> Any:
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return profile(max_examples=15, deadline=None, suppress_health_check=checks)(test)


@quietly
@given(pair=st.lists(st.integers(0, PEOPLE - 1), min_size=2, max_size=2, unique=True))
def test_any_two_people_who_changed_places_are_named(people: list[User], pair: list[int]) -> None:
    one, other = (people[n] for n in pair)
    first, second = subject_of(one), subject_of(other)
    nobody = UserFactory.build().pk
    with undone():
        if connection.vendor == "postgresql":
            run_sql("SET CONSTRAINTS ALL DEFERRED")
        tie(first, nobody)
        tie(second, one.pk)
        tie(first, other.pk)
        assert named() == {str(first), str(second)}
    assert named() == set()


@quietly
@given(position=st.integers(0, PEOPLE - 1), with_mac=st.booleans())
def test_a_subject_given_to_somebody_new_is_named(
    people: list[User], position: int, with_mac: bool
) -> None:
    """Also with the MAC of a row that was genuine."""
    subject = subject_of(people[position])
    with undone():
        (newcomer,) = User.objects.bulk_create([User(username="newcomer")])
        other = AuditSubject.objects.exclude(pk=subject).earliest("pk")
        tie(subject, newcomer.pk)
        if with_mac:
            run_sql(f"UPDATE {TABLE} SET mac = %s WHERE id = %s", [other.mac, raw(subject)])
        assert named() == {str(subject)}


@pytest.mark.parametrize("key", ["", "theirs"])
def test_a_row_put_in_without_the_key_is_named(
    people: list[User], settings: Settings, key: str
) -> None:
    """Without lifting anything: what was deleted comes back as somebody else's."""
    ours, settings.AUDIT_KEY = settings.AUDIT_KEY, key
    mac = subject_mac(FORGED, people[0].pk)
    settings.AUDIT_KEY = ours
    AuditSubject.objects.filter(user=people[0]).delete()
    values = [raw(FORGED), raw(people[0].pk), mac]
    run_sql(f"INSERT INTO {TABLE} (id, user_id, mac) VALUES (%s, %s, %s)", values)
    assert named() == {str(FORGED)}


def test_it_says_when_the_key_is_another(people: list[User], settings: Settings) -> None:
    settings.AUDIT_KEY = "replaced"
    report = verify_audit()
    assert report.problems[0].kind is Kind.KEY
    assert report.problem_count == 1 + report.seals + AuditSubject.objects.count()


def test_erasing_one_leaves_no_problem(people: list[User]) -> None:
    AuditSubject.objects.filter(user=people[0]).delete()
    people[1].delete()
    assert verify_audit().problems == []


def test_somebody_made_in_bulk_has_a_genuine_one(people: list[User]) -> None:
    (user,) = User.objects.bulk_create([User(username="imported")])
    record(actor=Actor(user=user, origin=Origin.PAGE))
    assert AuditSubject.objects.filter(user=user).exists()
    assert verify_audit().problems == []


def test_the_code_changes_none(people: list[User]) -> None:
    subject = AuditSubject.objects.get(user=people[0])
    subject.user = people[1]
    with pytest.raises(AppendOnly):
        subject.save()


CHANGES = {
    "both": [f"UPDATE {TABLE} SET user_id = user_id", f"UPDATE {TABLE} SET mac = '' WHERE 1 = 0"],
    "postgresql": [
        f"TRUNCATE {TABLE}",
        f"INSERT INTO {TABLE} SELECT * FROM {TABLE} ON CONFLICT (id) DO UPDATE SET mac = ''",
    ],
    "sqlite": [
        f"UPDATE OR REPLACE {TABLE} SET user_id = (SELECT max(user_id) FROM {TABLE})",
        f"INSERT OR REPLACE INTO {TABLE} (id, user_id, mac) SELECT id, user_id, '' FROM {TABLE}",
        (
            f"INSERT OR REPLACE INTO {TABLE} (id, user_id, mac)"
            f" SELECT '{FORGED.hex}', user_id, mac FROM {TABLE} LIMIT 1"
        ),
        f"REPLACE INTO {TABLE} SELECT * FROM {TABLE}",
    ],
}


def refused(sql: str) -> None:
    before = list(AuditSubject.objects.order_by("pk").values())
    with pytest.raises(DatabaseError), transaction.atomic():
        run_sql(sql)
    assert list(AuditSubject.objects.order_by("pk").values()) == before


def test_the_database_changes_none(people: list[User]) -> None:
    # PostgreSQL's statement trigger refuses the update of no row too; SQLite's is one per row.
    for sql in CHANGES["both"][: 2 if connection.vendor == "postgresql" else 1]:
        refused(sql)
    for sql in CHANGES[connection.vendor]:
        refused(sql)


def test_replacing_is_refused_without_recursive_triggers_too(people: list[User]) -> None:
    if connection.vendor != "sqlite":
        return
    run_sql("PRAGMA recursive_triggers=OFF")
    try:
        for sql in CHANGES["sqlite"]:
            refused(sql)
    finally:
        run_sql("PRAGMA recursive_triggers=ON")


def test_a_trigger_dropped_by_hand_is_found_and_made_again(people: list[User]) -> None:
    on_postgres = connection.vendor == "postgresql"
    name = f"{TABLE}_append_only" if on_postgres else f"{TABLE}_no_update"
    run_sql(f"DROP TRIGGER {name} ON {TABLE}" if on_postgres else f"DROP TRIGGER {name}")
    assert missing_triggers(connection) == [name]
    assert [one.kind for one in verify_audit().problems] == [Kind.TRIGGER]
    found = run_checks(tags=[Tags.database], databases=["default"])
    assert [one.id for one in found if name in str(one.msg)] == ["gatehouse.W002"]
    assert make_triggers(connection) == [name]
    refused(CHANGES["both"][0])


def test_one_that_was_made_for_less_counts_as_missing(people: list[User]) -> None:
    if connection.vendor == "postgresql":
        run_sql(
            f"DROP TRIGGER {TABLE}_append_only ON {TABLE};"
            f"CREATE TRIGGER {TABLE}_append_only BEFORE TRUNCATE ON {TABLE}"
            " FOR EACH STATEMENT EXECUTE FUNCTION gatehouse_append_only()"
        )
    else:
        run_sql(f"DROP TRIGGER {TABLE}_no_update")
        run_sql(
            f"CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE OF mac ON {TABLE}"
            " BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    assert len(missing_triggers(connection)) == 1
    make_triggers(connection)
    refused(CHANGES["both"][0])


@pytest.mark.django_db(transaction=True)
def test_the_migration_gives_a_mac_to_each_that_is_there() -> None:
    """Back and forth, as an installation of before comes to it; other tables have what they had."""
    for n in range(3):
        UserFactory.create(username=f"before{n}")
    quiet = {"verbosity": 0, "stdout": StringIO()}
    call_command("migrate", "skills", "0007", **quiet)
    try:
        drop_triggers(connection, of=AuditSubject)
    finally:
        call_command("migrate", "skills", **quiet)
    assert AuditSubject.objects.count() == 3
    assert verify_audit().problems == []
    assert missing_triggers(connection) == []
