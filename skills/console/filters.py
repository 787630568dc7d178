"""By what an operator finds an audit event."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.admin_filters import SelectFilter, TextFilter, select, times
from skills.models import ACTOR_KINDS, ORIGINS, OUTCOMES, AuditEvent, AuditSubject
from skills.selectors import decided, has_outcome, is_of
from tools.enums import DecisionOutcome

LOOKED_AT = 2000  # newest events, whose actions are offered; any other is found by its whole name


def known_actions() -> set[str]:
    newest = AuditEvent.objects.order_by("-pk").values_list("action", flat=True)
    return set(newest[:LOOKED_AT])


class ActionFilter(SelectFilter):
    title = _("action")
    parameter_name = "action"

    def options(self) -> Iterable[tuple[str, Any]]:
        names = {*known_actions(), *filter(None, [self.value()])}
        return [(name, name) for name in sorted(names)]

    def narrow(self, value: str) -> Q:
        return Q(action=value)


class SubjectFilter(TextFilter):
    title = _("user")
    parameter_name = "user"

    def narrow(self, value: str) -> Q:
        """A name, or the id of a subject: that of somebody erased leads no further."""
        named = AuditSubject.objects.filter(user__username=value).values_list("pk", flat=True)
        return Q(subject__in=list(named) or [UUID(value)])


class OutcomeFilter(SelectFilter):
    title = _("outcome")
    parameter_name = "outcome__exact"

    def options(self) -> Iterable[tuple[str, Any]]:
        return OUTCOMES

    def narrow(self, value: str) -> Q:
        return has_outcome(value)


class DecisionFilter(SelectFilter):
    """What the gates said, whatever became of the call."""

    title = _("decision")
    parameter_name = "decision"

    def options(self) -> Iterable[tuple[str, Any]]:
        return DecisionOutcome.choices

    def narrow(self, value: str) -> Q:
        return decided(DecisionOutcome(value))


class TargetFilter(TextFilter):
    title = _("target")
    parameter_name = "target"

    def narrow(self, value: str) -> Q:
        return Q(target_id=value)


def _named(column: str, name: Any) -> type[TextFilter]:
    """By a whole name that most events do not have."""
    body = {
        "title": name,
        "parameter_name": column,
        "narrow": lambda _self, value: is_of(column, value),
    }
    return type(f"{column.title()}Filter", (TextFilter,), body)


EVENT_FILTERS: list[Any] = [
    *times("recorded_at", _("from"), _("before")),
    ActionFilter,
    OutcomeFilter,
    DecisionFilter,
    select("actor__exact", _("actor"), lambda: ACTOR_KINDS, "actor"),
    SubjectFilter,
    _named("tool", _("tool")),
    _named("skill", _("skill")),
    TargetFilter,
    _named("reason_code", _("reason")),
    select("origin__exact", _("origin"), lambda: ORIGINS, "origin"),
]
