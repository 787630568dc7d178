"""Memories as the API takes and gives them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agents.api import memory_examples as examples
from agents.memories.portable import FORMAT, MOST_LINES, Line
from agents.models import Memory, MemoryLayer, MemoryStatus, Visibility
from agents.models.memory import (
    LEAST_IMPORTANCE,
    MAX_SUBJECT_LENGTH,
    MAX_TEXT_LENGTH,
    MOST_IMPORTANCE,
)
from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer


class WhySerializer(serializers.Serializer[Any]):
    """What a search has found it by."""

    words = serializers.ListField(
        child=serializers.CharField(), help_text="Of the question, that it has."
    )
    meaning = serializers.FloatField(
        allow_null=True, help_text="How near it is to the question, up to 1; null: not compared."
    )
    score = serializers.FloatField()


@answers_like(a_memory=examples.MEMORY)
class MemorySerializer(serializers.ModelSerializer[Memory]):
    agent = serializers.SlugRelatedField[Any](
        slug_field="slug", read_only=True, allow_null=True, help_text="Null: all agents."
    )
    project = serializers.SlugRelatedField[Any](
        slug_field="slug", read_only=True, allow_null=True, help_text="Of one for the company."
    )
    conversation_id = serializers.UUIDField(allow_null=True)
    source_message_id = serializers.UUIDField(allow_null=True)
    superseded_by = serializers.UUIDField(
        source="superseded_by_id", allow_null=True, help_text="What is remembered instead."
    )
    provenance = serializers.ListField(child=serializers.CharField())
    why = serializers.SerializerMethodField()

    class Meta:
        model = Memory
        fields = [
            *("id", "text", "subject", "importance", "layer", "visibility", "status"),
            *("agent", "project", "provenance", "conversation_id", "source_message_id"),
            *("superseded_by", "revision", "last_used_at", "created_at", "updated_at", "why"),
        ]

    @extend_schema_field(WhySerializer(allow_null=True))
    def get_why(self, memory: Memory) -> Any:
        return None if memory.why is None else WhySerializer(memory.why).data


class _Values(StrictSerializer):
    """What the services judge: here is only what JSON can say."""

    text = serializers.CharField(
        trim_whitespace=False, max_length=MAX_TEXT_LENGTH, help_text="One fact or wish."
    )
    subject = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=MAX_SUBJECT_LENGTH,
        help_text="Whom or what it is about.",
    )
    importance = serializers.IntegerField(
        required=False, min_value=LEAST_IMPORTANCE, max_value=MOST_IMPORTANCE
    )


@asked_like(a_wish=examples.NEW)
class NewMemorySerializer(_Values):
    agent = serializers.SlugField(
        required=False, default="", help_text="Slug; none: every agent may recall it."
    )


@asked_like(another_word=examples.CHANGED, for_the_company=examples.SHOWN)
class ChangeMemorySerializer(_Values):
    layer = serializers.ChoiceField(choices=MemoryLayer.choices, required=False)
    visibility = serializers.ChoiceField(
        choices=Visibility.choices,
        required=False,
        help_text="`company` needs `project`, and waits for an operator.",
    )
    project = serializers.SlugField(
        required=False, help_text="Slug of one of your projects; with `visibility` alone."
    )


class LineSerializer(_Values):
    """As it is exported. What an import does not need is taken, and stands for nothing."""

    text = serializers.CharField(trim_whitespace=False, allow_blank=True)
    subject = serializers.CharField(required=False, allow_blank=True)
    importance = serializers.IntegerField(required=False)
    layer = serializers.ChoiceField(choices=MemoryLayer.choices, required=False)
    agent = serializers.CharField(required=False, allow_null=True, help_text="Slug.")
    status = serializers.ChoiceField(choices=MemoryStatus.choices, required=False)
    visibility = serializers.ChoiceField(choices=Visibility.choices, required=False)
    provenance = serializers.ListField(child=serializers.CharField(), required=False)
    created_at = serializers.CharField(required=False, allow_blank=True)

    def to_internal_value(self, data: Any) -> Any:
        return Line(**super().to_internal_value(data))


@answers_like(all_of_them=examples.EXPORTED)
class ExportSerializer(serializers.Serializer[Any]):
    format = serializers.ChoiceField([FORMAT])
    version = serializers.IntegerField()
    exported_at = serializers.DateTimeField()
    memories = LineSerializer(many=True)
    signature = serializers.CharField(
        help_text="That we wrote it for you; without it an import counts as somebody else's words."
    )


@asked_like(one_line=examples.IMPORTED)
class ImportSerializer(StrictSerializer):
    memories = LineSerializer(many=True, max_length=MOST_LINES)  # type: ignore[call-arg]  # DRF hands it to the list
    format = serializers.ChoiceField([FORMAT], required=False)
    version = serializers.IntegerField(required=False, min_value=1, max_value=1)
    exported_at = serializers.CharField(required=False)
    signature = serializers.CharField(required=False, default="", allow_blank=True)


@answers_like(two_new_ones=examples.ADDED)
class ImportedSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Remembered already, word for word.")
