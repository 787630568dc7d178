"""The call context of a draft, made anew at the moment of deciding."""

from collections.abc import Mapping

from config.base.actor import Actor, Origin
from tools.directory import agent_directory, skill_tool_set
from tools.models import ActionDraft
from tools.schemas import CallContext


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
