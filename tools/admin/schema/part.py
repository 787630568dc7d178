"""One JSON object within a form, as fields and as text behind them; whichever was changed counts.

Names in the form: `config` the text, `config.timeout_ms` a field, `config-shown` what both showed,
`config-other` keys that no field is for.
"""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from pydantic import BaseModel
from unfold.widgets import UnfoldAdminTextareaWidget

from tools.admin.schema.fields import JSONField, field_for
from tools.admin.schema.shapes import LEFT_OUT, Kind, Shape, shapes_of
from tools.schemas import JSON

_AREA = {"rows": 10, "spellcheck": "false", "data-grows": True}


class ObjectField(forms.CharField):
    """The whole object as text; nothing at all is an empty one."""

    def __init__(self, **options: Any) -> None:
        widget = UnfoldAdminTextareaWidget(attrs=_AREA)
        super().__init__(**{"widget": widget, "required": False, "strip": False, **options})

    def to_python(self, value: Any) -> Any:
        parsed = JSONField().to_python(value)
        if parsed is LEFT_OUT:
            return {}
        if not isinstance(parsed, dict):
            raise forms.ValidationError(_("Expected a JSON object, such as {}."))
        return parsed


class SchemaPart:
    """`stored` is the object as it is now; `shown` what the page showed that is being sent back."""

    def __init__(
        self,
        name: str,
        model: type[BaseModel] | None,
        stored: JSON,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.stored = stored
        self.shown = _shown(data, f"{name}-shown")
        self._present = stored if self.shown is None else self.shown
        self._shapes = {
            shape.name: shape.holding(self._present.get(shape.name, LEFT_OUT))
            for shape in (shapes_of(model) if model else [])
        }
        self._by_text = True  # which of the two counted
        self._others = {k: v for k, v in self._present.items() if k not in self._shapes}

    # --- The form ---

    @property
    def field_names(self) -> list[str]:
        names = [self.field_name(name) for name in self._shapes]
        return [*names, self.other_name] if self._shapes and self._others else names

    @property
    def shown_text(self) -> str:
        """Goes back with the form in `<name>-shown`."""
        return json.dumps(self._present)

    @property
    def other_name(self) -> str:
        return f"{self.name}-other"

    def field_name(self, name: str) -> str:
        return f"{self.name}.{name}"

    def fields(self) -> dict[str, forms.Field]:
        """All but the text, which the form declares itself."""
        fields = {
            self.field_name(shape.name): self._field(shape) for shape in self._shapes.values()
        }
        if self._shapes and self._others:
            fields[self.other_name] = ObjectField(
                label=_("Keys without a field"),
                help_text=_("This type does not know them. Take out what is not needed any more."),
                initial=to_text(self._others),
            )
        return fields

    def _field(self, shape: Shape) -> forms.Field:
        field = field_for(shape)
        field.initial = _initial(shape, self._present.get(shape.name, shape.default))
        return field

    def prefill(self, data: QueryDict) -> QueryDict:
        """For fields that were not on the page that is being sent back: as if they had been."""
        filled = data.copy()
        for name, field in self.fields().items():
            filled.pop(name, None)
            if isinstance(field.initial, list):
                filled.setlist(name, [str(value) for value in field.initial])
            elif field.initial not in (None, False, ""):
                filled[name] = str(field.initial)
        return filled

    # --- What was sent ---

    def clean(self, cleaned: JSON, *, text_is_valid: bool) -> Any:
        """The object as the form says it should be; None if the text that counts is no JSON.

        Raises `forms.ValidationError` when fields and text were changed, each in its own way.
        """
        text = cleaned.get(self.name, {}) if text_is_valid else None
        if self.shown is None or not self._shapes:
            return text
        from_fields = self._from_fields(cleaned)
        if text in (self.shown, from_fields):
            self._by_text = False
            return from_fields
        if self._touched(cleaned):
            raise forms.ValidationError(
                _("Both the fields and the JSON were changed: undo one of the two.")
            )
        return text

    def _from_fields(self, cleaned: JSON) -> JSON:
        """As it is stored now, with what was changed on the page."""
        result = dict(self.stored)
        for name, value in self._touched(cleaned).items():
            result.pop(name, None)
            if value is not LEFT_OUT and value != self._default(name):
                result[name] = value
        return result

    def _touched(self, cleaned: JSON) -> JSON:
        """Key to its new value."""
        changed = {}
        for shape in self._shapes.values():
            name = self.field_name(shape.name)
            if name not in cleaned:
                continue  # its own error is shown
            value = _read(shape, cleaned[name])
            if not _same(value, self._present.get(shape.name, shape.default)):
                changed[shape.name] = value
        return changed | self._touched_others(cleaned)

    def _touched_others(self, cleaned: JSON) -> JSON:
        if not self._others or self.other_name not in cleaned:
            return {}
        others = cleaned[self.other_name]
        gone = {name: LEFT_OUT for name in self._others if name not in others}
        new = {k: v for k, v in others.items() if not _same(v, self._others.get(k, LEFT_OUT))}
        return {**gone, **new}

    def _default(self, name: str) -> Any:
        return self._shapes[name].default if name in self._shapes else LEFT_OUT

    # --- What is wrong with it ---

    def place_of(self, path: str) -> tuple[str, str]:
        """For `allowed_domains.0`: the form's field, and what stands before the message."""
        top, _dot, rest = path.partition(".")
        if self._by_text:
            return self.name, f"{path}: " if path else ""
        if top in self._shapes:
            where = _("item %(n)d") % {"n": int(rest) + 1} if rest.isdigit() else rest
            return self.field_name(top), f"{where}: " if rest else ""
        in_others = top in self._others and bool(self._shapes)
        return self.other_name if in_others else self.name, f"{path}: " if path else ""

    def add_errors(self, form: forms.BaseForm, errors: Mapping[str, str]) -> None:
        """`errors`: path to message, as `tools.configs.field_errors` gives them."""
        for path, message in errors.items():
            name, where = self.place_of(path)
            form.add_error(name if name in form.fields else self.name, f"{where}{message}")


def to_text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _shown(data: Mapping[str, Any] | None, name: str) -> JSON | None:
    """None: that page had no fields, or somebody made it up."""
    try:
        shown = json.loads(data.get(name) or "") if data else None
    except (ValueError, RecursionError):
        return None
    return shown if isinstance(shown, dict) else None


def _initial(shape: Shape, value: Any) -> Any:
    if value is LEFT_OUT or (value is None and shape.default in (None, LEFT_OUT)):
        return "" if shape.kind is not Kind.FLAG else None
    match shape.kind:
        case Kind.LINES:
            return "\n".join(value or ())
        case Kind.PAIRS:
            return "\n".join(f"{key}: {text}" for key, text in (value or {}).items())
        case Kind.SECRET_PAIRS:
            return "\n".join(
                f"{key}: {held if isinstance(held, str) else json.dumps(held)}"
                for key, held in (value or {}).items()
            )
        case Kind.JSON:
            return to_text(value)
        case Kind.TEXT_OR_JSON:
            return value if isinstance(value, str) and not _is_json(value) else to_text(value)
    return "" if value is None else value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read(shape: Shape, value: Any) -> Any:
    """What an empty field says: null where that can be, else what holds when it is left out."""
    if value is LEFT_OUT or (value is None and not shape.nullable):
        return shape.default
    if value in ("", [], {}, None):
        if shape.nullable:
            return None if shape.default is not LEFT_OUT else LEFT_OUT
        if shape.required and value == "":
            return LEFT_OUT
        if shape.default is None:  # of a schema that names none: it is left out
            return None
    return value


def _same(one: Any, other: Any) -> bool:
    """JSON's own idea: true is not 1."""
    if one is LEFT_OUT or other is LEFT_OUT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
