"""Bodies and answers about shares."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from documents.api import examples
from documents.enums import DocumentType, ShareKind
from documents.models import Document
from jobs.api.serializers import MomentField


@asked_like(
    with_a_person={"kind": "user", "user": "bob"},
    with_a_project={"kind": "project", "project": "demo"},
    by_a_link={"kind": "link", "expires_at": "2026-12-06T22:43:23Z"},
)
class ShareBody(StrictSerializer):
    kind = serializers.ChoiceField(ShareKind.choices)
    user = serializers.CharField(required=False, help_text="A user name, for `user` alone")
    project = serializers.CharField(
        required=False, help_text="The slug of a project of yours, for `project` alone"
    )
    expires_at = MomentField(
        required=False,
        help_text="Without it a link ends in 7 days, another share never; a link in 90 at most",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The reader that the kind needs, and no other."""
        for name in ("user", "project"):
            if (name in attrs) != (name == attrs["kind"]):
                wanted = (
                    _("Needed for this kind.") if name not in attrs else _("Not for this kind.")
                )
                raise serializers.ValidationError({name: wanted}, code="invalid")
        return attrs


@answers_like(with_a_person=examples.SHARE)
class ShareAnswer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(ShareKind.choices)
    user = serializers.CharField(source="user.username", default=None, allow_null=True)
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="Null: it has no end")
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="When a link was opened last, to the minute"
    )


@answers_like(a_link=examples.SHARE_MADE)
class ShareMade(ShareAnswer):
    url = serializers.CharField(allow_null=True, help_text="Of a new link, shown this once")


class SharedBy(serializers.Serializer[Any]):
    """The share by which one reads."""

    kind = serializers.ChoiceField([ShareKind.USER.value, ShareKind.PROJECT.value])
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)


@answers_like(a_note=examples.SHARED_ITEM)
class SharedItem(serializers.Serializer[Any]):
    """Somebody else's document, without content."""

    id = serializers.UUIDField()
    owner = serializers.CharField(source="owner.username")
    type = serializers.ChoiceField(DocumentType.choices)
    title = serializers.CharField()
    summary = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    revision = serializers.IntegerField()
    content_length = serializers.IntegerField()
    updated_at = serializers.DateTimeField()
    shares = SharedBy(source="shares_to_me", many=True)


@answers_like(a_note=examples.SHARED)
class SharedAnswer(SharedItem):
    content = serializers.CharField()
    content_length = serializers.SerializerMethodField()  # type: ignore[assignment]  # of what is here

    def get_content_length(self, document: Document) -> int:
        return len(document.content)
