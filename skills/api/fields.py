"""What several of these operations take, and which field an error is about."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from config.base.errors import InvalidInput
from config.base.people import signed_in
from jobs.errors import InvalidRecurrence, TooFarAhead
from skills.enums import GrantScope
from skills.errors import (
    FirstTooFarAhead,
    NothingToGrant,
    NotInBackground,
    OneTimeOrRecurrence,
    TooSoon,
    UndeclaredPermission,
)
from skills.grants import check_agent

AGENT = OpenApiParameter(
    "agent", OpenApiTypes.UUID, description="For this agent; without it: for all agents."
)

_FIELDS: dict[type[InvalidInput], str] = {
    UndeclaredPermission: "code",
    NothingToGrant: "code",
    NotInBackground: "skill_id",
    OneTimeOrRecurrence: "scheduled_at",
    TooSoon: "scheduled_at",
    TooFarAhead: "scheduled_at",
    FirstTooFarAhead: "recurrence",
    InvalidRecurrence: "recurrence",
}


@contextmanager
def naming_fields() -> Iterator[None]:
    """Says in `attr` which field is wrong."""
    try:
        yield
    except tuple(_FIELDS) as error:
        field = _FIELDS[type(error)]
        raise ValidationError({field: [ErrorDetail(error.message, error.code)]}) from error


def asked_agent(request: Request) -> UUID | None:
    """Of `?agent=`. Raises `AgentNotYours`."""
    value = request.query_params.get("agent")
    if value is None:
        return None
    try:
        agent_id = UUID(value)
    except ValueError as error:
        raise ValidationError({"agent": _("Not a value of this filter.")}) from error
    check_agent(signed_in(request), agent_id)
    return agent_id


def check_scope(attrs: dict[str, Any]) -> dict[str, Any]:
    """The scope `agent` needs one, and no other may have one."""
    is_for_agent, agent = attrs["scope"] == GrantScope.AGENT, attrs["agent"]
    if is_for_agent and agent is None:
        raise serializers.ValidationError(
            {"agent": [ErrorDetail(_("Say for which agent."), "required")]}
        )
    if agent is not None and not is_for_agent:
        raise serializers.ValidationError({"agent": [_("Only with the scope “agent”.")]})
    return attrs
