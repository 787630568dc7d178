"""What the operator's pages share: changes are audited with what they change, readers only read."""

import json
from collections import Counter
from collections.abc import Iterable
from copy import copy
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.contrib.admin import ActionLocation
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import NestedObjects, quote
from django.core.exceptions import ValidationError
from django.db import router, transaction
from django.db.models import Model, QuerySet
from django.forms import JSONField
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin as UnfoldModelAdmin
from unfold.views import ChangeList

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.admin_races import told
from config.base.people import signed_in

MAX_SEARCH_WORDS = 10  # each is a condition of its own; more than this no database should weigh
_UNITS = (
    (86_400, gettext_lazy("%(n)s d")),
    (3_600, gettext_lazy("%(n)s h")),
    (60, gettext_lazy("%(n)s min")),
)


def admin_actor(request: HttpRequest) -> Actor:
    """Staff act as operators, never as somebody."""
    return Actor(user=signed_in(request), origin=Origin.ADMIN, role="operator")


class ConsoleChangeList(ChangeList):
    """A time at the end of the calendar, which has no next year or is none in UTC, is refused like
    others that make no sense: Django takes it, and fails where it is used.
    """

    def get_filters(self, request: HttpRequest) -> Any:
        try:
            return super().get_filters(request)
        except (ValueError, OverflowError) as error:
            raise IncorrectLookupParameters(error) from error

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
        except OverflowError as error:
            raise IncorrectLookupParameters(error) from error
        if not (self.has_active_filters or self.query):
            self.full_result_count = self.result_count  # else unfold offers to show all


class ConsoleAdmin(UnfoldModelAdmin):
    """What goes with a row is counted, not listed: it may be what other people wrote."""

    empty_value_display = "–"
    list_before_template = "admin/applied.html"  # type: ignore[assignment]  # unfold says None

    @told
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    @told
    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().delete_view(request, *args, **kwargs)

    @told
    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changelist_view(request, *args, **kwargs)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ConsoleChangeList

    def get_action_choices(
        self,
        request: HttpRequest,
        default_choices: Any = None,
        action_location: ActionLocation = ActionLocation.CHANGE_LIST,
    ) -> Any:
        """Past unfold's, which does not know Django's newest argument."""
        blank = [("", _("Select action"))]
        return super(UnfoldModelAdmin, self).get_action_choices(request, blank, action_location)

    def get_deleted_objects(
        self, objs: QuerySet[Any] | Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        rows = list(objs)
        collector = NestedObjects(using=router.db_for_write(self.model), origin=rows)
        collector.collect(rows)
        by_model = cast("dict[type[Model], set[Model]]", collector.model_objs)
        counts = {
            str(model._meta.verbose_name_plural): len(found) for model, found in by_model.items()
        }
        protected = cast("set[Model]", set(collector.protected))
        stand_in_the_way = Counter(str(row._meta.verbose_name_plural) for row in protected)
        allowed = self.has_delete_permission(request)
        return (
            [f"{name}: {count}" for name, count in counts.items()],
            counts,
            set() if allowed else {str(self.opts.verbose_name)},
            [f"{name}: {count}" for name, count in stand_in_the_way.items()],
        )


class AuditedModelAdmin(ConsoleAdmin):
    """Every change is one `config.changed` in the same transaction; the values stay out of it."""

    def record_change(self, request: HttpRequest, row: Model, fields: Iterable[str]) -> None:
        audit.record(
            "config.changed",
            audit.Outcome.SUCCEEDED,
            actor=admin_actor(request),
            target=(str(row._meta.model_name), str(row.pk)),
            metadata={"fields": sorted(fields)},
        )

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """From the audit: Django's own knows only what was done in these forms, without values."""
        return import_string(settings.CONSOLE_HISTORY)(self, request, object_id)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A row that is gone is not made anew."""
        obj.save(force_update=change)
        if form.changed_data or not change:
            self.record_change(request, obj, form.changed_data)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        keys = {id(deleted.instance): deleted.instance.pk for deleted in formset.deleted_forms}
        super().save_formset(request, form, formset, change)
        for row in formset.new_objects:
            self.record_change(request, row, ["created"])
        for row, fields in formset.changed_objects:
            self.record_change(request, row, fields)
        for row in formset.deleted_objects:
            row.pk = keys[id(row)]
            self.record_change(request, row, ["deleted"])

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        key = obj.pk
        with transaction.atomic():
            super().delete_model(request, obj)
            obj.pk = key
            self.record_change(request, obj, ["deleted"])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            for row in queryset:
                self.delete_model(request, row)


class ReadOnlyAdmin(ConsoleAdmin):
    show_full_result_count = False  # counting millions of rows costs more than showing fifty
    list_per_page = 50

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Nobody changes such rows here: they have no history to show."""
        context = {**(extra_context or {}), "show_history": False}
        return super().changeform_view(request, object_id, form_url, context)

    def has_add_permission(self, request: HttpRequest, *_parent: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PrettyEncoder(json.JSONEncoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "indent": 2})


class PrettyJSONField(JSONField):
    """JSON that a person edits: over several lines; nothing at all is an empty object."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"encoder": PrettyEncoder, "required": False, "initial": dict, **options}
        )

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        return {} if cleaned is None else cleaned


def named[Row: Model](row: Row, title: Any) -> Row:
    """A copy for the breadcrumb of a page of its own: unfold knows no words but the row's."""
    copied = copy(row)
    copied.name = title  # type: ignore[attr-defined]  # what such rows are called
    return copied


class Label(NamedTuple):
    """What unfold colours in a list by its key; a detail page shows the words alone."""

    key: str
    words: Any  # maybe lazy

    def __html__(self) -> str:
        return str(conditional_escape(self.words))


def row_link(kind: str, key: Any, words: str = "") -> SafeString | str:
    """The page of a row, by its model's name (`action_draft` or `actiondraft`).

    Its text is `words`, which never are what people wrote, else its key; so is one that is gone, or
    has no page. For detail pages: each costs a query.
    """
    if not key:
        return "–"
    model = _models_with_pages().get(kind.replace("_", ""))
    if model is None or not _exists(model, key):
        return str(key)
    return _link(model, key, words)


def present_link(kind: str, key: Any, words: str = "") -> SafeString | str:
    """As `row_link`, of a row that was just read: no query, so for lists too."""
    model = _models_with_pages().get(kind.replace("_", ""))
    return _link(model, key, words) if model else str(key)


def _link(model: type[Model], key: Any, words: str) -> SafeString:
    address = reverse(
        f"admin:{model._meta.label_lower.replace('.', '_')}_change", args=[quote(key)]
    )
    return format_html(
        '<a href="{}" class="text-link" title="{}">{}</a>', address, key, words or key
    )


def short_link(kind: str, key: UUID | None) -> SafeString | str:
    """By the end of its id: what people called it stays out."""
    return row_link(kind, key, f"…{str(key)[-8:]}") if key else "–"


def _models_with_pages() -> dict[str, type[Model]]:
    return {str(model._meta.model_name): model for model in admin.site._registry}


def _exists(model: type[Model], key: Any) -> bool:
    try:
        return model._default_manager.filter(pk=key).exists()
    except (ValueError, ValidationError):  # no such key can be
        return False


def search_link(model: str, words: Any, text: Any) -> SafeString:
    """A list of the console, searched; `model` as in `tools_toolcall`."""
    address = reverse(f"admin:{model}_changelist", query={"q": str(words)})
    return format_html('<a href="{}" class="text-link">{}</a>', address, text)


def as_block(value: Any) -> SafeString | str:
    """JSON as text that keeps its lines."""
    if value in (None, "", {}, []):
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return format_html('<pre class="whitespace-pre-wrap break-words">{}</pre>', text)


def short_time(moment: datetime) -> SafeString:
    """For lists: on one line, to the second, in the reader's zone."""
    local = timezone.localtime(moment)
    text = f"{local:%Y-%m-%d %H:%M:%S}"
    return format_html('<time class="gh-time" datetime="{}">{}</time>', moment.isoformat(), text)


def short_span(span: timedelta) -> str:
    """To the largest unit that says something: 0.4 s, 17 s, 5 min, 3 h, 2 d."""
    seconds = span.total_seconds()
    for size, words in _UNITS:
        if seconds >= 2 * size:
            return str(words) % {"n": f"{seconds / size:.0f}"}
    return _("%(n)s s") % {"n": f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"}
