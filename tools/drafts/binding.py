"""What binds a draft to its effect, and how to tell that the world has moved since."""

from django.conf import settings

from config.base.digests import canonical_digest
from config.base.hidden import shown
from tools.gates import PreparedCall
from tools.models import ActionDraft
from tools.schemas import JSON, CallContext

# What a person judges by: if one of these changes, they have to look again.
_SHOWN = ("targets", "risk", "preview", "sources", "reversible", "editable")


def conditions_of(prepared: PreparedCall, context: CallContext) -> str:
    """Digest of what must still hold at the moment of confirming, beside the targets."""
    tool = prepared.tool
    return canonical_digest(
        {
            "tool": [str(tool.pk), tool.slug, tool.type],
            "config": prepared.config.model_dump(mode="json"),
            "needs_approval": tool.needs_approval,
            "agent_adds_approval": (context.tool_set or {}).get(tool.slug, False),
            "annotations": prepared.annotations.as_json(),
            "gates": settings.TOOL_GATES,
        }
    )


def shown_plan(prepared: PreparedCall) -> JSON:
    """Of what goes outside a person sees every letter, also those that print nothing: a model may
    have been told to hide in them what it sends."""
    plan = prepared.plan.as_json()
    if prepared.annotations.open_world:
        plan["title"] = shown(plan["title"])
        if plan["preview"]:
            plan["preview"]["text"] = shown(plan["preview"]["text"].replace("\r\n", "\n"))
    return plan


def effect_hash(arguments: JSON, plan: JSON, conditions: str) -> str:
    """One digest over all that was shown; titles are left out: they are in a language."""
    judged = {name: plan[name] for name in _SHOWN}
    return canonical_digest({"arguments": arguments, "conditions": conditions, **judged})


def what_moved(
    draft: ActionDraft, prepared: PreparedCall, context: CallContext, *, edited: bool
) -> str:
    """`target_changed`, `conditions_changed`, or "" when it is what the person was shown.

    A person's own edit changes arguments and preview; targets and risk it must not change.
    """
    fresh = shown_plan(prepared)
    if fresh["targets"] != draft.plan["targets"]:
        return "target_changed"
    if fresh["risk"] != draft.plan["risk"]:
        return "conditions_changed"
    if conditions_of(prepared, context) != draft.conditions:
        return "conditions_changed"
    if edited:
        return ""
    fresh_hash = effect_hash(prepared.plan.arguments, fresh, draft.conditions)
    return "" if fresh_hash == draft.hash else "target_changed"
