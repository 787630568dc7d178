"""Each rule of the gate as a pair: a call that it allows, and the same but for the one thing by
which it is refused.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from config.base.actor import Origin
from config.base.models import User
from skills import registry
from skills.bindings import switch_skill
from skills.enums import ApprovalMode
from skills.grants import Permission, grant_permission, revoke_permission
from tests.skills.conftest import AGENT, OTHER_AGENT
from tests.skills.factories import READ, WRITE, Tone, permission, skill
from tests.tools.conftest import actor_of, context_for
from tests.tools.factories import ToolFactory
from tools.enums import Risk
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.testing import arguments_for

EACH = permission(READ, ApprovalMode.PER_OPERATION, Risk.L3)
FREE = permission(READ, ApprovalMode.NONE, Risk.L0)
BOTH = (permission(READ), permission(WRITE))


@dataclass(frozen=True, slots=True)
class Grant:
    """What Alice gave, and in which version."""

    code: str = READ
    agent: UUID | None = None
    skill_id: str = "echo"
    version: str = "1.0.0"
    revoked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is installed, given and switched, and the call that is made then."""

    skills: tuple[type[Any], ...] = (skill(),)
    grants: tuple[Grant, ...] = (Grant(),)
    switches: tuple[tuple[UUID | None, bool], ...] = ()
    skill_id: str = "echo"  # "": no skill's call
    version: str = "1.0.0"
    who: str = "alice"
    agent: UUID | None = AGENT
    tool: str = "fake_echo"  # its type
    slug: str = ""  # as its type
    codes: tuple[str, ...] = ()  # what the tool needs
    unattended: bool = False
    enabled: bool = True  # the tool
    needs_approval: bool = False

    def but(self, **differs: Any) -> "Case":
        return replace(self, **differs)


@dataclass(frozen=True, slots=True)
class Pair:
    rule: str
    allowed: Case
    refused: Case
    code: str
    gate: str = "grant"
    asks: bool = False  # it is not refused but waits for a person


def act(case: Case, people: dict[str, User]) -> CallOutcome:
    for given in case.grants:
        give(given, people["alice"])
    with registry.only(*case.skills):
        for agent, on in case.switches:
            switch_skill(actor_of(people["alice"]), case.skill_id, enabled=on, agent_id=agent)
        tool = ToolFactory.create(
            type=case.tool,
            slug=case.slug or case.tool,
            config={"permission_codes": case.codes},
            enabled=case.enabled,
            needs_approval=case.needs_approval,
        )
        return call_tool(tool, arguments_for(case.tool), _context(case, people[case.who]))


def _context(case: Case, user: User) -> Any:
    origin = Origin.SKILL if case.skill_id else Origin.CHAT
    return context_for(
        user,
        actor=actor_of(user, origin, agent_id=case.agent),
        skill=case.skill_id,
        skill_version=case.version if case.skill_id else "",
        unattended=case.unattended,
    )


def give(given: Grant, user: User) -> None:
    at = skill(
        skill_id=given.skill_id, version=given.version, permissions=(permission(given.code),)
    )
    what = Permission(skill_id=given.skill_id, code=given.code, agent_id=given.agent)
    with ExitStack() as installed:
        installed.enter_context(registry.only(at))
        grant_permission(actor_of(user), what)
        if given.revoked:
            revoke_permission(actor_of(user), what)


OF_SKILL = Case()
DIRECT = Case(skill_id="", codes=(READ,))
MINOR = (skill(), skill(version="1.1.0"))
WITH_WRITE = (skill(permissions=BOTH),)
TWO_GRANTS = (Grant(READ), Grant(WRITE))


def of_skills() -> Iterator[Pair]:
    """What a skill's call has to be."""
    yield Pair("it is installed", OF_SKILL, OF_SKILL.but(skill_id="other"), "unknown_skill")
    yield Pair("in that version", OF_SKILL, OF_SKILL.but(version="9.0.0"), "unknown_skill")
    yield Pair("which is named", OF_SKILL, OF_SKILL.but(version=""), "unknown_skill")
    other = OF_SKILL.but(tool="fake_secret_echo")
    yield Pair("the tool is its own", OF_SKILL, other, "not_its_tool")
    other = OF_SKILL.but(slug="echo-two")
    yield Pair("the tool is the shipped one", OF_SKILL, other, "not_its_tool")
    no_tool = OF_SKILL.but(skills=(skill(Tone),))
    yield Pair("it is of a kind that calls", OF_SKILL, no_tool, "not_its_tool")
    needs = OF_SKILL.but(skills=WITH_WRITE, grants=TWO_GRANTS, codes=(READ, WRITE))
    yield Pair(
        "it declares what the tool needs",
        needs,
        needs.but(skills=(skill(),)),
        "permission_not_declared",
    )
    off = OF_SKILL.but(switches=((None, False),))
    yield Pair("it is switched on", OF_SKILL.but(switches=((None, True),)), off, "skill_disabled")
    on_here = ((None, False), (AGENT, True))
    off_here = ((None, True), (AGENT, False))
    yield Pair(
        "the switch for the agent counts first",
        OF_SKILL.but(switches=on_here),
        OF_SKILL.but(switches=off_here),
        "skill_disabled",
    )
    yield Pair(
        "another agent's switch does not count",
        OF_SKILL.but(switches=((OTHER_AGENT, False),)),
        OF_SKILL.but(switches=((OTHER_AGENT, True), (None, False))),
        "skill_disabled",
    )


def of_grants() -> Iterator[Pair]:
    """What was granted, to whom, where, and whether it still is."""
    missing = "permission_missing"
    yield Pair("it was granted", OF_SKILL, OF_SKILL.but(grants=()), missing)
    yield Pair("and is still", OF_SKILL, OF_SKILL.but(grants=(Grant(revoked=True),)), missing)
    again = (Grant(revoked=True), Grant())
    yield Pair(
        "granted again it counts again",
        OF_SKILL.but(grants=again),
        OF_SKILL.but(grants=again[:1]),
        missing,
    )
    yield Pair("by this person", OF_SKILL, OF_SKILL.but(who="bob"), missing)
    yield Pair(
        "for this agent",
        OF_SKILL.but(grants=(Grant(agent=AGENT),)),
        OF_SKILL.but(grants=(Grant(agent=OTHER_AGENT),)),
        missing,
    )
    for_all, for_one = OF_SKILL.but(agent=None), (Grant(agent=AGENT),)
    yield Pair("where no agent acts: for all", for_all, for_all.but(grants=for_one), missing)
    both = OF_SKILL.but(grants=(Grant(), Grant(agent=AGENT, revoked=True)))
    yield Pair(
        "revoked for one agent it counts still for all",
        both,
        both.but(grants=(Grant(revoked=True), Grant(agent=OTHER_AGENT))),
        missing,
    )
    two = OF_SKILL.but(skills=WITH_WRITE, grants=TWO_GRANTS)
    yield Pair("every code of it", two, two.but(grants=(Grant(READ),)), missing)
    yield Pair("and no other code", OF_SKILL, OF_SKILL.but(grants=(Grant(WRITE),)), missing)
    yield Pair("of this skill", OF_SKILL, OF_SKILL.but(grants=(Grant(skill_id="x"),)), missing)
    free = OF_SKILL.but(skills=(skill(permissions=(FREE,)),), grants=())
    yield Pair("unless it needs none", free, free.but(skills=(skill(),)), missing)


def of_versions() -> Iterator[Pair]:
    missing = "permission_missing"
    minor = OF_SKILL.but(skills=MINOR, version="1.1.0")
    major = OF_SKILL.but(skills=(*MINOR, skill(version="2.0.0")), version="2.0.0")
    yield Pair("a minor version keeps its grants, a major does not", minor, major, missing)
    major = major.but(grants=(Grant(version="2.0.0"),))
    yield Pair("a major one has grants of its own", major, major.but(grants=(Grant(),)), missing)
    more = (skill(), skill(version="1.1.0", permissions=BOTH))
    yield Pair(
        "a code that a minor version adds is granted anew",
        OF_SKILL.but(skills=more, version="1.1.0", grants=TWO_GRANTS),
        OF_SKILL.but(skills=more, version="1.1.0"),
        missing,
    )
    yield Pair(
        "the version before goes on as it was",
        OF_SKILL.but(skills=more),
        OF_SKILL.but(skills=more, grants=(Grant(WRITE),)),
        missing,
    )


def of_other_calls() -> Iterator[Pair]:
    """A call that is no skill's."""
    missing = "permission_missing"
    yield Pair(
        "what needs no code", DIRECT.but(codes=(), grants=()), DIRECT.but(grants=()), missing
    )
    yield Pair("its code was granted", DIRECT, DIRECT.but(grants=()), missing)
    yield Pair(
        "for this agent",
        DIRECT.but(grants=(Grant(agent=AGENT),)),
        DIRECT.but(grants=(Grant(agent=OTHER_AGENT),)),
        missing,
    )
    yield Pair("by this person", DIRECT, DIRECT.but(who="bob"), missing)
    yield Pair("and is still", DIRECT, DIRECT.but(grants=(Grant(revoked=True),)), missing)
    two = DIRECT.but(skills=WITH_WRITE, grants=TWO_GRANTS, codes=(READ, WRITE))
    yield Pair("every code of it", two, two.but(grants=(Grant(WRITE),)), missing)
    some = (skill(skill_id="another"), skill())
    yield Pair(
        "for any skill that declares it",
        DIRECT.but(skills=some),
        DIRECT.but(skills=some, grants=(Grant(skill_id="gone"),)),
        missing,
    )
    yield Pair("which is installed", DIRECT, DIRECT.but(skills=()), "permission_unknown")
    no_longer = (skill(version="1.1.0", permissions=(permission(WRITE),)),)
    yield Pair("and declares it still", DIRECT, DIRECT.but(skills=no_longer), "permission_unknown")
    major = (skill(), skill(version="2.0.0"))
    yield Pair(
        "in a version that it covers", DIRECT.but(skills=MINOR), DIRECT.but(skills=major), missing
    )


def of_confirming() -> Iterator[Pair]:
    """What a person is asked each time."""
    each = (skill(permissions=(EACH,)),)
    asks: dict[str, Any] = {"code": "per_operation", "asks": True}
    yield Pair("a skill's, once granted", OF_SKILL, OF_SKILL.but(skills=each), **asks)
    yield Pair("a call's, once granted", DIRECT, DIRECT.but(skills=each), **asks)
    nobody = OF_SKILL.but(unattended=True)
    yield Pair("also while nobody is there", nobody, nobody.but(skills=each), **asks)


def of_other_gates() -> Iterator[Pair]:
    """A grant answers no other gate."""
    rename = skill(attributes={"tool_id": "fake_rename"})
    writes = OF_SKILL.but(skills=(rename,), tool="fake_rename")
    yield Pair(
        "somebody is there when it writes",
        writes,
        writes.but(unattended=True),
        "unattended_write",
        gate="unattended",
        asks=True,
    )
    off = OF_SKILL.but(enabled=False)
    yield Pair("its tool is switched on", OF_SKILL, off, "tool_disabled", gate="enabled")
    asks = OF_SKILL.but(needs_approval=True)
    yield Pair(
        "no operator wants its tool confirmed",
        OF_SKILL,
        asks,
        "tool_needs_approval",
        gate="approval",
        asks=True,
    )


PAIRS = [
    *of_skills(),
    *of_grants(),
    *of_versions(),
    *of_other_calls(),
    *of_confirming(),
    *of_other_gates(),
]
