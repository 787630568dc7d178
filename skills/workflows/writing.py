"""The document of a workflow: through the gate, as a card that the person confirms.

Called again for the same message it finds its call, and what has become of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from config.base.actor import Origin
from config.base.errors import LeaseLost
from skills.calls import Caller, call_for_skill
from skills.context import SkillContext
from skills.definitions import WorkflowSkill
from skills.enums import RunStatus, SessionState
from skills.models import WorkflowMove, WorkflowSession
from skills.workflows import texts
from skills.workflows.cards import call_key, last_key
from skills.workflows.moving import Change, lock, note_use
from skills.workflows.services import complete_session
from tools.enums import CallStatus
from tools.models import ActionDraft, ToolCall
from tools.outcomes import CallError, CallOutcome, outcome_of_draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the agent says; with a `draft`, once the person has decided about it."""

    text: str = ""
    draft: ActionDraft | None = None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Writing:
    """One message by which a session may have come to its document."""

    skill: WorkflowSkill
    session: WorkflowSession
    move: WorkflowMove
    context: SkillContext
    caller: Caller
    now: datetime

    @property
    def key(self) -> str:
        return call_key(self.session, self._message_id)

    @property
    def _message_id(self) -> UUID:
        message_id = self.move.message_id
        assert message_id is not None, "a turn has its message"
        return message_id

    def is_asked_for(self) -> bool:
        """Everything was answered by then, or it was asked for at an earlier coming."""
        if self.session.revision == self.move.n:
            return self.session.is_ready
        return ToolCall.objects.filter(idempotency_key=self.key).exists()

    def hold(self) -> None:
        """In the transaction that parks the card or writes: only what is asked for is written.

        Raises `LeaseLost` when the run, or the session, has moved on.
        """
        if self.caller.fence:
            self.caller.fence()
        held = lock(self.context.actor, self.session.pk)
        if held.state != SessionState.ACTIVE or held.revision != self.move.n:
            raise LeaseLost


def write(writing: Writing) -> Reply:
    """Raises `LeaseLost` when the caller lost its run."""
    outcome = _earlier_outcome(writing)
    if outcome is None:
        if _has_moved_on(writing):
            return Reply(text=texts.over(writing.session, writing.skill.manifest.name))
        outcome = _call(writing)
    return _told(writing, outcome) if outcome else _overtaken(writing)


def _earlier_outcome(writing: Writing) -> CallOutcome | None:
    """Of the card that was made for this message, whatever the session has become since."""
    call = ToolCall.objects.filter(idempotency_key=writing.key).first()
    draft = ActionDraft.objects.filter(call=call).first() if call else None
    return outcome_of_draft(call, draft) if call and draft else None


def _has_moved_on(writing: Writing) -> bool:
    session = writing.session
    return session.state != SessionState.ACTIVE or session.revision != writing.move.n


def _call(writing: Writing) -> CallOutcome | None:
    """None when the session moved on meanwhile, in another process or by another message."""
    skill, context = writing.skill, writing.context
    try:
        return call_for_skill(
            skill,
            skill.build_arguments(_answers(writing), context),
            context,
            replace(writing.caller, fence=writing.hold),
            origin=Origin.WORKFLOW,
            key=writing.key,
        )
    except LeaseLost:
        writing.caller.look_up()
        return None


def _answers(writing: Writing) -> dict[str, Any]:
    kept = writing.session.answers
    return {step.name: kept.get(step.name) for step in writing.skill.steps}


def _overtaken(writing: Writing) -> Reply:
    writing.session.refresh_from_db()
    return Reply(text=texts.over(writing.session, writing.skill.manifest.name))


# --- What came of it ---


def _told(writing: Writing, outcome: CallOutcome) -> Reply:
    _note(writing, outcome)
    tool = outcome.call.tool_slug
    if outcome.draft is not None:
        return Reply(draft=outcome.draft, tool=tool)
    if outcome.result is not None:
        receipt = outcome.result.receipt or outcome.result.data
        return Reply(text=_written(writing.skill, receipt), tool=tool)
    error = outcome.error or CallError("tool_error", _("The tool failed."))
    return Reply(text=_not_written(writing, error), tool=tool)


def _note(writing: Writing, outcome: CallOutcome) -> None:
    """On the session and its use; written, it is completed."""
    session, call = writing.session, outcome.call
    with transaction.atomic():
        rows = WorkflowSession.objects.filter(pk=session.pk)
        if outcome.result is not None:
            rows.update(tool_call_id=call.pk)
            complete_session(Change(writing.context.actor, session.pk, writing.now))
            return
        held = lock(writing.context.actor, session.pk)
        if _is_last(held, call):
            rows.update(tool_call_id=call.pk)
        session.refresh_from_db()
        if session.tool_call_id == call.pk and session.is_open:
            code = outcome.error.code if outcome.error else ""
            note_use(session, _use_status(outcome), error_code=code)


def _is_last(session: WorkflowSession, call: ToolCall) -> bool:
    """A run that goes on late tells of a call that another came after."""
    if session.tool_call_id is None:
        return True
    noted = ToolCall.objects.filter(pk=session.tool_call_id)
    keys = noted.values_list("idempotency_key", flat=True)
    return last_key(session, {*keys, call.idempotency_key}) == call.idempotency_key


_UNDECIDED = (CallStatus.DISMISSED, CallStatus.EXPIRED, CallStatus.CANCELLED)


def _use_status(outcome: CallOutcome) -> RunStatus:
    """Of a session that goes on: what was refused waits for what it was refused for."""
    if outcome.draft is not None or outcome.call.status == CallStatus.DENIED:
        return RunStatus.WAITING
    return RunStatus.RUNNING if outcome.call.status in _UNDECIDED else RunStatus.FAILED


def _written(skill: WorkflowSkill, receipt: Mapping[str, Any]) -> str:
    link = skill.link_to(receipt)
    revision = receipt.get("revision")
    told = _("“%(skill)s” is done.") % {"skill": skill.manifest.name}
    where = _("It is written: %(link)s") % {"link": link} if link else ""
    which = _("(revision %(revision)s).") % {"revision": revision} if revision else ""
    return " ".join(filter(None, [told, where, which]))


def _not_written(writing: Writing, error: CallError) -> str:
    session, name = writing.session, writing.skill.manifest.name
    said = _("Nothing was written. %(reason)s") % {"reason": error.message}
    session.refresh_from_db()
    if not session.is_open:
        return texts.over(session, name)
    if session.state == SessionState.PAUSED:
        return f"{said}\n\n{texts.paused(name)}"
    if session.revision != writing.move.n:
        return said  # what came after it says how to go on
    return f"{said}\n\n{texts.how_to_go_on()}"
