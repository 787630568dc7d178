"""What I and an agent may do right now, and why; for operators also what somebody else may."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from config.base.errors import NotFound, NotPermitted
from config.base.models import Scope, User
from config.base.people import person, signed_in
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PAGE, PaginatedView
from skills.api import examples
from skills.policy_table import SEE_OTHERS, PolicyQuestion, PolicyRow, look_at
from tools.api.serializers import ToolDecisionSerializer
from tools.enums import Risk

_AGENT = OpenApiParameter("agent", OpenApiTypes.UUID, required=True, description="Who acts.")
_USER = OpenApiParameter(
    "user",
    OpenApiTypes.UUID,
    description="For operators who may see permission grants: this person instead of you. That "
    "you looked is audited.",
)
_UNATTENDED = OpenApiParameter(
    "unattended", bool, default=False, description="While nobody is there: jobs, schedules."
)
_BOOLEANS = {"true": True, "false": False}


@answers_like(allowed=examples.POLICY_ALLOWED, permission_missing=examples.POLICY_DENIED)
class PolicyRowSerializer(serializers.Serializer[PolicyRow]):
    kind = serializers.ChoiceField(["skill", "tool"], source="entry.kind")
    id = serializers.CharField(source="entry.id", help_text="A skill's id, a tool's slug.")
    name = serializers.CharField(source="entry.name")
    use = serializers.CharField(
        source="entry.use", help_text="Which of its calls, where they differ: `read, list`."
    )
    permissions = serializers.ListField(
        child=serializers.CharField(), source="entry.permissions", help_text="Permission codes."
    )
    risk = serializers.ChoiceField(
        [*(risk.name for risk in Risk), ""], help_text="At worst; empty: it can't be told."
    )
    decision = ToolDecisionSerializer(source="decision.as_json")


class PolicyView(PaginatedView):
    scope = Scope.SKILLS
    error_codes = {
        400: ["required", "invalid"],
        403: ["permission_denied"],
        404: ["agent_not_found", "not_found"],
    }

    @extend_schema(
        summary="List what you and an agent may do right now, and why",
        parameters=[_AGENT, _USER, _UNATTENDED, *PAGE],
        responses=PolicyRowSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Skills and tools with the answer of every gate, as a call would get it in a new
        conversation: nothing runs. Where calls of a tool differ by what they name, the answer is
        that of the worst. Your own table holds the tools that the agent has; an operator's view
        of another person's holds all.
        """
        own = signed_in(request)
        other = _asked_person(request, own)
        question = PolicyQuestion(
            person=other or own,
            agent_id=_asked_agent(request),
            unattended=_is_unattended(request),
            every_tool=other is not None,
        )
        table: Any = look_at(person(request), question)
        return self.paginated(table, request, PolicyRowSerializer)


def _asked_person(request: Request, own: User) -> User | None:
    """None: oneself. Who may not see others is not told whether somebody is there."""
    value = request.query_params.get("user")
    if value is None:
        return None
    key = _uuid("user", value)
    if key == own.pk:
        return None
    if not (own.is_staff and own.has_perm(SEE_OTHERS)):
        raise NotPermitted
    found = User.objects.filter(pk=key).first()
    if found is None:
        raise NotFound(_("There is no such user."))
    return found


def _asked_agent(request: Request) -> UUID:
    value = request.query_params.get("agent")
    if value is None:
        raise ValidationError({"agent": [ErrorDetail(_("Say for which agent."), "required")]})
    return _uuid("agent", value)


def _is_unattended(request: Request) -> bool:
    value = request.query_params.get("unattended", "false")
    if value not in _BOOLEANS:
        raise ValidationError({"unattended": _("Not a value of this filter.")})
    return _BOOLEANS[value]


def _uuid(name: str, value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise ValidationError({name: _("Not a value of this filter.")}) from error
