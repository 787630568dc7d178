"""Running a tool skill for one message (seed 4): gate, input, call, output, instruction.

The runner never raises for what a skill or its tool does or fails at; the agent is told, and told
not to invent what it did not get.
"""

import logging
import time
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from config.base import audit
from config.base.actor import Origin
from config.base.errors import Conflict, IdempotencyKeyReused, LeaseLost
from skills.calls import Caller, call_for_skill
from skills.context import SkillContext
from skills.definitions import PromptSkill, Skill, ToolSkill
from skills.enums import RunStatus
from skills.given import given_for_skill
from skills.instructions import DENIED, FAILED, WAITING
from skills.policy import PolicyDecision, decide_skill
from skills.runs import close_left_runs, close_run, open_run
from tools.enums import CallStatus
from tools.models import ActionDraft
from tools.outcomes import CallError, CallOutcome

log = logging.getLogger(__name__)

type AnyToolSkill = ToolSkill[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOutcome:
    """`instruction` is for the model, however it ended; `draft` waits for the person."""

    status: RunStatus
    instruction: str
    error_code: str = ""
    message: str = ""  # of a refusal or failure, for people
    call: CallOutcome | None = None

    @property
    def draft(self) -> ActionDraft | None:
        return self.call.draft if self.call else None

    @property
    def provenance(self) -> frozenset[str]:
        return self.call.provenance if self.call else frozenset()


def run_tool_skill(
    skill: AnyToolSkill, context: SkillContext, *, number: int = 0, caller: Caller | None = None
) -> SkillOutcome:
    """`number` says which of the skill's calls for this message it is, from 0: each is one row, so
    there are never more than its `max_calls_per_turn`, whatever is said. It is the caller's to say,
    as nobody else can tell a further call from one that a killed process comes back to: that finds
    the same row; reads run again, writes do not.

    Raises `LeaseLost` when the caller lost its run.
    """
    if context.message_id is None or number < 0:
        raise ValueError("a tool skill runs for a message, and its calls count from 0")
    started = time.monotonic()
    run = open_run(skill, context, number=number)
    try:
        outcome = _run(skill, context, number, caller or Caller())
    except LeaseLost:
        close_left_runs(RunStatus.CANCELLED, pk=run.pk)  # who took the turn over writes it anew
        raise
    close_run(
        run,
        outcome.status,
        started=started,
        error_code=outcome.error_code,
        tool_call_id=outcome.call.call.pk if outcome.call else None,
    )
    return outcome


def run_prompt_skill(skill: PromptSkill, context: SkillContext) -> SkillOutcome:
    """What the agent is told to go by; nothing is called."""
    started = time.monotonic()
    run = open_run(skill, context)
    outcome = _prompt(skill, context)
    close_run(run, outcome.status, started=started, error_code=outcome.error_code)
    return outcome


def refuse_skill(skill: Skill, context: SkillContext, decision: PolicyDecision) -> SkillOutcome:
    """One of any kind that was asked for by its command; on record like any other refusal."""
    started = time.monotonic()
    run = open_run(skill, context)
    _record_denial(skill, context, decision)
    outcome = _denied(decision.reason_code, decision.reason)
    close_run(run, outcome.status, started=started, error_code=outcome.error_code)
    return outcome


def _prompt(skill: PromptSkill, context: SkillContext) -> SkillOutcome:
    actor, manifest = context.actor, skill.manifest
    decision = decide_skill(manifest, given_for_skill(actor.user, actor.agent_id, manifest))
    if not decision.allowed:
        _record_denial(skill, context, decision)
        return _denied(decision.reason_code, decision.reason)
    try:
        instruction = skill.instruction(context)
    except Exception:
        log.exception("the skill %s could not say what to go by", manifest)
        return _failed(RunStatus.FAILED, "skill_failed", _("The skill failed."))
    return SkillOutcome(status=RunStatus.SUCCEEDED, instruction=instruction)


def idempotency_key(skill: AnyToolSkill, context: SkillContext, number: int) -> str:
    """Tool, source message and the number of the call in the turn. Not the person: the message is
    one person's, and the ledger outlives them.
    """
    return f"skill:{skill.tool_id}:{context.message_id}:{number}"


def _run(skill: AnyToolSkill, context: SkillContext, number: int, caller: Caller) -> SkillOutcome:
    actor, manifest = context.actor, skill.manifest
    decision = decide_skill(manifest, given_for_skill(actor.user, actor.agent_id, manifest))
    if decision.denied:
        _record_denial(skill, context, decision)
        return _denied(decision.reason_code, decision.reason)
    if number >= skill.max_calls_per_turn:
        return _failed(RunStatus.FAILED, "too_many_calls", _("Too many calls for one message."))
    arguments = _arguments(skill, context)
    if arguments is None:
        return _failed(RunStatus.INVALID, "invalid_input", _("The input is not valid."))
    return _call(skill, context, arguments, number, caller)


def _arguments(skill: AnyToolSkill, context: SkillContext) -> dict[str, Any] | None:
    """As its own input model has them; None for what is none."""
    try:
        given = skill.input_model.model_validate(dict(skill.build_input(context)))
    except ValidationError:
        return None
    except Exception:
        log.exception("the skill %s could not build its input", skill.manifest)
        return None
    arguments: dict[str, Any] = given.model_dump(mode="json", exclude_none=True)
    return arguments


def _call(
    skill: AnyToolSkill,
    context: SkillContext,
    arguments: dict[str, Any],
    number: int,
    caller: Caller,
) -> SkillOutcome:
    try:
        call = call_for_skill(
            skill,
            arguments,
            context,
            caller,
            origin=Origin.SKILL,
            key=idempotency_key(skill, context, number),
            timeout_ms=skill.timeout_ms,
        )
    except (IdempotencyKeyReused, Conflict) as error:
        return _failed(RunStatus.FAILED, error.code, error.message)
    return _told(skill, call)


def _told(skill: AnyToolSkill, call: CallOutcome) -> SkillOutcome:
    if call.draft is not None:
        return SkillOutcome(status=RunStatus.WAITING, instruction=WAITING, call=call)
    if call.result is None:
        return _not_done(call)
    try:
        output: BaseModel = skill.output_model.model_validate(call.result.data)
        instruction = skill.build_system_instruction(output)
    except Exception:
        log.exception("the skill %s can't use what its tool gave", skill.manifest)
        failed = _failed(RunStatus.FAILED, "invalid_output", _("The result is not valid."))
        return replace(failed, call=call)
    return SkillOutcome(status=RunStatus.SUCCEEDED, instruction=instruction, call=call)


def _not_done(call: CallOutcome) -> SkillOutcome:
    error = call.error or CallError("tool_error", _("The tool failed."))
    if call.call.status == CallStatus.DENIED:
        return replace(_denied(error.code, error.message), call=call)
    late = call.call.status == CallStatus.TIMEOUT
    status = RunStatus.TIMEOUT if late else RunStatus.FAILED
    return replace(_failed(status, error.code, error.message), call=call)


def _record_denial(skill: Skill, context: SkillContext, decision: PolicyDecision) -> None:
    """Nothing was called, so the ledger has no row: the event alone tells of it."""
    audit.record(
        "policy.decided",
        audit.Outcome.DENIED,
        actor=replace(context.actor, origin=Origin.SKILL),
        target=("message", context.message_id) if context.message_id else None,
        tool=next(iter(skill.tool_ids), ""),
        skill=skill.manifest.skill_id,
        skill_version=skill.manifest.version,
        reason_code=decision.reason_code,
        metadata={"decision": decision.outcome.value, "missing": list(decision.missing)},
    )


def _denied(code: str, reason: str) -> SkillOutcome:
    instruction = DENIED + reason
    status = RunStatus.DENIED
    return SkillOutcome(status=status, instruction=instruction, error_code=code, message=reason)


def _failed(status: RunStatus, code: str, message: str) -> SkillOutcome:
    return SkillOutcome(status=status, instruction=FAILED, error_code=code, message=message)
