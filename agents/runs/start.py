"""Starting a turn: the request only inserts; a RunHost drives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.models import Agent, Conversation, MessageRole, Run, RunStatus
from agents.runs import events
from agents.runs.actors import actor_of, role_in
from agents.runs.messages import count_message, insert_message
from agents.runs.projects import choose_project, list_memberships
from agents.selectors import oldest_agent
from config.base import audit
from config.base.actor import Origin
from config.base.digests import canonical_digest
from config.base.errors import Conflict, IdempotencyKeyReused, InvalidInput, NotFound
from config.base.idempotency import KEEP, check_key
from config.base.inserts import insert
from config.base.models import Membership, User
from config.base.wake import wake

MAX_TEXT_LENGTH = 100_000  # characters of one message
_TITLE_LENGTH = 80


class StaleContext(Conflict):
    default_message = gettext_lazy("Something was said in this conversation since you last looked.")
    code = "stale_context"


class RunActive(Conflict):
    default_message = gettext_lazy("The agent is still at work in this conversation.")
    code = "run_active"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    text: str
    agent: str = ""  # slug
    conversation_id: UUID | None = None
    context_version: int | None = None
    project: str = ""  # slug
    enable_tools: bool = False
    idempotency_key: str = ""
    origin: Origin = Origin.CHAT
    client: str = ""

    def digest(self) -> str:
        return canonical_digest(
            [
                self.text,
                self.agent,
                self.conversation_id,
                self.context_version,
                self.project,
                self.enable_tools,
            ]
        )


def start_turn(user: User, request: TurnRequest) -> Run:
    """Store the message and a queued run; for a day the same key joins the run that it started.

    Raises `InvalidInput`, `ProjectRequired`, `NotFound`, `StaleContext`, `RunActive`,
    `IdempotencyKeyReused`.
    """
    check_key(request.idempotency_key)
    joined = run_of_key(user, request)
    if joined:
        return joined
    _check_text(request.text)
    try:
        with transaction.atomic():
            run = _insert(user, request)
            transaction.on_commit(wake)
    except (IntegrityError, Conflict):
        # A twin with the same key was first, and it is its run that is in the way.
        joined = run_of_key(user, request)
        if joined is None:
            raise
        return joined
    return run


def run_of_key(user: User, request: TurnRequest) -> Run | None:
    """The run that this request has started already. Raises `IdempotencyKeyReused`."""
    if not request.idempotency_key:
        return None
    runs = Run.objects.for_user(user).filter(idempotency_key=request.idempotency_key)
    runs.filter(created_at__lt=Now() - KEEP).update(idempotency_key="")
    run = runs.first()
    if run is not None and run.request_digest != request.digest():
        raise IdempotencyKeyReused
    return run


def _check_text(text: str) -> None:
    if not text.strip():
        raise InvalidInput(_("Write a message."), code="required")
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidInput(
            _("A message has at most %(n)s characters.") % {"n": MAX_TEXT_LENGTH}, code="too_long"
        )
    if "\x00" in text:
        raise InvalidInput(_("A message can't hold NUL characters."), code="invalid")


def _insert(user: User, request: TurnRequest) -> Run:
    memberships = list(list_memberships(user))
    if (going_on := request.conversation_id) is None:
        conversation = _new_conversation(user, request, memberships)
    else:
        conversation = _next_round(user, going_on, request, memberships)
    run = _new_run(user, request, conversation)
    run.role = role_in(conversation.project, user, memberships)
    insert([run])
    insert_message(conversation, MessageRole.USER, request.text, run=run, provenance=["own"])
    events.note(run, "run.started", _started(run))  # told at once, however busy the drivers are
    audit.record(
        "run.created", audit.Outcome.SUCCEEDED, actor=actor_of(run), target=("run", run.pk)
    )
    return run


def _new_run(user: User, request: TurnRequest, conversation: Conversation) -> Run:
    return Run(
        owner=user,
        agent=conversation.agent,
        project=conversation.project,
        conversation=conversation,
        context_version=conversation.context_version,
        client=request.client,
        origin=request.origin,
        idempotency_key=request.idempotency_key,
        request_digest=request.digest(),
        enable_tools=request.enable_tools,
        preview=user.is_staff,
        status=RunStatus.QUEUED,
        last_seq=1,  # `run.started`
    )


def _started(run: Run) -> dict[str, Any]:
    return {
        "run_id": str(run.pk),
        "conversation_id": str(run.conversation_id),
        "context_version": run.context_version,
    }


def _new_conversation(
    user: User, request: TurnRequest, memberships: Sequence[Membership]
) -> Conversation:
    """With the counts that its first message gives it."""
    conversation = Conversation(
        owner=user,
        agent=_agent(user, request.agent, memberships),
        project=choose_project(memberships, request.project),
        title=Truncator(" ".join(request.text.split())).chars(_TITLE_LENGTH),
    )
    if request.context_version is not None:
        _check_version(conversation, request.context_version)
    conversation.context_version = conversation.message_count = 1
    insert([conversation])
    return conversation


def _next_round(
    user: User, conversation_id: UUID, request: TurnRequest, memberships: Sequence[Membership]
) -> Conversation:
    """Held until the end of the transaction, and counted on."""
    conversation = _conversation(user, conversation_id, request, memberships)
    if request.context_version is not None:
        _check_version(conversation, request.context_version)
    busy = Run.objects.filter(
        conversation=conversation, status__in=(RunStatus.QUEUED, RunStatus.RUNNING)
    ).values_list("pk", flat=True)
    if active := busy.first():
        raise RunActive(run_id=str(active))
    conversation.context_version += 1
    count_message(conversation, MessageRole.USER, context_version=conversation.context_version)
    return conversation


def _conversation(
    user: User, conversation_id: UUID, request: TurnRequest, memberships: Sequence[Membership]
) -> Conversation:
    rows = Conversation.objects.for_user(user).select_for_update(of=("self",))
    conversation = rows.select_related("agent", "project").filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound
    if not _may_use(conversation.agent, user, memberships):
        raise NotFound(_("This agent is not available to you any more."))
    if request.agent and request.agent != conversation.agent.slug:
        raise InvalidInput(_("The conversation is with another agent."), code="agent_mismatch")
    if request.project and choose_project(memberships, request.project) != conversation.project:
        raise InvalidInput(_("The conversation is in another project."), code="project_mismatch")
    return conversation


def _agent(user: User, slug: str, memberships: Sequence[Membership]) -> Agent:
    if "\x00" in slug:
        raise NotFound  # no database can even look for it
    named = Agent.objects.filter(slug=slug) if slug else Agent.objects.filter(enabled=True)
    agent = oldest_agent(one for one in named if _may_use(one, user, memberships))
    if agent is None:
        raise NotFound(_("There is no such agent for you."))
    return agent


def _may_use(agent: Agent, user: User, memberships: Sequence[Membership]) -> bool:
    roles = {one.role for one in memberships}
    return agent.enabled and (user.is_staff or agent.is_open_to_roles(roles))


def _check_version(conversation: Conversation, expected: int) -> None:
    if conversation.context_version != expected:
        raise StaleContext(context_version=conversation.context_version)
