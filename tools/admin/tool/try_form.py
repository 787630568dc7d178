"""The form of the test panel: arguments as fields or JSON, and for whom."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ValidationError
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from config.base.ids import uuid7
from config.base.models import User
from tools.admin.schema.form import PartForm
from tools.admin.schema.part import ObjectField, SchemaPart
from tools.admin.schema.structure import show_in
from tools.configs import field_errors, load_config
from tools.directory import agent_directory
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool
from tools.registry import get_tool_type
from tools.schemas import JSON

PEOPLE_OFFERED = 200


class TryForm(PartForm, forms.Form):
    """`decide_only`: what somebody else would get; nothing runs."""

    arguments = ObjectField(
        label=_("Arguments as JSON"),
        help_text=_("The fields above say the same."),
    )
    confirm = forms.BooleanField(
        label=_("I confirm"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("Answers the question for approval, for our own tools up to risk L2."),
    )
    key = forms.UUIDField(widget=forms.HiddenInput)
    person = forms.CharField(
        label=_("Person"),
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "people", "autocomplete": "off"}),
        help_text=_("Name or id."),
    )
    agent = forms.ChoiceField(
        label=_("Through agent"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("None: they call the tool themselves."),
    )

    def __init__(self, tool: Tool, data: QueryDict | None = None) -> None:
        self._model = _input_model(tool)
        self.part = SchemaPart("arguments", self._model, {}, data)
        self.decide_only = data is not None and "decide" in data
        super().__init__(self.part.data, initial={"key": uuid7(), "arguments": "{}"})
        self.fields.update(self.part.fields())
        show_in(self)
        names = [(str(pk), name) for pk, name in agent_directory().all_names().items()]
        self.fields["agent"].choices = [("", "–"), *names]  # type: ignore[attr-defined]  # a ChoiceField

    def clean_person(self) -> User | None:
        name = self.cleaned_data["person"].strip()
        if not self.decide_only:
            return None
        found = User.objects.filter(username=name).first() or _by_id(name)
        if found is None:
            raise forms.ValidationError(_("There is no such user."), code="unknown_user")
        return found

    def clean(self) -> JSON:
        cleaned = self.cleaned_data
        try:
            sent = self.part.clean(self)
        except forms.ValidationError as error:
            self.add_error("arguments", error)
            return cleaned
        if sent is not None:
            cleaned["arguments"] = sent
        return cleaned

    @property
    def agent_id(self) -> UUID | None:
        chosen = self.cleaned_data["agent"]
        return UUID(chosen) if chosen else None

    def mark_wrong_arguments(self) -> None:
        """At its field each, beside what the tool itself answered in one line."""
        arguments = self.cleaned_data["arguments"]
        try:
            if self._model:
                self._model.model_validate(arguments)
        except ValidationError as error:
            self.part.add_errors(self, field_errors(error))

    def argument_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.part.field_names]

    @staticmethod
    def people() -> list[str]:
        return list(User.objects.order_by("username").values_list("username", flat=True))[
            :PEOPLE_OFFERED
        ]


def _input_model(tool: Tool) -> type[BaseModel] | None:
    """None for a broken row: what it says when it is called can still be seen."""
    try:
        model: type[BaseModel] = get_tool_type(tool.type).input_model(
            load_config(tool.type, tool.config)
        )
    except (UnknownToolType, InvalidToolConfig):
        return None
    return model


def _by_id(text: str) -> Any:
    try:
        return User.objects.filter(pk=UUID(text)).first()
    except ValueError:
        return None
