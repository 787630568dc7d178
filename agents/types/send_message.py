"""The tool type `send_message`: a message into one of the person's own conversations."""

import uuid

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from agents.conversations import post_message
from agents.models import Conversation
from config.base.provenance import Provenance
from tools.enums import LogPayload, Risk
from tools.errors import ToolFailure
from tools.registry import register
from tools.schemas import Annotations, Plan, Preview, Target, ToolContext, ToolResult
from tools.tool_type import ToolConfig, ToolInput, ToolOutput, ToolType

HERE = "this"


class SendMessageConfig(ToolConfig):
    max_chars: int = Field(
        default=4_000, ge=1, le=100_000, description="Longer messages are refused."
    )
    only_this_conversation: bool = Field(
        default=False, description="Messages go nowhere but where the agent is being talked to."
    )


class SendMessageInput(ToolInput):
    conversation: str = Field(
        default=HERE,
        max_length=200,
        description="“this” for the conversation you are in, or the id or the exact title of "
        "another one of the user's.",
    )
    text: str = Field(description="What to say; Markdown.")


class SendMessageOutput(ToolOutput):
    conversation_id: str
    message_id: str
    position: int


@register
class SendMessageType(ToolType[SendMessageConfig, SendMessageInput]):
    name = "send_message"
    label = gettext_lazy("Send a message")
    config_model = SendMessageConfig
    output_model = SendMessageOutput
    log_payload = LogPayload.NONE  # what is said in conversations is nobody's log

    def input_model(self, config: SendMessageConfig) -> type[SendMessageInput]:
        return SendMessageInput

    def description(self, config: SendMessageConfig) -> str:
        where = (
            "the conversation you are in"
            if config.only_this_conversation
            else "one of the user's own conversations, this one or another"
        )
        return (
            f"Writes a message into {where}, to be read later; use it for what belongs elsewhere "
            "than in your answer. Nobody else can see it.\n"
            f"At most {config.max_chars} characters. Error codes: empty, limit, "
            "no_conversation, not_found, ambiguous, not_here."
        )

    def annotations(
        self, config: SendMessageConfig, arguments: SendMessageInput | None = None
    ) -> Annotations:
        return Annotations(read_only=False, risk=Risk.L2)

    def plan(
        self, arguments: SendMessageInput, config: SendMessageConfig, context: ToolContext
    ) -> Plan:
        _check_text(arguments.text, config.max_chars)
        conversation = _find(arguments.conversation, config, context)
        title = conversation.title or _("a conversation")
        return Plan(
            title=_("Write into “%(title)s”") % {"title": title},
            scope=_("your conversations"),
            arguments={"conversation": str(conversation.pk), "text": arguments.text},
            targets=(Target("conversation", str(conversation.pk), title=conversation.title),),
            preview=Preview("text", arguments.text),
            risk=Risk.L2,
            editable=("text",),
        )

    def execute(self, plan: Plan, config: SendMessageConfig, context: ToolContext) -> ToolResult:
        arguments = self.parse(plan, config)
        message = post_message(
            context.actor,
            uuid.UUID(arguments.conversation),
            arguments.text,
            provenance=sorted(context.provenance) or [Provenance.OWN],
        )
        told = {
            "conversation_id": str(message.conversation_id),
            "message_id": str(message.pk),
            "position": message.position,
        }
        return ToolResult(data=told, receipt=told)


def _check_text(text: str, most: int) -> None:
    if not text.strip():
        raise ToolFailure(_("There is nothing to say."), code="empty")
    if len(text) > most:
        message = _("A message has at most %(n)s characters.") % {"n": most}
        raise ToolFailure(message, code="limit")


def _find(named: str, config: SendMessageConfig, context: ToolContext) -> Conversation:
    """The conversation that is meant: one of the person's own, whoever the model names."""
    here = context.actor.conversation_id
    if named == HERE:
        if here is None:
            message = _("There is no conversation here; name one.")
            raise ToolFailure(message, code="no_conversation")
        named = str(here)
    found = _matches(named, context)
    if not found:
        raise ToolFailure(_("There is no such conversation."), code="not_found")
    if len(found) > 1:
        raise ToolFailure(_("Several have this title; give the id."), code="ambiguous")
    conversation = found[0]
    if config.only_this_conversation and conversation.pk != here:
        message = _("Messages may be sent into the present conversation only.")
        raise ToolFailure(message, code="not_here")
    return conversation


def _matches(named: str, context: ToolContext) -> list[Conversation]:
    """One more than is needed to see that there are several."""
    own = Conversation.objects.for_user(context.actor.user)
    try:
        return list(own.filter(pk=uuid.UUID(named)))
    except ValueError:
        return list(own.filter(title=" ".join(named.split())).exclude(title="")[:2])
