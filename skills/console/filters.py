"""By what an operator finds an audit event."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.admin_filters import SelectFilter, TextFilter, select, times
from skills.models import ACTOR_KINDS, ORIGINS, OUTCOMES, AuditEvent, AuditSubject
from skills.selectors import decided
from tools.enums import DecisionOutcome

LOOKED_AT = 2000  # newest events whose actions are offered; the search finds any other


class ActionFilter(SelectFilter):
    title = _("action")
    parameter_name = "action"

    def options(self) -> Iterable[tuple[str, Any]]:
        newest = AuditEvent.objects.order_by("-pk").values_list("action", flat=True)[:LOOKED_AT]
        return [(name, name) for name in sorted({*newest, *filter(None, [self.value()])})]

    def narrow(self, value: str) -> Q:
        return Q(action=value)


class DecisionFilter(SelectFilter):
    title = _("decision")
    parameter_name = "decision"

    def options(self) -> Iterable[tuple[str, Any]]:
        return DecisionOutcome.choices

    def narrow(self, value: str) -> Q:
        return decided(DecisionOutcome(value))


class SubjectFilter(TextFilter):
    title = _("user")
    parameter_name = "user"

    def narrow(self, value: str) -> Q:
        """A name, or the id of a subject: that of somebody erased leads no further."""
        named = AuditSubject.objects.filter(user__username=value).values_list("pk", flat=True)
        return Q(subject__in=list(named) or [UUID(value)])


class ToolFilter(TextFilter):
    title = _("tool")
    parameter_name = "tool"

    def narrow(self, value: str) -> Q:
        return Q(tool=value)


EVENT_FILTERS: list[Any] = [
    *times("recorded_at", _("from"), _("before")),
    ActionFilter,
    select("outcome__exact", _("outcome"), lambda: OUTCOMES, "outcome"),
    DecisionFilter,
    select("actor__exact", _("actor"), lambda: ACTOR_KINDS, "actor"),
    SubjectFilter,
    ToolFilter,
    select("origin__exact", _("origin"), lambda: ORIGINS, "origin"),
]
