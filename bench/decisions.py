"""What a policy decision costs where there are 10,000 grants, half of them one person's."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import connection
from django.db.models.functions import Now

from bench.figures import median, p95
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from skills.gate import GrantGate
from skills.models import PermissionGrant, SkillBinding
from skills.registry import get_skill
from tests.processes.people import person
from tools.enums import DecisionOutcome
from tools.execution import prepare
from tools.gates import PreparedCall
from tools.models import Tool, ToolCall
from tools.schemas import CallContext

GRANTS = 10_000
OTHERS, SWITCHES = 100, 1_000
ROUNDS, WARM_UP = 500, 50
SKILL, CODE = "memory-recall", "memory:read"


@dataclass(frozen=True, slots=True)
class Asked:
    """One kind of question and what it has to be answered."""

    context: CallContext
    outcome: DecisionOutcome


def measure_decisions() -> dict[str, float]:
    """Milliseconds of the grant gate, its query included: `median` and `p95` of the slowest kind
    of question.
    """
    user = person("granting")[0]
    granted = _fill(user)
    call = _prepared(user)
    kinds = [_times(call, kind) for kind in _kinds(user, granted)]
    slowest = max(kinds, key=median)
    return {"median": median(slowest), "p95": p95(slowest)}


def _kinds(user: User, granted: UUID) -> list[Callable[[], Asked]]:
    """By a skill and by no skill; permitted and not."""
    allow, deny = DecisionOutcome.ALLOW, DecisionOutcome.DENY
    return [
        lambda: Asked(_context(user, granted, SKILL), allow),
        lambda: Asked(_context(user, granted), allow),
        lambda: Asked(_context(user, uuid4(), SKILL), deny),
        lambda: Asked(_context(user, uuid4()), deny),
    ]


def _times(call: PreparedCall, kind: Callable[[], Asked]) -> list[float]:
    return [_milliseconds(call, kind()) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]


def _milliseconds(call: PreparedCall, asked: Asked) -> float:
    started = time.perf_counter()
    reason = GrantGate().judge(call, asked.context)
    spent = (time.perf_counter() - started) * 1000
    if reason.outcome != asked.outcome:
        raise SystemExit(f"the gate said {reason.outcome}, not {asked.outcome}: {reason.reason}")
    return spent


def _context(user: User, agent_id: UUID, skill: str = "") -> CallContext:
    origin = Origin.SKILL if skill else Origin.CHAT
    return CallContext(
        actor=Actor(user=user, origin=origin, agent_id=agent_id),
        idempotency_key=f"bench:{uuid7()}",
        skill=skill,
        skill_version=get_skill(skill).manifest.version if skill else "",
    )


def _prepared(user: User) -> PreparedCall:
    tool = Tool.objects.get(slug="memory_search")
    call = ToolCall(tool_slug=tool.slug)
    return prepare(tool, {"query": "tea"}, call, _context(user, uuid4()))


def _fill(user: User) -> UUID:
    """One of the agents for which she granted it; a tenth of all is revoked."""
    others = User.objects.bulk_create(User(username=f"granting{n}") for n in range(OTHERS))
    agents = [uuid4() for _ in range(GRANTS)]
    PermissionGrant.objects.bulk_create(
        _grant(agent, user if n % 2 else others[n % OTHERS]) for n, agent in enumerate(agents)
    )
    SkillBinding.objects.bulk_create(
        SkillBinding(user=user, skill_id=SKILL, agent_id=agent, enabled=True)
        for agent in agents[1 : 2 * SWITCHES : 2]
    )
    PermissionGrant.objects.filter(agent_id__in=agents[::10]).update(revoked_at=Now())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return agents[1]


def _grant(agent_id: UUID, user: User) -> PermissionGrant:
    return PermissionGrant(user=user, skill_id=SKILL, code=CODE, agent_id=agent_id, version="1.0.0")
