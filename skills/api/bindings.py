"""Whether I want a skill used, for all agents or for one."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.examples import answers_like, asked_like
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from config.base.rest.serializers import StrictSerializer
from skills.api import examples
from skills.bindings import forget_switch, is_enabled, switch_skill
from skills.models import SkillBinding

_ORDERINGS = ("skill_id", "updated_at")


@answers_like(a_switch=examples.BINDING)
class BindingSerializer(serializers.ModelSerializer[SkillBinding]):
    agent = serializers.UUIDField(source="agent_id", allow_null=True, help_text="Null: all agents.")

    class Meta:
        model = SkillBinding
        fields = ["skill_id", "agent", "enabled", "updated_at"]


@asked_like(switch_it_off=examples.SWITCH, say_nothing_of_this_agent=examples.SWITCH_FORGOTTEN)
class SwitchSerializer(StrictSerializer):
    skill_id = serializers.CharField(max_length=100)
    agent = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="Null: all agents."
    )
    enabled = serializers.BooleanField(
        allow_null=True, help_text="Null: forget this switch, so that the wider one counts."
    )


@answers_like(switched_off=examples.SWITCHED)
class SwitchedSerializer(serializers.Serializer[Any]):
    skill_id = serializers.CharField()
    agent = serializers.UUIDField(allow_null=True)
    enabled = serializers.BooleanField(allow_null=True)
    effective = serializers.BooleanField(help_text="Whether it is used there now.")


class BindingsView(PaginatedView):
    scope = Scope.SKILLS

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "GET":
            return {400: ["invalid"]}
        return {
            400: ["required", "unknown_field", "invalid"],
            404: ["unknown_skill", "agent_not_found"],
        }

    @extend_schema(
        summary="List my switches of skills",
        parameters=list_parameters(*_ORDERINGS, default="skill_id"),
        responses=BindingSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Where there is none, a skill is as it is shipped; the catalogue says how."""
        rows = SkillBinding.objects.for_user(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="skill_id")
        return self.paginated(rows, request, BindingSerializer)

    @extend_schema(
        summary="Switch a skill on or off",
        request=SwitchSerializer,
        responses=SwitchedSerializer,
    )
    def patch(self, request: Request) -> Response:
        """It changes no permission. An agent's own counts before the one for all. Twice is once."""
        body = SwitchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        skill_id, agent_id, enabled = (
            body.validated_data[name] for name in ("skill_id", "agent", "enabled")
        )
        if enabled is None:
            forget_switch(person(request), skill_id, agent_id=agent_id)
        else:
            switch_skill(person(request), skill_id, enabled=enabled, agent_id=agent_id)
        effective = is_enabled(signed_in(request), skill_id, agent_id)
        return Response(SwitchedSerializer({**body.validated_data, "effective": effective}).data)
