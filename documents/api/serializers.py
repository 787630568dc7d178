"""Bodies and answers. `conversation` is neither accepted nor shown."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from documents.api import examples
from documents.enums import Change, DocumentType
from documents.models import TITLE_LENGTH
from documents.texts import MAX_SUMMARY_LENGTH, MAX_TAGS_LENGTH
from documents.versions import TRASH_KEPT_FOR


@extend_schema_field(
    {
        "oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
        "description": "A list, or one string separated by commas; at most 500 characters.",
    }
)
class TagsField(serializers.Field[Any, Any, Any, Any]):
    """Judged by the service; here only whether it is text at all."""

    def to_internal_value(self, data: object) -> list[str] | str:
        if isinstance(data, str):
            return data
        if isinstance(data, list) and all(isinstance(tag, str) for tag in data):
            return data
        raise serializers.ValidationError(_("A list of strings, or a string with commas."))

    def to_representation(self, value: list[str]) -> list[str]:
        return value


class TextField(serializers.CharField):
    """As it was sent: not a blank is taken away."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, allow_blank=True, **options)


@asked_like(a_note=examples.NEW)
class DocumentBody(StrictSerializer):
    title = serializers.CharField(allow_blank=True, help_text=f"{TITLE_LENGTH} characters at most")
    content = TextField(help_text="Markdown")
    type = serializers.ChoiceField(
        DocumentType.choices, required=False, help_text="`document` if left out"
    )
    summary = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text=f"The beginning of the content if left out; {MAX_SUMMARY_LENGTH} characters",
    )
    tags = TagsField(required=False, help_text=f"{MAX_TAGS_LENGTH} characters together")


@asked_like(a_new_text=examples.CHANGE)
class ChangeBody(DocumentBody):
    """What is given is changed, by PUT as by PATCH."""

    expected_revision = serializers.IntegerField(
        required=False, min_value=1, help_text="409 `stale_revision` if it is another one by now"
    )


class Facts(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    type = serializers.ChoiceField(DocumentType.choices)
    title = serializers.CharField()
    summary = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    provenance = serializers.ListField(child=serializers.CharField())
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class WhyAnswer(serializers.Serializer[Any]):
    words = serializers.ListField(
        child=serializers.CharField(), help_text="Those of the search that match, as they were sent"
    )
    meaning = serializers.FloatField(
        allow_null=True, help_text="How close it is in meaning, -1 to 1; null where words decide"
    )


@answers_like(a_note=examples.ITEM, found=examples.FOUND)
class ItemAnswer(Facts):
    """In a list: without content."""

    content_length = serializers.IntegerField()
    snippet = serializers.CharField(
        source="shown.snippet",
        default=None,
        allow_null=True,
        help_text="With `q`: the place that matches, as plain text",
    )
    why = WhyAnswer(
        source="shown.why",
        default=None,
        allow_null=True,
        help_text="With `q`: why it was found",
    )


class ExpiryField(serializers.DateTimeField):
    def to_representation(self, value: datetime) -> str:
        return super().to_representation(value + TRASH_KEPT_FOR)


@answers_like(deleted_on_a_page=examples.TRASHED)
class TrashAnswer(serializers.Serializer[Any]):
    """A deleted document, without content."""

    id = serializers.UUIDField(source="document_id")
    type = serializers.ChoiceField(DocumentType.choices)
    title = serializers.CharField()
    summary = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    revision = serializers.IntegerField(help_text="That of the deletion; restored, it is one more")
    content_length = serializers.IntegerField()
    deleted_at = serializers.DateTimeField(source="created_at")
    expires_at = ExpiryField(source="created_at", help_text="Until then it can be restored")
    agent_id = serializers.UUIDField(
        allow_null=True, help_text="The agent that deleted it; null where a person did"
    )
    origin = serializers.CharField(help_text="Where it was deleted: `chat`, `page`, `api` …")


@answers_like(a_change=examples.VERSION)
class VersionItem(serializers.Serializer[Any]):
    """Who changed what; without content."""

    revision = serializers.IntegerField()
    change = serializers.ChoiceField(Change.choices)
    changed_fields = serializers.ListField(child=serializers.CharField())
    restored_from = serializers.IntegerField(
        allow_null=True, help_text="The revision whose text this is again"
    )
    title = serializers.CharField()
    content_length = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    user = serializers.CharField(
        source="user.username", default=None, allow_null=True, help_text="For whom, or who, it was"
    )
    agent_id = serializers.UUIDField(allow_null=True, help_text="Null where a person did it")
    run_id = serializers.UUIDField(allow_null=True)
    origin = serializers.CharField(help_text="Where: `chat`, `page`, `api` …")


@answers_like(a_change=examples.VERSION_WHOLE)
class VersionAnswer(VersionItem):
    type = serializers.ChoiceField(DocumentType.choices)
    summary = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    provenance = serializers.ListField(child=serializers.CharField())
    content = serializers.CharField()


class FieldDifference(serializers.Serializer[Any]):
    name = serializers.ChoiceField(["title", "type", "summary", "tags"])
    before = serializers.JSONField(help_text="Text; a list for tags")
    after = serializers.JSONField()


class DiffAnswer(serializers.Serializer[Any]):
    before = serializers.IntegerField(help_text="A revision")
    after = serializers.IntegerField(help_text="A revision")
    changed = FieldDifference(many=True)
    added = serializers.IntegerField(help_text="Lines")
    removed = serializers.IntegerField(help_text="Lines")
    unified = serializers.CharField(help_text='"" where the contents have the same lines')


@answers_like(three={"deleted": 3})
class PurgedAnswer(serializers.Serializer[Any]):
    deleted = serializers.IntegerField(help_text="How many documents are gone for good")


@answers_like(deleted_on_a_page=examples.TRASHED_WHOLE)
class TrashedAnswer(TrashAnswer):
    """With what it said at last."""

    content = serializers.CharField()


@answers_like(a_note=examples.DOCUMENT)
class DocumentAnswer(Facts):
    content = serializers.CharField()
    content_length = serializers.SerializerMethodField()

    def get_content_length(self, document: Any) -> int:
        return len(document.content)
