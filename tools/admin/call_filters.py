"""By what an operator finds a tool call."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from config.base.actor import Origin
from config.base.admin_filters import SelectFilter, TextFilter, select, times
from config.base.models import User
from tools.directory import agent_directory
from tools.enums import FAILED_STATUSES, CallStatus, DecisionOutcome
from tools.models import Tool
from tools.registry import list_tool_types


def _tools() -> Iterable[tuple[str, str]]:
    """The slugs of present tools: those of the whole ledger would have to be searched for."""
    return [(slug, slug) for slug in Tool.objects.values_list("slug", flat=True)]


def _types() -> Iterable[tuple[str, Any]]:
    return [(found.name, found.label) for found in list_tool_types()]


def _gates() -> Iterable[tuple[str, str]]:
    names = [import_string(path).name for path in settings.TOOL_GATES]
    return [(name, name) for name in names]


class StatusFilter(SelectFilter):
    title = _("status")
    parameter_name = "status__exact"

    def options(self) -> Iterable[tuple[str, Any]]:
        return CallStatus.choices

    def narrow(self, value: str) -> Q:
        return Q(status=CallStatus(value))


class FailedFilter(SelectFilter):
    """What was denied did not fail, and yet nothing came of it."""

    title = _("did not succeed")
    parameter_name = "failed"

    def options(self) -> Iterable[tuple[str, Any]]:
        return [("any", _("failed or denied")), ("1", _("failed"))]

    def narrow(self, value: str) -> Q:
        denied = [CallStatus.DENIED] if value == "any" else []
        return Q(status__in=[*FAILED_STATUSES, *denied])


class AgentFilter(SelectFilter):
    title = _("agent")
    parameter_name = "agent"

    def options(self) -> Iterable[tuple[str, Any]]:
        return [(str(pk), name) for pk, name in agent_directory().all_names().items()]

    def narrow(self, value: str) -> Q:
        return Q(agent_id=UUID(value))


class UserFilter(TextFilter):
    title = _("user")
    parameter_name = "user"

    def narrow(self, value: str) -> Q:
        """Looked up first: the index is by id."""
        ids = list(User.objects.filter(username=value).values_list("pk", flat=True))
        return Q(user__in=ids or _as_ids(value))


def _as_ids(text: str) -> list[UUID]:
    try:
        return [UUID(text)]
    except ValueError:
        return []


class ErrorFilter(TextFilter):
    title = _("error code")
    parameter_name = "error"

    def narrow(self, value: str) -> Q:
        return Q(error_code=value)


class DurationFilter(TextFilter):
    title = _("lasted at least (ms)")
    parameter_name = "slow"
    input_type = "number"
    attributes = {"min": "0", "inputmode": "numeric"}

    def narrow(self, value: str) -> Q:
        return Q(duration_ms__gte=int(value))


CALL_FILTERS: list[Any] = [
    *times("created_at", _("from"), _("before")),
    select("tool", _("tool"), _tools, "tool_slug"),
    select("type", _("tool type"), _types, "tool_type"),
    StatusFilter,
    FailedFilter,
    select("outcome", _("decision"), lambda: DecisionOutcome.choices, "decision__outcome"),
    select("gate", _("deciding gate"), _gates, "decision__gate"),
    ErrorFilter,
    select("origin", _("origin"), lambda: [(one, one) for one in Origin], "origin"),
    UserFilter,
    AgentFilter,
    DurationFilter,
]
