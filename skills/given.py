"""What a person has given: the grants and the switches that count where an agent acts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection

from config.base.models import User
from skills.manifests import Manifest
from skills.models import PermissionGrant, SkillBinding


@dataclass(frozen=True, slots=True)
class HeldGrant:
    """An active grant; without an agent it counts everywhere."""

    id: UUID
    skill_id: str
    code: str
    version: str
    agent_id: UUID | None


@dataclass(frozen=True, slots=True)
class Given:
    grants: tuple[HeldGrant, ...] = ()
    switches: tuple[tuple[str, UUID | None, bool], ...] = ()  # skill, agent, on or off

    def is_enabled(self, manifest: Manifest) -> bool:
        """As the switch for this agent says, or the one for all agents, or the manifest."""
        said = {agent: on for skill, agent, on in self.switches if skill == manifest.skill_id}
        everywhere = said.pop(None, manifest.enabled)
        return next(iter(said.values()), everywhere)

    def grants_of(self, code: str, skill_id: str) -> Iterator[HeldGrant]:
        """The one for this agent before the one for all."""
        fit = (one for one in self.grants if one.code == code and one.skill_id == skill_id)
        yield from sorted(fit, key=lambda one: one.agent_id is None)

    def for_agent(self, agent_id: UUID | None) -> "Given":
        """What of it counts where this agent acts, or (None) none does."""
        places = (None, agent_id)
        return Given(
            grants=tuple(one for one in self.grants if one.agent_id in places),
            switches=tuple(one for one in self.switches if one[1] in places),
        )


def given_for_skill(user: User, agent_id: UUID | None, manifest: Manifest) -> Given:
    """What decides about one skill, by one query."""
    return _ask(Question(user, agent_id, skill_id=manifest.skill_id, codes=manifest.codes))


def given_for_codes(user: User, agent_id: UUID | None, codes: Iterable[str]) -> Given:
    """What decides about a call that is no skill's, by one query."""
    return _ask(Question(user, agent_id, codes=tuple(codes), switches=False))


def all_given(user: User, agent_id: UUID | None) -> Given:
    """Everything that counts for this person and agent, by one query: for tables and catalogues."""
    return _ask(Question(user, agent_id))


def given_anywhere(user: User) -> Given:
    """For all agents and for each: what counts where, its `for_agent` says. Two queries."""
    grants = PermissionGrant.objects.for_user(user).active()
    switches = SkillBinding.objects.for_user(user)
    columns = ("id", "skill_id", "code", "version", "agent_id")
    return Given(
        grants=tuple(HeldGrant(*row) for row in grants.values_list(*columns)),
        switches=tuple(switches.values_list("skill_id", "agent_id", "enabled")),
    )


# --- The query: every call asks it, and the ORM would take longer to write it than it takes ---


@dataclass(frozen=True, slots=True)
class Question:
    user: User
    agent_id: UUID | None
    skill_id: str = ""  # "": every skill
    codes: tuple[str, ...] = ()  # (): every permission
    switches: bool = True

    def statement(self) -> tuple[str, list[Any]]:
        of_agent = self.agent_id is not None
        sql = _sql(
            len(self.codes),
            of_skill=bool(self.skill_id),
            of_agent=of_agent,
            switches=self.switches,
        )
        values = self._values([])
        return sql, [*values, *(self._values([_key(self.agent_id)]) if of_agent else [])]

    def _values(self, agent: list[Any]) -> list[Any]:
        place = [_key(self.user.pk), *agent, *([self.skill_id] if self.skill_id else [])]
        return [*place, *self.codes, *(place if self.switches else [])]


@cache
def _sql(codes: int, *, of_skill: bool, of_agent: bool, switches: bool) -> str:
    """For all agents and for this one by themselves: asked with OR, SQLite reads what a person
    gave for every other agent.
    """
    places = ['"agent_id" IS NULL', *(['"agent_id" = %s'] if of_agent else [])]
    asked = (_sql_of(one, codes, of_skill=of_skill, switches=switches) for one in places)
    return " UNION ALL ".join(asked)


def _sql_of(agent: str, codes: int, *, of_skill: bool, switches: bool) -> str:
    grants, bindings = PermissionGrant._meta.db_table, SkillBinding._meta.db_table
    place = f'"user_id" = %s AND {agent}'
    place += ' AND "skill_id" = %s' if of_skill else ""
    wanted = f' AND "code" IN ({", ".join(["%s"] * codes)})' if codes else ""
    columns = '"id", "skill_id", "code", "version", "agent_id", NULL'
    held = f'FROM "{grants}" WHERE {place} AND "revoked_at" IS NULL{wanted}'
    if not switches:
        return f"SELECT {columns} {held}"
    said = """"id", "skill_id", '', '', "agent_id", "enabled" """
    switched = f'FROM "{bindings}" WHERE {place}'
    return f"SELECT {columns} {held} UNION ALL SELECT {said} {switched}"


def _ask(question: Question) -> Given:
    with connection.cursor() as cursor:
        cursor.execute(*question.statement())
        rows = cursor.fetchall()
    return Given(
        grants=tuple(_grant(*row[:5]) for row in rows if row[5] is None),
        switches=tuple(
            (row[1], _uuid_or_none(row[4]), bool(row[5])) for row in rows if row[5] is not None
        ),
    )


def _grant(key: Any, skill_id: str, code: str, version: str, agent_id: Any) -> HeldGrant:
    return HeldGrant(_uuid(key), skill_id, code, version, _uuid_or_none(agent_id))


def _key(value: UUID | None) -> Any:
    """As the database keeps it."""
    return _ID.get_db_prep_value(value, connection)


def _uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)


def _uuid_or_none(value: Any) -> UUID | None:
    return None if value is None else _uuid(value)


_ID = PermissionGrant._meta.get_field("agent_id")
