"""A message and the workflows of its conversation: the active one takes it, or one starts.

`take` moves a session, within the caller's transaction; `reply` then says what has become of it,
and may be asked again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from config.base.errors import InvalidInput
from skills.calls import Caller
from skills.context import SkillContext
from skills.definitions import WorkflowSkill
from skills.enums import MoveKind, SessionState, SkillKind
from skills.errors import SkillOff, WorkflowActive, WorkflowOver, WorkflowPaused
from skills.given import Given, all_given, given_for_skill
from skills.models import WorkflowMove, WorkflowSession
from skills.policy import decide_skill
from skills.selector import select
from skills.workflows import services, texts
from skills.workflows.cards import is_written, waiting_card
from skills.workflows.installed import skill_of
from skills.workflows.moving import Change, Moved
from skills.workflows.selectors import find_move, list_open
from skills.workflows.shown import name_of
from skills.workflows.words import Said, Word, understand, understand_paused
from skills.workflows.writing import Reply, Writing, write

_GOES_ON = (
    *(MoveKind.ANSWERED, MoveKind.SKIPPED, MoveKind.CORRECTED),
    *(MoveKind.WENT_BACK, MoveKind.ASKED, MoveKind.RESUMED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A message that was a workflow's. Without a move nothing has changed, for the `problem`."""

    session: WorkflowSession
    move: WorkflowMove | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """`taken`: None for a message that is nobody's here. `notices`: what has expired."""

    taken: Taken | None = None
    notices: tuple[str, ...] = ()


def starts_workflow(context: SkillContext) -> bool:
    """Whether the message proposes one; no query."""
    return select(context, Given(), SkillKind.WORKFLOW).rejected != "no_match"


def take(context: SkillContext, *, now: datetime, looks_back: bool) -> Met:
    """`looks_back`: the message may have come before; then it is what it was."""
    actor, message_id = context.actor, context.message_id
    if message_id is None or actor.conversation_id is None:
        return Met()
    if looks_back and (made := find_move(actor.user, message_id)):
        return Met(taken=Taken(session=made.session, move=made))
    sessions = list_open(actor.user, actor.conversation_id)
    due = [session for session in sessions if session.expires_at <= now]
    notices = [_expire(Change(actor, session.pk, now)) for session in due]
    if due:  # another process may have gone on with one of them
        sessions = list_open(actor.user, actor.conversation_id)
    taken = _taken(context, next(iter(sessions), None), now)
    return Met(taken=taken, notices=tuple(filter(None, notices)))


def _expire(change: Change) -> str:
    moved = services.expire_session(change)
    return texts.expired(name_of(moved.session)) if moved.has_expired else ""


def _taken(context: SkillContext, current: WorkflowSession | None, now: datetime) -> Taken | None:
    if current is None:
        return _start(context, now)
    change = _change(context, current, now)
    is_active = current.state == SessionState.ACTIVE
    word = None if is_active else understand_paused(context.text)
    if not is_active and word is None:
        return _start(context, now)
    if current.is_ready and is_written(current):
        return _tried(current, lambda: services.complete_session(change))
    return _go_back_to(current, word, change) if word else _go_on(context, current, change)


def _start(context: SkillContext, now: datetime) -> Taken | None:
    if not starts_workflow(context):
        return None
    given = all_given(context.actor.user, context.agent_id)
    skill = select(context, given, SkillKind.WORKFLOW).skill
    if not isinstance(skill, WorkflowSkill):
        return None
    try:
        moved = services.start_session(skill, context, now=now)
    except (SkillOff, WorkflowActive):  # since a moment ago
        return None
    return Taken(session=moved.session, move=moved.move)


def _go_back_to(session: WorkflowSession, word: Word, change: Change) -> Taken:
    if word == Word.CANCEL:
        return _tried(session, lambda: services.cancel_session(change))
    if skill_of(session) is None:
        return _tried(session, lambda: services.end_session(change))
    return _tried(session, lambda: services.resume_session(change))


def _go_on(context: SkillContext, session: WorkflowSession, change: Change) -> Taken:
    skill = skill_of(session)
    if skill is None:
        return _tried(session, lambda: services.end_session(change))
    said = understand(context.text, skill, is_ready=session.is_ready)
    if said.word == Word.CANCEL:
        return _tried(session, lambda: services.cancel_session(change))
    if said.word == Word.PAUSE or not _is_enabled(context, skill):
        return _tried(session, lambda: services.pause_session(change))
    return _said(session, skill, said, change)


def _said(session: WorkflowSession, skill: WorkflowSkill, said: Said, change: Change) -> Taken:
    if said.word == Word.OTHER_SKILL:
        return Taken(session=session, problem=texts.no_command(skill))
    if said.word == Word.ANSWER and session.is_ready:
        return Taken(session=session, problem=_waits_or_how(session))
    acts: dict[Word, Callable[[], Moved]] = {
        Word.ANSWER: lambda: services.answer_step(change, said.text),
        Word.SKIP: lambda: services.skip_step(change),
        Word.BACK: lambda: services.go_back(change),
        Word.CHANGE: lambda: services.correct_answer(change, said.name, said.text),
        Word.WRITE: lambda: services.ask_for_document(change),
        Word.RESUME: lambda: services.resume_session(change),
    }
    return _tried(session, acts[said.word])


def _waits_or_how(session: WorkflowSession) -> str:
    return texts.waits() if waiting_card(session) else texts.how_to_go_on()


def _tried(session: WorkflowSession, act: Callable[[], Moved]) -> Taken:
    """What is refused changes nothing, and is asked for again."""
    try:
        moved = act()
    except (InvalidInput, SkillOff, WorkflowActive) as error:
        return Taken(session=session, problem=error.message)
    except (WorkflowOver, WorkflowPaused):  # by another process, since it was looked up
        session.refresh_from_db()
        return Taken(session=session)
    return Taken(session=moved.session, move=moved.move)


def _is_enabled(context: SkillContext, skill: WorkflowSkill) -> bool:
    given = given_for_skill(context.actor.user, context.agent_id, skill.manifest)
    return given.is_enabled(skill.manifest)


def _change(context: SkillContext, session: WorkflowSession, now: datetime) -> Change:
    return Change(context.actor, session.pk, now, context.message_id)


# --- What is said ---


def reply(taken: Taken, context: SkillContext, caller: Caller, *, now: datetime) -> Reply:
    """Once more, it says the same as long as nothing has changed; a card is made once.

    Raises `LeaseLost` when the caller lost its run.
    """
    session, move = taken.session, taken.move
    skill = skill_of(session)
    if skill is None:
        return Reply(text=texts.gone(session.skill_id))
    if move is None:
        return Reply(text=_joined(taken.problem, _next(skill, session)))
    if move.kind == MoveKind.STARTED:
        return Reply(text=_joined(_begun(skill, context), texts.question(skill, session)))
    if move.kind not in _GOES_ON:
        return Reply(text=_ended(skill, session, context))
    writing = Writing(skill, session, move, context, caller, now)
    if writing.is_asked_for():
        return write(writing)
    said = texts.acknowledgement(skill, session, move)
    return Reply(text=_joined(said, _next(skill, session)))


def _begun(skill: WorkflowSkill, context: SkillContext) -> str:
    manifest = skill.manifest
    given = given_for_skill(context.actor.user, context.agent_id, manifest)
    decision = decide_skill(manifest, given)
    return texts.begun(skill, [one for one in manifest.permissions if one.code in decision.missing])


def _ended(skill: WorkflowSkill, session: WorkflowSession, context: SkillContext) -> str:
    name = skill.manifest.name
    said = texts.over(session, name)
    if session.state == SessionState.PAUSED and not _is_enabled(context, skill):
        return _joined(texts.switched_off(name), said)
    return said


def _next(skill: WorkflowSkill, session: WorkflowSession) -> str:
    if session.state == SessionState.ACTIVE:
        return texts.question(skill, session)
    return texts.over(session, skill.manifest.name)


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))
