"""A session as its person sees it: in the API, beside its conversation, on the page of skills."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.utils import timezone
from pydantic import JsonValue

from config.base.models import User
from skills.enums import SessionState, StepKind
from skills.models import WorkflowSession
from skills.registry import find_skill
from skills.workflows.cards import sessions_with_cards
from skills.workflows.installed import skill_of
from skills.workflows.selectors import list_going_on

type StepState = Literal["answered", "skipped", "asked", "open"]

MOST = 20  # sessions on a page that is about something else


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """`answer`: as it is kept; `text`: as a person reads it, empty without one."""

    name: str
    label: str
    question: str
    kind: StepKind
    optional: bool
    state: StepState
    answer: JsonValue
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSession:
    """`number`: of the step that is asked; `count` of them all. All answered: number is count;
    its skill is gone: there are none, and it is not ready.
    """

    id: UUID
    name: str
    conversation_id: UUID
    is_paused: bool
    number: int
    count: int
    label: str  # of the step that is asked; empty where none is
    revision: int
    is_ready: bool  # each step has its answer: what will be written can be shown
    has_card: bool  # it is shown, or written already
    updated_at: datetime
    expires_at: datetime


def steps_of(session: WorkflowSession) -> list[ShownStep]:
    """By the definition that it goes by now; none once that is gone."""
    skill = skill_of(session)
    return [
        ShownStep(
            name=step.name,
            label=str(step.label),
            question=str(step.question),
            kind=step.kind,
            optional=step.optional,
            state=_state(session, step.name),
            answer=(kept := session.answers.get(step.name)),
            text="" if kept is None else step.show(kept),
        )
        for step in (skill.steps if skill else ())
    ]


def name_of(session: WorkflowSession) -> str:
    """As its newest version calls it; its id once it is gone."""
    skill = find_skill(session.skill_id)
    return str(skill.manifest.name) if skill else session.skill_id


def show(session: WorkflowSession, *, has_card: bool) -> ShownSession:
    steps = steps_of(session)
    names = [step.name for step in steps]
    unanswered = (name for name in names if name not in session.answers)
    step = session.step if session.step in names else next(unanswered, "")
    asked = names.index(step) if session.step and step else None
    return ShownSession(
        id=session.pk,
        name=name_of(session),
        conversation_id=session.conversation_id,
        is_paused=session.state == SessionState.PAUSED,
        number=len(steps) if asked is None else asked + 1,
        count=len(steps),
        label="" if asked is None else steps[asked].label,
        revision=session.revision,
        is_ready=session.is_ready and bool(steps),
        has_card=has_card,
        updated_at=session.updated_at,
        expires_at=session.expires_at,
    )


def show_open(user: User, conversation_id: UUID | None = None) -> list[ShownSession]:
    """For `templates/skills/_sessions.html` and `templates/chat/_workflow.html`; one query,
    and one more where a card may wait.

    Without a conversation they are those of all, the last that was touched first.
    """
    rows = list_going_on(user, timezone.now())
    if conversation_id is not None:
        rows = rows.filter(conversation_id=conversation_id)
    sessions = list(rows[:MOST])
    with_cards = sessions_with_cards(sessions)
    return [show(session, has_card=session.pk in with_cards) for session in sessions]


def _state(session: WorkflowSession, name: str) -> StepState:
    if session.is_open and session.step == name:
        return "asked"
    if name not in session.answers:
        return "open"
    return "skipped" if session.answers[name] is None else "answered"
