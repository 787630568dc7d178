"""What is suggested, by whom, and what only the person can say of it."""

from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from agents.memories.recall import project_of
from agents.memories.services import require_member
from agents.memories.similar import find_similar
from agents.models import Memory
from agents.types.memory_capture.schemas import (
    COMPANY,
    REPLACE,
    THIS,
    UNDECIDED,
    MemoryCaptureInput,
)
from config.base.models import Project
from tools.errors import ToolFailure
from tools.models import ActionDraft
from tools.schemas import ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    arguments: MemoryCaptureInput
    agent_id: UUID | None  # None: all agents
    project_id: UUID | None  # of the company's
    project_name: str
    similar: Memory | None

    @property
    def replaces(self) -> bool:
        return self.similar is not None and self.arguments.if_similar == REPLACE

    @property
    def missing(self) -> tuple[str, ...]:
        asked = {"visibility": True, "if_similar": self.similar is not None}
        return tuple(
            name
            for name, is_asked in asked.items()
            if is_asked and getattr(self.arguments, name) == UNDECIDED
        )


def suggested(arguments: MemoryCaptureInput, context: ToolContext) -> Suggestion:
    """Raises `ToolFailure`: already_known, no_project, no_conversation."""
    actor = context.actor
    if _is_a_models_own(context):
        arguments = _without_choices(arguments)
    if arguments.layer == "session" and actor.conversation_id is None:
        message = _("There is no conversation that it could be remembered for.")
        raise ToolFailure(message, code="no_conversation")
    project = _project(context) if arguments.visibility == COMPANY else None
    agent_id = actor.agent_id if arguments.agents == THIS else None
    similar = find_similar(
        actor.user,
        arguments.text,
        agent_id=agent_id,
        project_id=project.pk if project else None,
    )
    if similar is not None and similar.is_same:
        message = _("This is remembered already; nothing was written.")
        raise ToolFailure(message, code="already_known", id=str(similar.memory.pk))
    return Suggestion(
        arguments=arguments if similar else arguments.model_copy(update={"if_similar": UNDECIDED}),
        agent_id=agent_id,
        project_id=project.pk if project else None,
        project_name=project.name if project else "",
        similar=similar.memory if similar else None,
    )


def _is_a_models_own(context: ToolContext) -> bool:
    """Before there is a card, what an agent's call says comes from the model alone."""
    if not context.actor.is_agent:
        return False
    return not ActionDraft.objects.filter(call_id=context.call_id).exists()


def _without_choices(arguments: MemoryCaptureInput) -> MemoryCaptureInput:
    """Who may know it, and what it replaces, no model says."""
    return arguments.model_copy(update={"visibility": UNDECIDED, "if_similar": UNDECIDED})


def _project(context: ToolContext) -> Project:
    """That of the conversation; no argument names one."""
    project_id = project_of(context.actor)
    project = Project.objects.filter(pk=project_id).first() if project_id else None
    if project is None:
        message = _("This conversation is in no project, so it can be remembered for you alone.")
        raise ToolFailure(message, code="no_project")
    require_member(context.actor, project.pk)
    return project
