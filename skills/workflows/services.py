"""What a person does with a workflow. Each is one transaction, with one move and one event.

A message moves a session once: at its next coming each of these finds the move of the first.
"""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.base.actor import Actor
from config.base.errors import InvalidInput
from config.base.models import User
from skills.context import SkillContext
from skills.definitions import WorkflowSkill
from skills.enums import MoveKind, SessionState
from skills.errors import (
    SkillOff,
    StepNeeded,
    UnknownSkill,
    WorkflowActive,
    WorkflowNotReady,
)
from skills.given import given_for_skill
from skills.models import WorkflowSession
from skills.runs import open_run
from skills.steps import Reading, first_open
from skills.workflows.installed import fit_to, skill_of
from skills.workflows.moving import Change, Moved, keep, move, require_active
from skills.workflows.selectors import find_move
from skills.workflows.words import find_step


def start_session(skill: WorkflowSkill, context: SkillContext, *, now: datetime) -> Moved:
    """With the message of the context, in its conversation. Raises `SkillOff`, `WorkflowActive`."""
    message_id, conversation_id = context.message_id, context.conversation_id
    if message_id is None or conversation_id is None:
        raise InvalidInput(_("A workflow begins with a message of a conversation."))
    session = WorkflowSession(
        user=context.actor.user,
        agent_id=context.agent_id,
        conversation_id=conversation_id,
        message_id=message_id,
        skill_id=skill.manifest.skill_id,
        version=skill.manifest.version,
        step=skill.steps[0].name,
    )
    change = Change(context.actor, session.pk, now, message_id)
    try:
        with transaction.atomic():
            return _find_earlier(context.actor.user, message_id) or _begin(
                skill, context, session, change
            )
    except IntegrityError as error:
        twin = _find_earlier(context.actor.user, message_id)
        if twin is None:
            raise WorkflowActive from error
        return twin


def _find_earlier(user: User, message_id: UUID) -> Moved | None:
    made = find_move(user, message_id)
    return Moved(made.session, made) if made else None


def _begin(
    skill: WorkflowSkill, context: SkillContext, session: WorkflowSession, change: Change
) -> Moved:
    _require_enabled(context.actor, context.agent_id, skill)
    open_run(skill, context)
    return keep(change, session, MoveKind.STARTED, session.step)


def answer_step(change: Change, text: str) -> Moved:
    """The step that is asked. Raises `AnswerRefused`, `WorkflowPaused`, `WorkflowOver`,
    `UnknownSkill`, `SkillOff`; then nothing has changed.
    """

    def apply(session: WorkflowSession) -> str:
        skill = _usable(change.actor, session)
        step = skill.step(session.step)
        if step is None:
            raise InvalidInput(_("Nothing is asked any more."), code="nothing_asked")
        session.answers = {**session.answers, step.name: step.read(text, _reading(change))}
        session.step = first_open(skill.steps, session.answers)
        return step.name

    return move(change, MoveKind.ANSWERED, apply)


def skip_step(change: Change) -> Moved:
    """Leave out what is optional; what has an answer keeps it. Raises `StepNeeded`, and what
    `answer_step` does.
    """

    def apply(session: WorkflowSession) -> str:
        skill = _usable(change.actor, session)
        step = skill.step(session.step)
        if step is None:
            raise InvalidInput(_("Nothing is asked any more."), code="nothing_asked")
        if not step.optional and step.name not in session.answers:
            raise StepNeeded
        session.answers = {step.name: None, **session.answers}
        session.step = first_open(skill.steps, session.answers)
        return step.name

    return move(change, MoveKind.SKIPPED, apply)


def correct_answer(change: Change, name: str, text: str) -> Moved:
    """Of any step, whatever is asked; what waits to be confirmed is taken back.

    `name`: as a person calls it. Raises `InvalidInput` for one that there is none of, and what
    `answer_step` does.
    """

    def apply(session: WorkflowSession) -> str:
        skill = _usable(change.actor, session)
        step = find_step(skill, name)
        if step is None:
            labels = ", ".join(str(one.label) for one in skill.steps)
            known = _("You can change: %(names)s.") % {"names": labels}
            raise InvalidInput(known, code="unknown_step")
        session.answers = {**session.answers, step.name: step.read(text, _reading(change))}
        if session.step == step.name:
            session.step = first_open(skill.steps, session.answers)
        return step.name

    return move(change, MoveKind.CORRECTED, apply)


def go_back(change: Change) -> Moved:
    """Ask the step before again; its answer stays until there is another."""

    def apply(session: WorkflowSession) -> str | None:
        names = [step.name for step in _usable(change.actor, session).steps]
        at = names.index(session.step) if session.step else len(names)
        if at == 0:
            return None
        session.step = names[at - 1]
        return session.step

    return move(change, MoveKind.WENT_BACK, apply)


def ask_for_document(change: Change) -> Moved:
    """Once each step has its answer. Raises `WorkflowNotReady`, and what `answer_step` does."""

    def apply(session: WorkflowSession) -> str:
        _usable(change.actor, session)
        if not session.is_ready:
            raise WorkflowNotReady
        return ""

    return move(change, MoveKind.ASKED, apply)


def pause_session(change: Change) -> Moved:
    """Other messages are messages again. Raises `WorkflowOver`."""

    def apply(session: WorkflowSession) -> str | None:
        if session.state == SessionState.PAUSED:
            return None
        session.state = SessionState.PAUSED
        return session.step

    return move(change, MoveKind.PAUSED, apply)


def resume_session(change: Change) -> Moved:
    """Raises `WorkflowActive` where another is under way, `WorkflowOver`, `UnknownSkill`,
    `SkillOff`.
    """

    def apply(session: WorkflowSession) -> str | None:
        if session.state == SessionState.ACTIVE:
            return None
        skill = _installed(session)
        _require_enabled(change.actor, session.agent_id, skill)
        fit_to(session, skill)
        session.state = SessionState.ACTIVE
        return session.step

    try:
        with transaction.atomic():
            return move(change, MoveKind.RESUMED, apply)
    except IntegrityError as error:
        raise WorkflowActive from error


def cancel_session(change: Change) -> Moved:
    """What was answered is kept no longer than that of others that have ended; nothing is written.

    Raises `WorkflowOver`.
    """
    return move(change, MoveKind.CANCELLED, _as_it_stands)


def end_session(change: Change) -> Moved:
    """Its skill is gone, or another than it began with."""
    return move(change, MoveKind.ENDED, _as_it_stands, ends=True)


def forget_session(change: Change) -> Moved:
    """With its conversation; due or not."""
    return move(change, MoveKind.CANCELLED, _as_it_stands, ends=True)


def expire_session(change: Change) -> Moved:
    """If nobody has gone on with it in time; else nothing."""

    def apply(session: WorkflowSession) -> str | None:
        return session.step if session.expires_at <= change.now else None

    return move(change, MoveKind.EXPIRED, apply, ends=True)


def complete_session(change: Change) -> Moved:
    """Its document is written. One that has ended stays as it is."""
    return move(change, MoveKind.COMPLETED, _as_it_stands, ends=True)


def _as_it_stands(session: WorkflowSession) -> str:
    return session.step


def _usable(actor: Actor, session: WorkflowSession) -> WorkflowSkill:
    require_active(session)
    skill = _installed(session)
    _require_enabled(actor, session.agent_id, skill)
    fit_to(session, skill)
    return skill


def _installed(session: WorkflowSession) -> WorkflowSkill:
    skill = skill_of(session)
    if skill is None:
        raise UnknownSkill
    return skill


def _require_enabled(actor: Actor, agent_id: UUID | None, skill: WorkflowSkill) -> None:
    manifest = skill.manifest
    if not given_for_skill(actor.user, agent_id, manifest).is_enabled(manifest):
        raise SkillOff


def _reading(change: Change) -> Reading:
    return Reading(now=change.now, time_zone=change.actor.user.time_zone)
