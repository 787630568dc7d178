"""Bodies and answers. No answer says where a file is stored."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from documents.enums import ReadFailure, ResourceState, SpaceRole
from documents.knowledge.api import examples
from documents.models import Resource
from documents.models.knowledge import FILE_NAME_LENGTH, NAME_LENGTH


@asked_like(a_project_s=examples.NEW_SPACE)
class SpaceBody(StrictSerializer):
    name = serializers.CharField(allow_blank=True, help_text=f"{NAME_LENGTH} characters at most")
    project = serializers.CharField(
        required=False,
        help_text="The slug of a project that you supervise: all who work in it may read",
    )
    is_for_newcomers = serializers.BooleanField(
        required=False, help_text="Who applies to the project may read it too"
    )


@asked_like(another_name={"name": "Manual"})
class SpaceChangeBody(StrictSerializer):
    name = serializers.CharField(required=False, allow_blank=True)
    is_for_newcomers = serializers.BooleanField(required=False)


@answers_like(a_project_s=examples.SPACE)
class SpaceAnswer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField()
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)
    is_for_newcomers = serializers.BooleanField()
    role = serializers.ChoiceField(SpaceRole.choices, help_text="Yours, at this moment")
    resource_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()


@asked_like(a_reader=examples.NEW_MEMBER)
class MemberBody(StrictSerializer):
    username = serializers.CharField(help_text="Of somebody in a project with you")
    role = serializers.ChoiceField(SpaceRole.choices)


@answers_like(a_reader=examples.MEMBER)
class MemberAnswer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    username = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(SpaceRole.choices)
    created_at = serializers.DateTimeField()


class UploadBody(StrictSerializer):
    space = serializers.UUIDField(help_text="A space in which you are an editor or manager")
    title = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=FILE_NAME_LENGTH,
        help_text="The file's name if left out",
    )
    file = serializers.FileField(allow_empty_file=True)


class FailureAnswer(serializers.Serializer[Any]):
    code = serializers.ChoiceField(ReadFailure.choices)
    detail = serializers.CharField(help_text="For people: what is wrong, and what to do")


@answers_like(one_that_is_read=examples.RESOURCE)
class ResourceAnswer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    space = serializers.UUIDField(source="space_id")
    title = serializers.CharField()
    file_name = serializers.CharField()
    media_type = serializers.CharField(help_text="By its content")
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    state = serializers.ChoiceField(ResourceState.choices)
    failure = serializers.SerializerMethodField(help_text="Why it was not read")
    pages = serializers.IntegerField(allow_null=True, help_text="Of a PDF; slides of a PPTX")
    passage_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(FailureAnswer(allow_null=True))
    def get_failure(self, resource: Resource) -> dict[str, str] | None:
        if not resource.failure:
            return None
        return {"code": resource.failure, "detail": str(resource.get_failure_display())}


@answers_like(of_a_pdf=examples.PASSAGE)
class PassageAnswer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="From 0")
    page = serializers.IntegerField(allow_null=True)
    heading = serializers.CharField()
    text = serializers.CharField()
    start = serializers.IntegerField(help_text="In all that was read, in characters")


class FoundPassage(serializers.Serializer[Any]):
    resource_id = serializers.UUIDField(source="resource.pk")
    title = serializers.CharField(source="resource.title")
    space = serializers.UUIDField(source="resource.space_id")
    passage = serializers.IntegerField(source="passage.number")
    page = serializers.IntegerField(source="passage.page", allow_null=True)
    heading = serializers.CharField(source="passage.heading")
    text = serializers.CharField(source="passage.text")
    quote = serializers.CharField(help_text="The part of the text around the first word")
    words = serializers.ListField(
        source="hit.words", child=serializers.CharField(), help_text="Of the question, found here"
    )
    score = serializers.FloatField(source="hit.score")
    coverage = serializers.FloatField(
        source="hit.coverage", help_text="Which share of the question's weight these words are"
    )
    meaning = serializers.FloatField(
        source="hit.meaning", allow_null=True, help_text="The cosine; null without an embedder"
    )
    is_evidence = serializers.BooleanField(source="hit.is_evidence")
    url = serializers.CharField(source="address")


@answers_like(an_answer=examples.FOUND)
class FoundAnswer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        ["COMPLETED", "NO_EVIDENCE"], help_text="`NO_EVIDENCE`: none of the results answers it"
    )
    without_meaning = serializers.BooleanField(help_text="By words alone")
    results = FoundPassage(many=True)
