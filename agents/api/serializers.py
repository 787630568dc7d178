"""Bodies and rows of the agent API."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from agents.api import examples
from agents.conversations import MAX_TITLE_LENGTH
from agents.giving import MAX_GIVEN
from agents.models import Agent, Consent, Conversation, Message, ResponseStatus, Run
from config.base.models import Membership
from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import ErrorSerializer, StrictSerializer
from tools.api.serializers import CallErrorSerializer, ToolDecisionSerializer
from tools.drafts.represent import draft_json
from tools.enums import ConsentKind, DraftState, Effect
from tools.models import ActionDraft


@answers_like(an_agent=examples.AGENT)
class AgentSerializer(serializers.ModelSerializer[Agent]):
    class Meta:
        model = Agent
        fields = ["id", "slug", "name", "mode"]


class GivenToolSerializer(StrictSerializer):
    tool = serializers.SlugField(max_length=50, help_text="Its slug.")
    enabled = serializers.BooleanField(
        required=False, default=True, help_text="Off: the agent does not have it for now."
    )
    needs_approval = serializers.BooleanField(
        required=False,
        default=None,
        allow_null=True,
        help_text="Null: as the tool says. It can only add approval.",
    )


@answers_like(tools_of_an_agent=examples.AGENT_TOOLS)
class AgentToolsSerializer(serializers.Serializer[Any]):
    by_default = serializers.BooleanField()
    tools = GivenToolSerializer(many=True)


@asked_like(two_tools=examples.SET_AGENT_TOOLS)
class SetAgentToolsSerializer(StrictSerializer):
    tools = serializers.ListField(child=GivenToolSerializer(), max_length=MAX_GIVEN)


@answers_like(a_project=examples.PROJECT)
class ProjectSerializer(serializers.ModelSerializer[Membership]):
    slug = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")

    class Meta:
        model = Membership
        fields = ["slug", "name", "role"]


@answers_like(a_conversation=examples.CONVERSATION)
class ConversationSerializer(serializers.ModelSerializer[Conversation]):
    agent = serializers.SlugRelatedField[Agent](slug_field="slug", read_only=True)
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)

    class Meta:
        model = Conversation
        fields = [
            "id",
            "title",
            "agent",
            "project",
            "context_version",
            "message_count",
            "last_reply_at",
            "last_reply_text",
            "unread",
            "created_at",
            "updated_at",
        ]


@asked_like(another_title={"title": "Minutes of May"})
class ChangeConversationSerializer(StrictSerializer):
    title = serializers.CharField(max_length=MAX_TITLE_LENGTH)


@answers_like(what_was_asked=examples.MESSAGE)
class MessageSerializer(serializers.ModelSerializer[Message]):
    run_id = serializers.UUIDField(allow_null=True)

    class Meta:
        model = Message
        fields = ["id", "position", "role", "text", "provenance", "run_id", "created_at"]


@answers_like(a_run=examples.RUN)
class RunSerializer(serializers.ModelSerializer[Run]):
    agent = serializers.SlugRelatedField[Agent](slug_field="slug", read_only=True)
    conversation_id = serializers.UUIDField(allow_null=True)

    class Meta:
        model = Run
        fields = [
            "id",
            "agent",
            "conversation_id",
            "context_version",
            "origin",
            "status",
            "response_status",
            "tools",
            "error_code",
            "input_tokens",
            "output_tokens",
            "created_at",
            "started_at",
            "finished_at",
        ]


EVENTS = [
    *("run.started", "step.started", "step.restarted", "tool.started", "tool.finished"),
    *("text.delta", "action.required", "run.paused", "run.finished", "error"),
]


def refuse_what_comes_later(value: Any) -> None:
    """A field that is part of the contract and not built yet is taken while it says nothing."""
    if value not in ([], {}, None):
        raise serializers.ValidationError(_("This is not supported yet."), code="not_supported")


_LATER: dict[str, Any] = {
    "required": False,
    "allow_null": True,
    "validators": [refuse_what_comes_later],
    "help_text": "Not supported yet: empty.",
}


@asked_like(
    arithmetic={"text": "What is 12.5% of 80?", "enable_tools": True},
    an_act={"text": "delete the document Minutes", "enable_tools": True},
)
class SendMessageSerializer(StrictSerializer):
    text = serializers.CharField(
        trim_whitespace=False, max_length=100_000, help_text="What the user says."
    )
    agent = serializers.SlugField(required=False, default="", help_text="Slug; none: the first.")
    conversation_id = serializers.UUIDField(required=False, default=None, allow_null=True)
    context_version = serializers.IntegerField(
        required=False, default=None, allow_null=True, min_value=0, max_value=2**31 - 1
    )
    project = serializers.SlugField(
        required=False, default="", help_text="Slug; needed when you are in several."
    )
    enable_tools = serializers.BooleanField(required=False, default=False)
    attachments = serializers.ListField(child=serializers.JSONField(), **_LATER)
    answers = serializers.DictField(**_LATER)
    broadcast_message_id = serializers.UUIDField(**_LATER)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What comes later has said nothing."""
        later = ("attachments", "answers", "broadcast_message_id")
        return {name: value for name, value in attrs.items() if name not in later}


class PreviewSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["text", "diff"])
    text = serializers.CharField(help_text="Shown as it is; a unified diff where `kind` says so.")


class TargetSerializer(serializers.Serializer[Any]):
    type = serializers.CharField()
    id = serializers.CharField()
    version = serializers.JSONField(
        allow_null=True, help_text="Text or a number: what it had when the draft was made."
    )
    title = serializers.CharField()


class SourceSerializer(serializers.Serializer[Any]):
    """Where something comes from."""

    type = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's own attribute of a field
    verified_at = serializers.DateTimeField(allow_null=True)
    url = serializers.CharField(required=False, help_text="Where it can be looked at, here.")


class ReceiptSerializer(serializers.Serializer[Any]):
    """What is kept for ever of an effect; a tool adds its own facts, never text."""

    action = serializers.CharField(required=False, help_text="What was done.")
    id = serializers.UUIDField(required=False, help_text="Of what it was done to.")
    revision = serializers.IntegerField(required=False)
    status_code = serializers.IntegerField(required=False)
    host = serializers.CharField(required=False)
    resolved_by_person = serializers.BooleanField(
        required=False, help_text="A person said that it had been done."
    )

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return instance


@answers_like(it_waits=examples.DRAFT)
class DraftSerializer(serializers.Serializer[ActionDraft]):
    """The shape of `tools.drafts.represent.draft_json`, which is what is sent."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(choices=DraftState.choices)
    tool = serializers.CharField(help_text="Its slug.")
    tool_name = serializers.CharField(help_text="As its operator called it.")
    tool_type = serializers.CharField()
    title = serializers.CharField()
    scope = serializers.CharField()
    preview = PreviewSerializer(allow_null=True)
    arguments = serializers.DictField()
    editable = serializers.ListField(child=serializers.CharField())
    missing_fields = serializers.ListField(child=serializers.CharField())
    targets = TargetSerializer(many=True)
    sources = SourceSerializer(many=True)
    reversible = serializers.BooleanField()
    risk = serializers.CharField()
    effect = serializers.ChoiceField(choices=Effect.choices, allow_blank=True)
    expires_at = serializers.DateTimeField()
    rememberable = serializers.BooleanField(
        help_text="Whether `remember` is taken when you confirm."
    )
    decision = ToolDecisionSerializer(allow_null=True)
    proposed_arguments = serializers.DictField()
    executed_arguments = serializers.DictField(allow_null=True)
    reason = serializers.CharField()
    reason_text = serializers.CharField()
    error = CallErrorSerializer(allow_null=True)
    receipt = ReceiptSerializer(allow_null=True)
    log_id = serializers.UUIDField(help_text="Its call in the log.")
    run_id = serializers.UUIDField(allow_null=True)
    conversation_id = serializers.UUIDField(allow_null=True)

    def to_representation(self, instance: ActionDraft) -> dict[str, Any]:
        return draft_json(instance)


class UsageSerializer(serializers.Serializer[Any]):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost_usd = serializers.CharField(allow_null=True)
    estimated = serializers.BooleanField()


class ChoiceSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # as `SourceSerializer.label`


class QuestionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The field of the next message that answers it.")
    label = serializers.CharField()  # type: ignore[assignment]  # as `SourceSerializer.label`
    kind = serializers.ChoiceField(["choice", "date", "text"])
    choices = ChoiceSerializer(many=True, required=False)


class ClarificationSerializer(serializers.Serializer[Any]):
    """What has to be known first."""

    question = serializers.CharField()
    fields = QuestionSerializer(many=True, help_text="At most three.")  # type: ignore[assignment]  # as `data` below


class DeniedSerializer(ToolDecisionSerializer):
    tool = serializers.CharField()


class ResponseDataSerializer(serializers.Serializer[Any]):
    decisions = DeniedSerializer(many=True, help_text="What was refused, and why.")


@answers_like(done=examples.COMPLETED, it_waits_for_you=examples.WAITING, later=examples.RUNNING)
class ResponseSerializer(serializers.Serializer[Any]):
    """The response to a turn; clients render from `status`, never from the text."""

    run_id = serializers.UUIDField(
        allow_null=True, help_text="Null: something is to be said first, see `clarification`."
    )
    conversation_id = serializers.UUIDField(allow_null=True)
    context_version = serializers.IntegerField()
    intent = serializers.CharField()
    status = serializers.ChoiceField(choices=ResponseStatus.choices)
    answer = serializers.CharField()
    source_summary = SourceSerializer(many=True)
    citations = serializers.ListField(
        child=serializers.DictField(), help_text="Passages that it read, and you may read now."
    )
    resources = serializers.ListField(
        child=serializers.DictField(), help_text="Files that it found, and you may have now."
    )
    data = ResponseDataSerializer()  # type: ignore[assignment]  # a field; DRF has a property of that name
    action_draft = DraftSerializer(allow_null=True)
    action_drafts = DraftSerializer(many=True, required=False)
    clarification = ClarificationSerializer(allow_null=True)
    next_actions = serializers.ListField(child=serializers.DictField())
    error = CallErrorSerializer(allow_null=True)
    warnings = serializers.ListField(child=serializers.CharField())
    usage = UsageSerializer()


class ToolAnswerSerializer(serializers.Serializer[Any]):
    """As the log keeps what it keeps: secrets masked, long ones cut."""

    data = serializers.DictField(  # type: ignore[assignment]  # DRF's own attribute
        help_text="Of one that was cut: `cut`, its beginning as text."
    )
    truncated = serializers.BooleanField()
    warnings = serializers.ListField(child=serializers.CharField())


@answers_like(confirmed=examples.DECIDED, later=examples.GOES_ON)
class DecidedSerializer(serializers.Serializer[Any]):
    draft = DraftSerializer()
    receipt = ReceiptSerializer(allow_null=True, required=False)
    result = ToolAnswerSerializer(
        allow_null=True,
        required=False,
        help_text="What the tool answered; null where it was not executed.",
    )
    response = ResponseSerializer(allow_null=True)


class DraftConflictSerializer(ErrorSerializer):
    """With the draft as it is by now, to be shown at once."""

    draft = DraftSerializer(required=False)


@answers_like(a_consent=examples.CONSENT)
class ConsentSerializer(serializers.ModelSerializer[Consent]):
    conversation_id = serializers.UUIDField()

    class Meta:
        model = Consent
        fields = ["id", "conversation_id", "kind", "service", "given_at", "until"]


@asked_like(
    allow={"conversation_id": examples.CONSENT["conversation_id"], "kind": "web", "granted": True}
)
class AnswerConsentSerializer(StrictSerializer):
    conversation_id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ConsentKind.choices)
    granted = serializers.BooleanField(help_text="False: what asks is dismissed.")


@answers_like(a_piece_of_text=examples.EVENT)
class EventSerializer(serializers.Serializer[Any]):
    """One event of a stream of server-sent events."""

    id = serializers.CharField(
        required=False, help_text="Its number in the run, for Last-Event-ID; a refusal has none."
    )
    event = serializers.ChoiceField(EVENTS)
    data = serializers.CharField(help_text="JSON.")  # type: ignore[assignment]  # as above
