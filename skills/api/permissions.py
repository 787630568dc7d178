"""What I permit skills, for all agents or for one: apart from whether I want them used."""

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
from skills.api.fields import check_scope, naming_fields
from skills.enums import GrantScope, GrantStatus
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import PermissionGrant

_ORDERINGS = ("granted_at",)


@answers_like(in_force=examples.GRANT, taken_back=examples.REVOKED_GRANT)
class GrantSerializer(serializers.ModelSerializer[PermissionGrant]):
    agent = serializers.UUIDField(source="agent_id", allow_null=True, help_text="Null: all agents.")
    scope = serializers.ChoiceField(GrantScope.choices)
    status = serializers.ChoiceField(GrantStatus.choices)

    class Meta:
        model = PermissionGrant
        fields = [
            "id",
            "skill_id",
            "code",
            "scope",
            "agent",
            "status",
            "version",
            "granted_at",
            "revoked_at",
        ]


@asked_like(give=examples.GIVE, take_back=examples.TAKE_BACK)
class SetPermissionSerializer(StrictSerializer):
    skill_id = serializers.CharField(max_length=100)
    code = serializers.CharField(
        max_length=100, help_text="One that the skill's manifest asks for."
    )
    scope = serializers.ChoiceField(GrantScope.choices)
    agent = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="With the scope `agent`."
    )
    granted = serializers.BooleanField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return check_scope(attrs)


@answers_like(given=examples.PERMISSION, taken_back=examples.NO_PERMISSION)
class PermissionSerializer(serializers.Serializer[Any]):
    skill_id = serializers.CharField()
    code = serializers.CharField()
    scope = serializers.ChoiceField(GrantScope.choices)
    agent = serializers.UUIDField(allow_null=True)
    granted = serializers.BooleanField()
    grant = serializers.UUIDField(allow_null=True, help_text="The grant in force.")


class PermissionsView(PaginatedView):
    scope = Scope.SKILLS

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "GET":
            return {400: ["invalid"]}
        said = ["permission_not_declared", "asked_each_time"]
        return {
            400: ["required", "unknown_field", "invalid", "invalid_choice", *said],
            404: ["unknown_skill", "agent_not_found"],
        }

    @extend_schema(
        summary="List the permissions that I have given",
        parameters=list_parameters(*_ORDERINGS, default="-granted_at"),
        responses=GrantSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Those in force and those taken back, the newest first."""
        rows = PermissionGrant.objects.for_user(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-granted_at")
        return self.paginated(rows, request, GrantSerializer)

    @extend_schema(
        summary="Give or take back a permission",
        request=SetPermissionSerializer,
        responses=PermissionSerializer,
    )
    def patch(self, request: Request) -> Response:
        """It counts from the next call on, also for jobs that wait. Twice is once."""
        body = SetPermissionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        wanted = body.validated_data
        permission = Permission(
            skill_id=wanted["skill_id"], code=wanted["code"], agent_id=wanted["agent"]
        )
        grant = None
        with naming_fields():
            if wanted["granted"]:
                grant = grant_permission(person(request), permission)
            else:
                revoke_permission(person(request), permission)
        return Response(PermissionSerializer({**wanted, "grant": grant and grant.pk}).data)
