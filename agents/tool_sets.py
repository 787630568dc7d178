"""Which tools an agent has: those given by rows, else the harmless ones."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

from agents.models import Agent, AgentTool
from config.base.errors import GatehouseError
from tools.configs import load_config
from tools.directory import Holder
from tools.enums import Risk
from tools.models import Tool
from tools.registry import get_tool_type


def list_agent_tools(agent: Agent) -> list[Tool]:
    """Enabled tools of installed types, in the operators' order."""
    return [tool for tool, _adds in tools_of(agent)]


def tool_set(agent: Agent) -> Mapping[str, bool]:
    """Slug to whether the agent's row adds approval: what the pipeline is handed."""
    return {tool.slug: adds for tool, adds in tools_of(agent)}


def tools_of(agent: Agent) -> list[tuple[Tool, bool]]:
    """Each with whether the agent's row adds approval; in the operators' order."""
    rows = list(agent.agent_tools.select_related("tool"))
    if not rows:
        return [(tool, False) for tool in list_default_tools()]
    given = [(row.tool, bool(row.needs_approval)) for row in rows if row.enabled]
    chosen = [(tool, adds) for tool, adds in given if tool.enabled and _is_usable(tool)]
    return sorted(chosen, key=lambda pair: _place(pair[0]))


def list_default_tools() -> list[Tool]:
    """What an agent has that was given none."""
    return sorted(filter(_is_harmless, Tool.objects.enabled()), key=_place)


def holders_of(tools: Sequence[Tool]) -> dict[UUID, list[Holder]]:
    """Which agents have each of these tools, or will once the tool is switched on; two queries."""
    rows = AgentTool.objects.select_related("agent").order_by("agent__name", "agent__pk")
    found: dict[UUID, list[Holder]] = defaultdict(list)
    for row in rows.filter(tool__in=tools, enabled=True):
        found[row.tool_id].append(Holder(row.agent_id, row.agent.name))
    default = Agent.objects.filter(agent_tools=None).values_list("pk", "name")
    by_default = [Holder(pk, name, by_default=True) for pk, name in default.order_by("name", "pk")]
    for tool in tools if by_default else ():
        if _is_harmless(tool):
            found[tool.pk] += by_default
    return found


def _place(tool: Tool) -> tuple[int, str, str]:
    return tool.sort_order, tool.name, tool.slug


def _is_usable(tool: Tool) -> bool:
    """A row whose type has gone, or whose config no longer fits, is never offered to a model."""
    try:
        load_config(tool.type, tool.config)
    except GatehouseError:
        return False
    return True


def _is_harmless(tool: Tool) -> bool:
    if not _is_usable(tool):
        return False
    config = load_config(tool.type, tool.config)
    annotations = get_tool_type(tool.type).annotations(config)
    return not annotations.open_world and annotations.risk <= Risk.L2
