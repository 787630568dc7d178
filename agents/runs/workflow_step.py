"""The workflow of a turn, before everything else (seed 4's order): it takes the message, and the
agent says what it asks next, without a model."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from agents.models import Conversation, Message, MessageRole, Run
from agents.runs import finish
from agents.runs.actors import actor_of
from agents.runs.fence import RunFence
from agents.runs.messages import add_message
from agents.runs.skill_step import skill_context
from agents.runs.tool_step import announce
from config.base.faults import fault_point
from skills.calls import Caller
from skills.context import SkillContext
from skills.workflows.turns import Met, reply, starts_workflow, take
from skills.workflows.writing import Reply
from tools.drafts import close_calls_of_run


def use_workflow(
    fence: RunFence, run: Run, said: Sequence[Message], *, has_begun: bool, is_open: bool
) -> Reply | None:
    """None for a message that no workflow takes. `is_open`: there is one in the conversation.

    Nothing is taken once the model was asked (`has_begun`). Raises `LeaseLost`.
    """
    context = None if has_begun or run.unattended else skill_context(run, said)
    looks_back = fence.revision > 1
    if context is None or not (is_open or looks_back or starts_workflow(context)):
        return None
    met = _take(fence, run, context, looks_back=looks_back)
    fault_point("run.workflow")
    if met.taken is None:
        return None
    caller = Caller(fence=fence, look_up=fence.look_up)
    return reply(met.taken, context, caller, now=timezone.now())


@transaction.atomic
def _take(fence: RunFence, run: Run, context: SkillContext, *, looks_back: bool) -> Met:
    fence()
    met = take(context, now=timezone.now(), looks_back=looks_back)
    for notice in met.notices:
        conversation = Conversation.objects.select_for_update().get(runs=run)
        add_message(conversation, MessageRole.NOTICE, notice, run=run)
    return met


def say(fence: RunFence, run: Run, said: Reply) -> None:
    """The agent's answer, or a card to be decided first."""
    if said.tool and said.tool not in run.tools:
        run.tools = [*run.tools, said.tool]
        Run.objects.filter(pk=run.pk).update(tools=run.tools)
    if said.draft is not None:
        announce(fence, run, said.draft)
        finish.pause(fence)
        fault_point("run.paused")
        return
    close_calls_of_run(actor_of(run), run.pk)  # one that was overtaken before it was judged
    finish.complete(fence, said.text, provenance=frozenset(), warnings=[])
