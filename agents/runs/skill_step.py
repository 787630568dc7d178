"""The skill of a turn, before the reply (seed 4's order): the message proposes it, the gate judges,
the runner runs it once, and the model is told what came of it."""

from collections.abc import Sequence

from django.db import transaction

from agents.models import Conversation, Message, MessageRole, Run, RunSkill
from agents.runs import events
from agents.runs.actors import actor_of
from agents.runs.fence import RunFence
from agents.runs.prompt import user_urls
from agents.runs.tool_step import provenance_of
from config.base.faults import fault_point
from skills.calls import Caller
from skills.context import SkillContext
from skills.definitions import PromptSkill, Skill, ToolSkill
from skills.enums import RunStatus, SkillKind
from skills.given import Given, all_given, given_for_skill
from skills.policy import PolicyDecision, decide_skill
from skills.runner import SkillOutcome, refuse_skill, run_prompt_skill, run_tool_skill
from skills.runs import note_unfollowed
from skills.selector import TURN_ORDER, find_commanded, select
from tools.drafts.represent import draft_json

_ORDER = TURN_ORDER[TURN_ORDER.index(SkillKind.WORKFLOW) + 1 :]  # workflows came before
_TOLD_TO_THE_PERSON = (
    RunStatus.DENIED,
    RunStatus.INVALID,
    RunStatus.TIMEOUT,
    RunStatus.FAILED,
)


def use_skill(
    fence: RunFence,
    run: Run,
    conversation: Conversation,
    said: Sequence[Message],
    *,
    has_begun: bool,
) -> RunSkill | None:
    """None when the message asks for none. What another process has stored is used as it is, and
    nothing begins once the model was asked (`has_begun`). Raises `LeaseLost`.
    """
    left = RunSkill.objects.filter(run=run).first() if fence.revision > 1 else None
    if left or has_begun or run.unattended:
        return left
    context = skill_context(run, said)
    skill = _proposed(context) if context else None
    if context is None:
        return None
    if skill is not None:
        outcome = _run(skill, context, fence, said)
    elif refused := _switched_off(context):
        skill, decision = refused
        outcome = refuse_skill(skill, context, decision)
    else:
        return None
    fault_point("run.skill")
    return _store(fence, run, conversation, skill, outcome)


def skill_context(run: Run, said: Sequence[Message]) -> SkillContext | None:
    """By the person's own message of this run."""
    asked = said[-1] if said else None
    if asked is None or asked.role != MessageRole.USER or asked.run_id != run.pk:
        return None
    return SkillContext(actor=actor_of(run), text=asked.text, message_id=asked.pk)


def _proposed(context: SkillContext) -> Skill | None:
    """The database is asked only about what a message asks for."""
    given: Given | None = None
    for kind in _ORDER:
        if select(context, Given(), kind).rejected == "no_match":
            continue
        given = given or all_given(context.actor.user, context.agent_id)
        found = select(context, given, kind).skill
        if found is not None:
            return found
    return None


def _switched_off(context: SkillContext) -> tuple[Skill, PolicyDecision] | None:
    """Who names it by its command is told that it is off; other words go to the model."""
    skill = find_commanded(context.text)
    if skill is None or skill.manifest.scope != context.scope:
        return None
    manifest = skill.manifest
    given = given_for_skill(context.actor.user, context.agent_id, manifest)
    return None if given.is_enabled(manifest) else (skill, decide_skill(manifest, given))


def _run(
    skill: Skill, context: SkillContext, fence: RunFence, said: Sequence[Message]
) -> SkillOutcome:
    if isinstance(skill, PromptSkill):
        return run_prompt_skill(skill, context)
    assert isinstance(skill, ToolSkill)
    caller = Caller(
        provenance=provenance_of(said, ()),
        user_urls=user_urls(said),
        fence=fence,
        look_up=fence.look_up,
    )
    return run_tool_skill(skill, context, caller=caller)


def keep_unfollowed(run: Run) -> None:
    """Of the skill that told the model how to answer. Within the caller's transaction."""
    asked = Message.objects.filter(run=run, role=MessageRole.USER).values_list("pk", flat=True)
    note_unfollowed(run.owner, asked)


@transaction.atomic
def _store(
    fence: RunFence, run: Run, conversation: Conversation, skill: Skill, outcome: SkillOutcome
) -> RunSkill:
    fence()
    told = outcome.status in _TOLD_TO_THE_PERSON and outcome.message
    row = RunSkill.objects.create(
        run=run,
        conversation=conversation,
        skill_id=skill.manifest.skill_id,
        version=skill.manifest.version,
        instruction=outcome.instruction,
        provenance=sorted(outcome.provenance),
        warnings=[outcome.message] if told else [],
    )
    if outcome.call is not None:
        run.tools = [*run.tools, outcome.call.call.tool_slug]
        Run.objects.filter(pk=run.pk).update(tools=run.tools)
    if outcome.draft is not None:
        events.emit(fence, "action.required", **draft_json(outcome.draft))
    return row
