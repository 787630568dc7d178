"""Bodies and rows of the tools API."""

from typing import Any

from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from tools.api import examples
from tools.enums import CallStatus, DecisionOutcome, DraftKind, DraftState, Effect, LeaveKind
from tools.models import ActionDraft, Tool, ToolCall


@answers_like(a_tool=examples.TOOL)
class ToolSerializer(serializers.ModelSerializer[Tool]):
    config = serializers.DictField()
    calls_today = serializers.IntegerField(
        allow_null=True,
        min_value=0,
        read_only=True,
        help_text="Of `calls_per_day`, used on this day (UTC) by everybody. Null without a limit.",
    )

    class Meta:
        model = Tool
        fields = [
            "id",
            "name",
            "slug",
            "description",
            "type",
            "config",
            "needs_approval",
            "calls_per_day",
            "calls_today",
            "enabled",
            "sort_order",
            "created_at",
            "updated_at",
        ]


@asked_like(a_fetch_tool_for_one_site=examples.NEW_TOOL)
class WriteToolSerializer(StrictSerializer):
    """What is left out of a PUT goes back to its default; of a PATCH it stays."""

    name = serializers.CharField(max_length=50, help_text="For people.")
    slug = serializers.CharField(
        max_length=50,
        validators=[RegexValidator(r"\A[a-z0-9_]+\Z", _("Use a–z, 0–9 and _ only."))],
        help_text="The function name that the model sees.",
    )
    type = serializers.CharField(max_length=50, help_text="One of those that `types/` lists.")
    description = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=10_000, help_text="For the model."
    )
    config = serializers.DictField(
        required=False, default=dict, help_text="By the type's config schema."
    )
    needs_approval = serializers.BooleanField(required=False, default=False)
    calls_per_day = serializers.IntegerField(
        required=False,
        default=0,
        min_value=0,
        max_value=2**31 - 1,
        help_text="By everybody together, on one day (UTC). 0: no limit.",
    )
    enabled = serializers.BooleanField(required=False, default=True)
    sort_order = serializers.IntegerField(
        required=False, default=0, min_value=-(2**31), max_value=2**31 - 1
    )


@answers_like(a_type=examples.TOOL_TYPE)
class ToolTypeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's own attribute of a field
    description = serializers.CharField(allow_null=True)
    config_schema = serializers.DictField(help_text="JSON schema of `config`.")
    input_schema = serializers.DictField(
        allow_null=True, help_text="JSON schema of the arguments, for a config of defaults."
    )
    annotations = serializers.DictField(
        allow_null=True, help_text="What a call can do at worst, whatever the config."
    )
    log_payload = serializers.CharField()
    roles = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Null: every role."
    )
    needs_set_up = serializers.BooleanField()
    first_party = serializers.BooleanField()
    default_timeout_seconds = serializers.FloatField()


@asked_like(
    arithmetic={"input": {"expression": "12.5% * 80"}},
    what_would_alice_get={"input": {"expression": "1 + 1"}, "as_user": "alice"},
)
class ExecuteSerializer(StrictSerializer):
    input = serializers.DictField(help_text="The arguments, by the tool's input schema.")
    confirm = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Counts as your confirmation, of our own tools up to L2.",
    )
    as_user = serializers.CharField(
        required=False,
        max_length=150,
        help_text="Id or user name: only the decision that this user would get; nothing runs.",
    )


class LeaveSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=LeaveKind.choices)
    id = serializers.UUIDField()
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="Null: it has no end, or it was not kept, of an older decision."
    )
    uses_left = serializers.IntegerField(allow_null=True, help_text="Null: no limit.")


class GateReasonSerializer(serializers.Serializer[Any]):
    gate = serializers.CharField()
    outcome = serializers.ChoiceField(choices=DecisionOutcome.choices)
    reason_code = serializers.CharField()
    reason = serializers.CharField()
    leave = LeaveSerializer(required=False, help_text="The first of `leaves`.")
    leaves = LeaveSerializer(
        many=True,
        required=False,
        help_text="All that the person had allowed before, by which it passes.",
    )
    missing = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Permission codes that it lacks, where it is refused for want of them.",
    )


class ToolDecisionSerializer(GateReasonSerializer):
    reasons = GateReasonSerializer(many=True)


class CallErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()


@answers_like(done=examples.EXECUTED, it_failed=examples.FAILED)
class ExecutedSerializer(serializers.Serializer[Any]):
    success = serializers.BooleanField()
    data = serializers.DictField(allow_null=True)  # type: ignore[assignment]  # as `label`
    error = CallErrorSerializer(allow_null=True)
    metadata = serializers.DictField(
        help_text="duration_ms, warnings, and what the tool adds: status_code, response_size, …"
    )
    decision = ToolDecisionSerializer(
        allow_null=True, help_text="Null when the call could not even be planned."
    )
    action_draft = serializers.DictField(
        allow_null=True, help_text="The draft that waits for you, as in `agent/actions/{id}/`."
    )
    log_id = serializers.UUIDField(allow_null=True)


class LogDraftSerializer(serializers.ModelSerializer[ActionDraft]):
    """How it was decided; what it holds is its owner's."""

    kind = serializers.ChoiceField(choices=DraftKind.choices)
    state = serializers.ChoiceField(choices=DraftState.choices)

    class Meta:
        model = ActionDraft
        fields = ["id", "kind", "state", "version", "expires_at", "decided_at", "reason"]


@answers_like(a_call=examples.LOG)
class LogSerializer(serializers.ModelSerializer[ToolCall]):
    """A call of the ledger with what is still kept of its content, masked and cut."""

    tool = serializers.CharField(source="tool_slug")
    type = serializers.CharField(source="tool_type")
    tool_id = serializers.UUIDField(allow_null=True)
    user_id = serializers.UUIDField(allow_null=True)
    user = serializers.CharField(source="user.username", default=None, allow_null=True)
    effect = serializers.ChoiceField(choices=Effect.choices, allow_blank=True)
    status = serializers.ChoiceField(choices=CallStatus.choices)
    decision = ToolDecisionSerializer(source="told_decision", allow_null=True)
    receipt = serializers.DictField(allow_null=True)
    input = serializers.JSONField(source="content.input", default=None, allow_null=True)
    output = serializers.JSONField(source="content.output", default=None, allow_null=True)
    truncated = serializers.BooleanField(source="content.truncated", default=False)
    input_bytes = serializers.IntegerField(source="content.input_bytes", default=None)
    output_bytes = serializers.IntegerField(source="content.output_bytes", default=None)
    draft = LogDraftSerializer(default=None, allow_null=True)

    class Meta:
        model = ToolCall
        fields = [
            "id",
            "tool",
            "tool_id",
            "type",
            "user",
            "user_id",
            "role",
            "origin",
            "agent_id",
            "conversation_id",
            "run_id",
            "skill",
            "skill_version",
            "input_digest",
            "effect",
            "decision",
            "status",
            "attempt",
            "error_code",
            "error_message",
            "receipt",
            "duration_ms",
            "created_at",
            "started_at",
            "finished_at",
            "input",
            "output",
            "truncated",
            "input_bytes",
            "output_bytes",
            "draft",
        ]
