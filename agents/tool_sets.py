"""Which tools an agent has: those given by rows, else the harmless ones."""

from collections.abc import Mapping

from agents.models import Agent
from config.base.errors import GatehouseError
from tools.configs import load_config
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
    if rows:
        given = [(row.tool, bool(row.needs_approval)) for row in rows if row.enabled]
        chosen = [(tool, adds) for tool, adds in given if tool.enabled and _is_usable(tool)]
    else:
        chosen = [(tool, False) for tool in Tool.objects.enabled() if _is_harmless(tool)]
    return sorted(chosen, key=lambda pair: (pair[0].sort_order, pair[0].name, pair[0].slug))


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
