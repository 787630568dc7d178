"""When skills were used for me."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from skills.api import examples
from skills.enums import RunStatus, SkillKind
from skills.models import SkillRun

_ORDERINGS = ("started_at",)


@answers_like(it_recalled=examples.RUN, it_was_refused=examples.RUN_REFUSED)
class SkillRunSerializer(serializers.ModelSerializer[SkillRun]):
    kind = serializers.ChoiceField(SkillKind.choices)
    status = serializers.ChoiceField(RunStatus.choices)
    agent = serializers.UUIDField(source="agent_id", allow_null=True)
    conversation = serializers.UUIDField(source="conversation_id", allow_null=True)
    message = serializers.UUIDField(
        source="message_id", allow_null=True, help_text="The message that asked for it."
    )
    tool_call = serializers.UUIDField(source="tool_call_id", allow_null=True)

    class Meta:
        model = SkillRun
        fields = [
            "id",
            "skill_id",
            "version",
            "kind",
            "status",
            "error_code",
            "agent",
            "conversation",
            "message",
            "tool_call",
            "duration_ms",
            "started_at",
            "finished_at",
        ]


class RunsView(PaginatedView):
    scope = Scope.SKILLS
    error_codes = {400: ["invalid"]}

    @extend_schema(
        summary="List the uses of skills, newest first",
        parameters=list_parameters(*_ORDERINGS, default="-started_at"),
        responses=SkillRunSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """How each ended; of what was said, asked or found nothing is kept here."""
        rows = SkillRun.objects.for_user(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-started_at")
        return self.paginated(rows, request, SkillRunSerializer)
