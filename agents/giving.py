"""Giving tools to agents, and taking them away; each change is audited at the agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from agents.models import Agent, AgentTool
from agents.tool_sets import list_default_tools
from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound, NotPermitted
from config.base.models import User
from tools.configs.changes import SHOWN_FIELDS
from tools.models import Tool

BY_DEFAULT = "by default"
MAX_GIVEN = 500


@dataclass(frozen=True, slots=True)
class Given:
    """A tool's slug, and how an agent has it. `needs_approval`: None as the tool says."""

    tool: str
    enabled: bool = True
    needs_approval: bool | None = None

    def __str__(self) -> str:
        words = "on" if self.enabled else "off"
        return f"{words}, needs approval" if self.needs_approval else words


@dataclass(frozen=True, slots=True)
class GivenTools:
    by_default: bool
    tools: list[Given]


def may_give(user: User) -> bool:
    return user.is_staff and user.has_perm("agents.change_agent")


def get_given_tools(agent_id: UUID) -> GivenTools:
    """Raises `NotFound`."""
    agent = Agent.objects.filter(pk=agent_id).first()
    if agent is None:
        raise NotFound
    rows = list(_rows(agent).values())
    if rows:
        return GivenTools(by_default=False, tools=[_given(row) for row in rows])
    return GivenTools(by_default=True, tools=[Given(tool.slug) for tool in list_default_tools()])


@transaction.atomic
def give_tools(actor: Actor, agent_id: UUID, tool_ids: Sequence[UUID]) -> list[Tool]:
    """Give these as well, and tell which the agent did not have already.

    One that has the harmless tools by default is given those by name: it loses none.
    Raises `NotPermitted`, `NotFound`.
    """
    agent = _lock(actor, agent_id)
    tools = list(Tool.objects.filter(pk__in=tool_ids).order_by("name", "pk"))
    if len(tools) < len(set(tool_ids)):
        raise NotFound
    rows = _rows(agent)
    before = _state(rows)
    if not rows:
        rows = {tool.slug: AgentTool(agent=agent, tool=tool) for tool in list_default_tools()}
    new = [tool for tool in tools if before.get(tool.slug, "off").startswith("off")]
    if not new:
        return []
    for tool in new:
        rows.setdefault(tool.slug, AgentTool(agent=agent, tool=tool)).enabled = True
    _save(rows)
    _record(actor, agent, before)
    return new


@transaction.atomic
def set_agent_tools(actor: Actor, agent_id: UUID, given: Sequence[Given]) -> None:
    """These and no others; none at all: those that every agent has by default.

    Raises `NotPermitted`, `NotFound`, `InvalidInput` (unknown_tool, given_twice).
    """
    agent = _lock(actor, agent_id)
    tools = _named(given)
    rows = _rows(agent)
    before = _state(rows)
    for slug in set(rows) - set(tools):
        rows.pop(slug).delete()
    for one in given:
        row = rows.setdefault(one.tool, AgentTool(agent=agent, tool=tools[one.tool]))
        row.enabled, row.needs_approval = one.enabled, one.needs_approval
    _save(rows)
    _record(actor, agent, before)


def _lock(actor: Actor, agent_id: UUID) -> Agent:
    if not may_give(actor.user):
        raise NotPermitted
    agent = Agent.objects.select_for_update().filter(pk=agent_id).first()
    if agent is None:
        raise NotFound
    return agent


def _named(given: Sequence[Given]) -> dict[str, Tool]:
    slugs = [one.tool for one in given]
    if twice := sorted({slug for slug in slugs if slugs.count(slug) > 1}):
        words = _("Named more than once: %(names)s.") % {"names": ", ".join(twice)}
        raise InvalidInput(words, code="given_twice")
    tools = {tool.slug: tool for tool in Tool.objects.filter(slug__in=slugs)}
    if unknown := [slug for slug in slugs if slug not in tools]:
        words = _("There is no such tool: %(names)s.") % {"names": ", ".join(unknown)}
        raise InvalidInput(words, code="unknown_tool")
    return tools


def _rows(agent: Agent) -> dict[str, AgentTool]:
    rows = agent.agent_tools.select_related("tool")
    return {row.tool.slug: row for row in rows.order_by("tool__sort_order", "tool__name", "pk")}


def _save(rows: Mapping[str, AgentTool]) -> None:
    for row in rows.values():
        row.save()


def _given(row: AgentTool) -> Given:
    return Given(row.tool.slug, row.enabled, row.needs_approval)


def _state(rows: Mapping[str, AgentTool]) -> dict[str, str]:
    if not rows:
        return {tool.slug: BY_DEFAULT for tool in list_default_tools()}
    return {slug: str(_given(row)) for slug, row in rows.items()}


def _record(actor: Actor, agent: Agent, before: Mapping[str, str]) -> None:
    after = _state(_rows(agent))
    names = sorted(n for n in {*before, *after} if before.get(n) != after.get(n))
    if not names:
        return
    shown = names[:SHOWN_FIELDS]
    metadata = {
        "fields": ["tools"],
        "before": {f"tool.{name}": before[name] for name in shown if name in before},
        "after": {f"tool.{name}": after[name] for name in shown if name in after},
    }
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("agent", agent.pk),
        metadata=metadata | ({"more": len(names) - len(shown)} if len(names) > len(shown) else {}),
    )
