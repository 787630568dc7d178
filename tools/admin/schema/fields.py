"""Form fields for the shapes of a schema: what is typed into them cleans to JSON."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from tools.admin.schema.secret_fields import Names, SecretField, TextOrSecretField
from tools.admin.schema.shapes import LEFT_OUT, Kind, Shape

_CODE = {"spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"}


def _textarea(rows: int) -> UnfoldAdminTextareaWidget:
    """Grows with what is in it, where the browser can (console.css)."""
    return UnfoldAdminTextareaWidget(attrs={**_CODE, "rows": rows, "data-grows": True})


class LinesField(forms.CharField):
    """A list of strings, one a line."""

    def to_python(self, value: Any) -> Any:
        lines = (line.strip() for line in str(value or "").splitlines())
        return [line for line in lines if line]


class PairsField(forms.CharField):
    """An object of strings, a `key: value` a line."""

    def to_python(self, value: Any) -> Any:
        pairs: dict[str, str] = {}
        for line in filter(str.strip, str(value or "").splitlines()):
            key, colon, text = line.partition(":")
            if not colon or not key.strip():
                message = _("Each line is “key: value”; this one is not: %(line)s")
                raise forms.ValidationError(message % {"line": line.strip()[:80]})
            if key.strip() in pairs:
                message = _("The key %(key)s is there twice.")
                raise forms.ValidationError(message % {"key": key.strip()})
            pairs[key.strip()] = text.strip()
        return pairs


class LongTextField(forms.CharField):
    """As it was typed: browsers send line ends in pairs."""

    def to_python(self, value: Any) -> Any:
        return str(super().to_python(value)).replace("\r\n", "\n")


class JSONField(forms.CharField):
    """Any JSON; nothing at all is a key that is left out."""

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        if not text:
            return LEFT_OUT
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(
                _("This is not JSON: %(error)s") % {"error": error}
            ) from error

    def validate(self, value: Any) -> None:
        """Whether it may be left out is the schema's affair."""


class TextOrJSONField(JSONField):
    """What is no JSON is a text."""

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except forms.ValidationError:
            return str(value).replace("\r\n", "\n")


class NumberField(forms.FloatField):
    """5 stays 5 and does not become 5.0."""

    def to_python(self, value: Any) -> Any:
        number = super().to_python(value)
        try:
            return int(str(value))
        except ValueError:
            return number


class TypedChoicesField(forms.MultipleChoiceField):
    """Choices keep their types: a number is none of the texts."""

    def __init__(self, *, values: Sequence[Any], **options: Any) -> None:
        self._by_text = {str(value): value for value in values}
        super().__init__(choices=[(text, text) for text in self._by_text], **options)

    def clean(self, value: Any) -> Any:
        return [self._by_text[text] for text in super().clean(value)]


def field_for(shape: Shape, secrets: Names) -> forms.Field:
    """Never required in the form: whether a key may be left out is said by the model."""
    field = _field_for(shape, secrets)
    if shape.required and not shape.is_bare:
        field.widget.attrs["aria-required"] = "true"  # the star beside the label follows it
    return field


def _field_for(shape: Shape, secrets: Names) -> forms.Field:
    facts: dict[str, Any] = {
        "label": shape.label,
        "help_text": help_for(shape),
        "required": False,
    }
    match shape.kind:
        case Kind.SECRET:
            return SecretField(secrets, **facts)
        case Kind.TEXT_OR_SECRET:
            return TextOrSecretField(secrets, **facts)
        case Kind.FLAG if not shape.may_be_absent:
            return forms.BooleanField(widget=UnfoldBooleanSwitchWidget, **facts)
        case Kind.FLAG | Kind.CHOICE:
            return _choice(shape, facts)
        case Kind.CHOICES:
            boxes = UnfoldAdminCheckboxSelectMultipleWidget
            return TypedChoicesField(values=shape.choices, widget=boxes, **facts)
        case Kind.INTEGER | Kind.NUMBER:
            return _number(shape, facts)
        case Kind.TEXT:
            widget = UnfoldAdminTextInputWidget(attrs=dict(_CODE))
            return forms.CharField(widget=widget, strip=False, max_length=shape.max_length, **facts)
    return _AREAS[shape.kind](widget=_textarea(2), strip=False, **facts)


_AREAS: dict[Kind, type[forms.CharField]] = {
    Kind.LONG_TEXT: LongTextField,
    Kind.LINES: LinesField,
    Kind.PAIRS: PairsField,
    Kind.TEXT_OR_JSON: TextOrJSONField,
    Kind.JSON: JSONField,
}


def _choice(shape: Shape, facts: dict[str, Any]) -> forms.Field:
    values = (True, False) if shape.kind is Kind.FLAG else shape.choices
    names = {True: _("yes"), False: _("no")} if shape.kind is Kind.FLAG else {}
    by_text = {str(value): value for value in values}
    choices = [(text, names.get(value, text)) for text, value in by_text.items()]
    if shape.required or shape.may_be_absent:
        choices.insert(0, ("", "–"))
    return forms.TypedChoiceField(
        choices=choices,
        coerce=lambda value: by_text[str(value)],
        empty_value=None,
        widget=UnfoldAdminSelectWidget,
        **facts,
    )


def _number(shape: Shape, facts: dict[str, Any]) -> forms.Field:
    whole = shape.kind is Kind.INTEGER
    widget = UnfoldAdminIntegerFieldWidget(attrs={} if whole else {"step": "any"})
    facts |= {"min_value": shape.minimum, "max_value": shape.maximum, "widget": widget}
    return forms.IntegerField(**facts) if whole else NumberField(**facts)


def help_for(shape: Shape) -> SafeString:
    """What it means, how it is written, what holds without it. Escaped: not all of it is ours."""
    parts = [shape.description, _how(shape.kind), _bounds(shape), _default(shape)]
    text = " ".join(part for part in parts if part)
    return format_html("{} <code>{}</code>", text, shape.name) if shape.name else escape(text)


def _how(kind: Kind) -> str:
    return {
        Kind.LINES: _("One a line."),
        Kind.PAIRS: _("One “key: value” a line."),
        Kind.TEXT_OR_JSON: _("Text, or a JSON value."),
        Kind.JSON: _("As JSON."),
    }.get(kind, "")


def _bounds(shape: Shape) -> str:
    low, high = shape.minimum, shape.maximum
    if low is not None and high is not None:
        return _("From %(low)s to %(high)s.") % {"low": low, "high": high}
    if low is not None:
        return _("At least %(low)s.") % {"low": low}
    return _("At most %(high)s.") % {"high": high} if high is not None else ""


def _as_default(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _default(shape: Shape) -> str:
    if shape.is_bare:
        return ""
    if shape.required:
        return _("Required.")
    value = shape.default
    if value in (LEFT_OUT, None, "", [], {}) or shape.kind is Kind.FLAG:
        return ""
    is_plain = shape.kind in (Kind.LINES, Kind.CHOICES) and isinstance(value, list)
    text = ", ".join(map(str, value)) if is_plain else _as_default(value)
    return _("Default: %(value)s.") % {"value": text}
