"""Bodies by which a person decides a draft."""

from typing import Any

from rest_framework import serializers

from config.base.rest.examples import asked_like
from config.base.rest.serializers import StrictSerializer
from tools.approvals.terms import (
    DEFAULT_HOURS,
    MAX_HOURS,
    MAX_USES,
    ApprovalScope,
    Remember,
)


class RememberSerializer(StrictSerializer):
    """A standing approval: calls of this tool like this one are not asked for again."""

    scope = serializers.ChoiceField(
        choices=ApprovalScope.choices,
        help_text="For this agent in this conversation, this agent everywhere, or every agent.",
    )
    hours = serializers.IntegerField(
        required=False, default=DEFAULT_HOURS, min_value=1, max_value=MAX_HOURS
    )
    uses = serializers.IntegerField(
        required=False,
        default=None,
        allow_null=True,
        min_value=1,
        max_value=MAX_USES,
        help_text="For so many calls; null: for all that come in that time.",
    )

    def to_internal_value(self, data: Any) -> Any:
        body = super().to_internal_value(data)
        return Remember(**{**body, "scope": ApprovalScope(body["scope"])})


@asked_like(
    as_shown={"expected_version": 1, "idempotency_key": "once"},
    with_a_field_changed={
        "expected_version": 1,
        "idempotency_key": "once",
        "arguments": {"title": "Minutes of May"},
    },
    not_to_be_asked_again={
        "expected_version": 1,
        "idempotency_key": "once",
        "remember": {"scope": "conversation", "hours": 24, "uses": 10},
    },
)
class ConfirmSerializer(StrictSerializer):
    expected_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    idempotency_key = serializers.CharField(max_length=200)
    arguments = serializers.DictField(
        required=False, help_text="Your values for editable fields; others are refused."
    )
    remember = RememberSerializer(
        required=False,
        allow_null=True,
        help_text="Gives a standing approval with it; only where the draft says `rememberable`.",
    )


@asked_like(with_a_reason={"reason": "I still need it"}, without={})
class DismissSerializer(StrictSerializer):
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=2000)


@asked_like(another_wish={"message": "Rename it instead"})
class RespondSerializer(StrictSerializer):
    message = serializers.CharField(max_length=2000)


@asked_like(it_was_done={"expected_version": 1, "outcome": "done"})
class ResolveSerializer(StrictSerializer):
    expected_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    outcome = serializers.ChoiceField(choices=["done", "retry"])


@asked_like(what_was_missing={"expected_version": 1, "arguments": {"title": "Minutes of May"}})
class ReviseSerializer(StrictSerializer):
    expected_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    arguments = serializers.DictField()
