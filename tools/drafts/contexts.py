"""The call context of a draft, made anew at the moment of deciding."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from config.base.actor import Actor, Origin
from config.base.models import User
from tools.models import ActionDraft, Tool
from tools.schemas import CallContext


@dataclass(frozen=True, slots=True)
class Holder:
    """An agent that has a tool; `by_default`: it was given none, and has the harmless ones."""

    agent_id: UUID
    name: str
    by_default: bool = False


class AgentDirectory(Protocol):
    """What `tools` must ask upwards; settings.AGENT_DIRECTORY names who answers."""

    def may_use(self, user: User, agent_id: UUID) -> bool: ...

    def tool_set(self, agent_id: UUID) -> Mapping[str, bool]:
        """The agent's tools by slug, and whether its row adds approval; empty if it is gone."""

    def name_of(self, agent_ids: Iterable[UUID]) -> dict[UUID, str]:
        """The names of those that are still there."""

    def all_names(self) -> dict[UUID, str]:
        """Every agent that is switched on, by name: for operators."""

    def holders(self, tools: Sequence[Tool]) -> Mapping[UUID, list[Holder]]:
        """Who has each of these tools, by the tool's id."""

    def may_give(self, user: User) -> bool:
        """Whether this operator may give tools to agents."""

    def give_tools(self, actor: Actor, agent_id: UUID, tool_ids: Sequence[UUID]) -> list[Tool]:
        """Audited; those that the agent did not have. Raises `NotPermitted`, `NotFound`."""


def agent_directory() -> AgentDirectory:
    directory: AgentDirectory = import_string(settings.AGENT_DIRECTORY)()
    return directory


def actor_of(draft: ActionDraft) -> Actor:
    call = draft.call
    return Actor(
        user=draft.owner,
        origin=Origin(call.origin),
        role=call.role,
        agent_id=call.agent_id,
        conversation_id=call.conversation_id,
        run_id=call.run_id,
    )


def context_of(draft: ActionDraft) -> CallContext:
    """The tool set is asked for again: a tool taken from the agent since is a refusal.

    So is the agent: whoever may not use it any more has no tools there.
    """
    call = draft.call
    return CallContext(
        actor=actor_of(draft),
        idempotency_key=call.idempotency_key,
        tool_set=_tool_set(draft) if call.agent_id else None,
        provenance=frozenset(draft.provenance),
        user_urls=tuple(draft.user_urls),
        unattended=draft.unattended,
        skill=call.skill,
        skill_version=call.skill_version,
    )


def _tool_set(draft: ActionDraft) -> Mapping[str, bool]:
    directory, agent_id = agent_directory(), draft.call.agent_id
    if agent_id is None or not directory.may_use(draft.owner, agent_id):
        return {}
    given = directory.tool_set(agent_id)
    if draft.call.skill:
        return skill_tool_set(draft.call.tool_slug, given)
    return given


def skill_tool_set(slug: str, given: Mapping[str, bool]) -> Mapping[str, bool]:
    """A skill brings its own tool, whatever the agent has; the agent's row may add approval."""
    return {slug: given.get(slug, False)}
