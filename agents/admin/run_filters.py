"""By what an operator finds a run."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.model_clients import errors
from agents.models import Agent, ResponseStatus, RunStatus
from config.base.admin_filters import SelectFilter, TextFilter, select, times
from config.base.models import User

_ANY = "any"
# What ends a run that no model brought down.
_OTHER_CODES = ("agent_gone", "budget_exceeded", "bug")


class OwnerFilter(TextFilter):
    title = _("user")
    parameter_name = "user"

    def narrow(self, value: str) -> Q:
        """Looked up first: the index is by id."""
        return Q(owner__in=list(User.objects.filter(username=value).values_list("pk", flat=True)))


class AgentFilter(SelectFilter):
    title = _("agent")
    parameter_name = "agent"

    def options(self) -> Iterable[tuple[str, Any]]:
        return [(str(pk), name) for pk, name in Agent.objects.values_list("pk", "name")]

    def narrow(self, value: str) -> Q:
        return Q(agent=UUID(value))


class ErrorFilter(SelectFilter):
    title = _("error")
    parameter_name = "error"

    def options(self) -> Iterable[tuple[str, Any]]:
        kinds = [kind for kind in vars(errors).values() if _is_model_error(kind)]
        codes = sorted({*_OTHER_CODES, *(kind.code for kind in kinds)})
        return [(_ANY, _("any error")), *((code, code) for code in codes)]

    def narrow(self, value: str) -> Q:
        return Q(error_code__gt="") if value == _ANY else Q(error_code=value)


def _is_model_error(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.ModelError)


RUN_FILTERS: list[Any] = [
    *times("created_at", _("from"), _("before")),
    select("status", _("status"), lambda: RunStatus.choices, "status"),
    select("answer", _("answer"), lambda: ResponseStatus.choices, "response_status"),
    ErrorFilter,
    OwnerFilter,
    AgentFilter,
]
