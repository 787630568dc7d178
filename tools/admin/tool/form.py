"""The form of a tool row: its settings as fields of its type's schema, or as JSON."""

from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel
from unfold.widgets import UnfoldAdminSelectWidget

from config.base.admin_base import PrettyJSONField
from tools.admin.schema.form import PartForm
from tools.admin.schema.part import ObjectWidget, SchemaPart
from tools.admin.schema.structure import show_in
from tools.configs import load_config
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool
from tools.registry import find_tool_type, list_tool_types

TYPE_SHOWN = "type-shown"  # for which type the page that is being sent back had fields
_FIELDS = ["name", "slug", "description", "type", "config"]


def config_part(
    type_name: str, tool: Tool | None, data: QueryDict | None
) -> tuple[SchemaPart, str]:
    """With the type whose fields it has: another one gets what was typed for the one before,
    once that can be read."""
    stored = tool.config if tool and isinstance(tool.config, dict) else {}
    if data is None or not _is_of_other_type(data):
        return SchemaPart("config", _model(type_name), stored, data), type_name
    shown = str(data[TYPE_SHOWN])
    before = SchemaPart("config", _model(shown), stored, data)
    if before.value is None and before.field_names:
        return before, shown
    present = before.value if before.value is not None else stored
    return SchemaPart("config", _model(type_name), stored, data, present=present), type_name


def _model(type_name: str) -> type[BaseModel] | None:
    found = find_tool_type(type_name)
    return found.config_model if found else None


class ToolForm(PartForm, forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """`Tool.clean` judges type and config together; here each error finds its field.

    Subclassed for each page: `part` with the fields of one type.
    """

    type_shown: ClassVar[str]
    type = forms.ChoiceField(
        label=_("Type"),
        widget=UnfoldAdminSelectWidget,
        help_text=_("The settings of another type appear when you save."),
    )
    config = PrettyJSONField(
        label=_("Config"),
        widget=ObjectWidget,
        help_text=_("What is left out has its default. The fields above say the same."),
    )

    class Meta:
        model = Tool
        fields = [*_FIELDS, "needs_approval", "calls_per_day", "enabled", "sort_order"]
        help_texts: ClassVar = {
            "calls_per_day": _(
                "By everybody together, on one day (UTC). Empty or 0: no limit. A card that waits "
                "holds its place, and so does a call that failed; what is dismissed, expires or is "
                "refused gives it back. Calls from before there was a limit do not count."
            )
        }

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        self.other_type = _is_of_other_type(data)
        super().__init__(data and self.part.data, *args, **kwargs)
        show_in(self)
        self._config_is_wrong = False
        if "type" in self.fields:  # not for somebody who may only look
            self.fields["type"].choices = _choices(self.instance.type)  # type: ignore[attr-defined]  # a ChoiceField

    @property
    def changed_data(self) -> list[str]:
        """Of the row, not of the page."""
        return [name for name in super().changed_data if name in _ROW and name != "config"] + (
            ["config"] if self._config_differs() else []
        )

    def clean_calls_per_day(self) -> int:
        return self.cleaned_data.get("calls_per_day") or 0

    def _config_differs(self) -> bool:
        return bool(self.cleaned_data.get("config", self.part.stored) != self.part.stored)

    def clean(self) -> Any:
        cleaned = super().clean() or self.cleaned_data
        if self.other_type and self.type_shown == self.data["type"] and "type" in cleaned:
            self.add_error("type", gettext("Below are the settings of this type: save once more."))
            return cleaned
        try:
            config = self.part.clean(self)
        except forms.ValidationError as error:
            self.add_error("config", error)
            return cleaned
        self._config_is_wrong = config is None
        if config is not None:
            cleaned["config"] = config
            self._check(cleaned)
        return cleaned

    def _check(self, cleaned: dict[str, Any]) -> None:
        try:
            load_config(cleaned.get("type", ""), cleaned["config"])
        except UnknownToolType:
            return  # the row's own check says so
        except InvalidToolConfig as error:
            self._config_is_wrong = True
            fields = error.details.get("fields") or {"": error.message}
            self.part.add_errors(self, fields)

    def _post_clean(self) -> None:
        """The row's own check would say once more, in one line, what stands at the fields."""
        before = self.errors.get("config")
        super()._post_clean()  # type: ignore[misc]  # Django's own, without a type
        if self._config_is_wrong and not before:
            self.errors.pop("config", None)


_ROW = {*ToolForm.Meta.fields}


def _is_of_other_type(data: Any) -> bool:
    return bool(data) and TYPE_SHOWN in data and data[TYPE_SHOWN] != data.get("type")


def _choices(present: str) -> list[tuple[str, Any]]:
    choices: list[tuple[str, Any]] = [(found.name, found.label) for found in list_tool_types()]
    if present and find_tool_type(present) is None:
        choices.append((present, gettext("%(type)s (not installed)") % {"type": present}))
    return choices


class ToolRowForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A row of the list: switched off or moved even when its type is gone or its config broken."""

    def _post_clean(self) -> None:
        """As Django's, without `Tool.clean`: neither type nor config is touched here."""
        for name, value in self.cleaned_data.items():
            if name != "id":
                setattr(self.instance, name, value)
