"""Suggests what to remember. There is no row before the person has confirmed it."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.memories import services, values
from agents.models.memory import MemoryLayer, MemoryStatus
from agents.types.memory_capture.card import plan_of
from agents.types.memory_capture.schemas import (
    ALL,
    COMPANY,
    KEEP_BOTH,
    PRIVATE,
    REPLACE,
    THIS,
    MemoryCaptureConfig,
    MemoryCaptureInput,
    MemoryCaptureOutput,
)
from agents.types.memory_capture.suggestion import Suggestion, suggested
from config.base.provenance import Provenance
from tools.enums import LogPayload, Risk
from tools.errors import ToolFailure
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import Choice, ToolType


@register
class MemoryCaptureType(ToolType[MemoryCaptureConfig, MemoryCaptureInput]):
    name = "memory_capture"
    label = gettext_lazy("Remember something")
    config_model = MemoryCaptureConfig
    output_model = MemoryCaptureOutput
    log_payload = LogPayload.NONE  # what is remembered of people is nobody's log
    argument_labels = {
        "text": gettext_lazy("Text"),
        "subject": gettext_lazy("Subject"),
        "importance": gettext_lazy("Importance, 1 to 5"),
    }
    choices = {
        "visibility": Choice(
            gettext_lazy("Who may know it?"),
            {
                PRIVATE: gettext_lazy("Only me"),
                COMPANY: gettext_lazy("Everybody in this project, once an operator accepts it"),
            },
        ),
        "if_similar": Choice(
            gettext_lazy("Something like it is remembered already. What shall become of that?"),
            {
                REPLACE: gettext_lazy("This replaces it"),
                KEEP_BOTH: gettext_lazy("Keep both"),
            },
        ),
        "layer": Choice(gettext_lazy("How long?"), dict(reversed(MemoryLayer.choices))),
        "agents": Choice(
            gettext_lazy("Who recalls it?"),
            {THIS: gettext_lazy("Only this agent"), ALL: gettext_lazy("All my agents")},
        ),
    }

    def input_model(self, config: MemoryCaptureConfig) -> type[MemoryCaptureInput]:
        return MemoryCaptureInput

    def description(self, config: MemoryCaptureConfig) -> str:
        return (
            "Suggests one fact or wish of the user to be remembered beyond this conversation. Use "
            "it when they ask you to remember something. Nothing is kept before they have "
            "confirmed it on a card, where they can change it and choose who may know it. Keep "
            "nothing that changes by itself, such as what is due today.\n"
            f"A text has at most {config.max_chars} characters. Error codes: required, limit, "
            "already_known, no_project, no_conversation, needs_input."
        )

    def annotations(
        self, config: MemoryCaptureConfig, arguments: MemoryCaptureInput | None = None
    ) -> Annotations:
        return Annotations(
            read_only=False, risk=Risk.L2, requires_approval=True, asks_each_time=True
        )

    def plan(
        self, arguments: MemoryCaptureInput, config: MemoryCaptureConfig, context: ToolContext
    ) -> Plan:
        """The same question each time: what is asked of the person is in `missing_fields`."""
        _check_text(arguments.text, config.max_chars)
        return plan_of(suggested(arguments, context), context.provenance)

    def execute(self, plan: Plan, config: MemoryCaptureConfig, context: ToolContext) -> ToolResult:
        suggestion = suggested(self.parse(plan, config), context)
        if suggestion.missing:
            message = _("Say first: %(names)s.") % {"names": ", ".join(suggestion.missing)}
            raise ToolFailure(message, code="needs_input")
        return _kept(suggestion, context)


def _check_text(text: str, most: int) -> None:
    if len(text) > most:
        message = _("A memory has at most %(n)s characters.") % {"n": most}
        raise ToolFailure(message, code="limit")
    values.clean_text(text)


def _kept(suggestion: Suggestion, context: ToolContext) -> ToolResult:
    asked = suggestion.arguments
    replaced = suggestion.similar.pk if suggestion.replaces and suggestion.similar else None
    memory = services.create_memory(
        context.actor,
        asked.text,
        agent_id=suggestion.agent_id,
        importance=asked.importance,
        provenance=sorted(context.provenance) or [Provenance.OWN],
        subject=asked.subject,
        layer=asked.layer,
        project_id=suggestion.project_id,
        replaces=replaced,
    )
    told = MemoryCaptureOutput(
        id=str(memory.pk),
        status=MemoryStatus(memory.status).value,
        visibility=memory.visibility,
        replaced=str(replaced) if replaced else None,
    ).model_dump(mode="json")
    return ToolResult(data=told, receipt={"action": "create", "id": told["id"]})
