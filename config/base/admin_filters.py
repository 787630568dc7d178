"""Filters of logs: by what an index finds, in plain controls, sent together.

A value that makes no sense is shown as it is and finds nothing: never more than was asked for.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget


class FilterForm(forms.Form):
    """unfold's filters show the fields of a form; its own selects need scripts to be seen."""

    def __init__(self, name: str, field: forms.Field, value: Any) -> None:
        super().__init__({name: value})
        self.fields[name] = field


class ParameterFilter(admin.SimpleListFilter):
    """One parameter of the address; `narrow` says what it means."""

    template = "unfold/filters/filters_field.html"
    parameter_name: str

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self._query = request.GET

    def narrow(self, value: str) -> Q:
        """Raises `ValueError` for what it can't mean."""
        raise NotImplementedError

    def field(self) -> forms.Field:
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return []

    def has_output(self) -> bool:
        return True

    def value(self) -> str:
        given = super().value() or ""
        return given.replace("\0", "").strip()

    def shown(self) -> str:
        """As the control wants it."""
        return self.value()

    def in_words(self) -> str:
        """What it narrows to, for the line above the list; nothing where it does not."""
        return self.value()

    def without(self) -> str:
        """The address of the list that it does not narrow."""
        query = self._query.copy()
        for name in (self.parameter_name, PAGE_VAR):
            query.pop(name, None)
        return f"?{query.urlencode()}"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        try:
            return queryset.filter(self.narrow(self.value()))
        except (ValueError, OverflowError):
            return queryset.none()

    def choices(self, changelist: Any) -> Any:
        yield {"form": FilterForm(self.parameter_name, self.field(), self.shown())}


class TextFilter(ParameterFilter):
    input_type: ClassVar[str] = "text"
    attributes: ClassVar[dict[str, Any]] = {}

    def field(self) -> forms.Field:
        attributes = {"type": self.input_type, "autocomplete": "off", **self.attributes}
        widget = UnfoldAdminTextInputWidget(attrs=attributes)
        return forms.CharField(label=capfirst(self.title), required=False, widget=widget)


class SelectFilter(ParameterFilter):
    def options(self) -> Iterable[tuple[str, Any]]:
        raise NotImplementedError

    @cached_property
    def offered(self) -> list[tuple[str, Any]]:
        """Asked for once: the control and the words above the list both want them."""
        return list(self.options())

    def field(self) -> forms.Field:
        return forms.ChoiceField(
            label=capfirst(self.title),
            required=False,
            choices=[("", "–"), *self.offered],
            widget=UnfoldAdminSelectWidget,
        )

    def in_words(self) -> str:
        names = {str(value): str(name) for value, name in self.offered}
        return names.get(self.value(), self.value())


class PeriodFilter(SelectFilter):
    """Up to now, in one choice; `column` is a time of the row."""

    title = _("period")
    parameter_name = "within"
    column: ClassVar[str]

    def options(self) -> Iterable[tuple[str, Any]]:
        return [("today", _("today")), *((key, span[0]) for key, span in _SPANS.items())]

    def narrow(self, value: str) -> Q:
        now = timezone.localtime()
        if value == "today":
            since = now.replace(hour=0, minute=0, second=0, microsecond=0)
        elif value in _SPANS:
            since = now - _SPANS[value][1]
        else:
            raise ValueError(value)
        return Q(**{f"{self.column}__gte": since})


_SPANS = {
    "24h": (_("24 hours"), timedelta(hours=24)),
    "7d": (_("7 days"), timedelta(days=7)),
    "30d": (_("30 days"), timedelta(days=30)),
}


class TimeFilter(TextFilter):
    """In the zone of whoever asks; `lookup` is such as `created_at__gte`."""

    input_type = "datetime-local"
    attributes = {"step": "1"}
    lookup: ClassVar[str]

    def narrow(self, value: str) -> Q:
        return Q(**{self.lookup: parse_time(value)})

    def shown(self) -> str:
        """Such a control takes no offset."""
        try:
            return timezone.localtime(parse_time(self.value())).strftime("%Y-%m-%dT%H:%M:%S")
        except (ValueError, OverflowError):
            return ""

    def in_words(self) -> str:
        return self.shown().replace("T", " ") or self.value()


def parse_time(text: str) -> datetime:
    """A date is its first moment; without an offset it is in the zone of whoever asks. In UTC, as
    databases keep it. Raises `ValueError`, and `OverflowError` where UTC has no such time.
    """
    time = datetime.fromisoformat(text.replace(" ", "+") if text.count(":") > 2 else text)
    return (time if timezone.is_aware(time) else timezone.make_aware(time)).astimezone(UTC)


def select(
    parameter: str,
    name: Any,
    options: Callable[[], Iterable[tuple[str, Any]]],
    lookup: str,
) -> type[SelectFilter]:
    """A filter by one of some values."""
    body = {
        "title": name,
        "parameter_name": parameter,
        "options": lambda _self: options(),
        "narrow": lambda _self, value: Q(**{lookup: value}),
    }
    return type(f"{parameter.title()}Filter", (SelectFilter,), body)


def times(field: str, since: Any, until: Any) -> list[type[ParameterFilter]]:
    """Up to now, or from a moment on, or before one."""
    ends = [("since", since, "gte"), ("until", until, "lt")]
    return [
        type("PeriodFilter", (PeriodFilter,), {"column": field}),
        *(
            type(
                f"{name.title()}Filter",
                (TimeFilter,),
                {"title": title, "parameter_name": name, "lookup": f"{field}__{lookup}"},
            )
            for name, title, lookup in ends
        ),
    ]
