"""One JSON object within a form, as fields and as text behind them; whichever was changed counts.

Names in the form: `config` the text, `config.timeout_ms` a field, `config-shown` what was stored
when the page was opened, `config-step` what fields and text both said when it was last shown,
`config-other` keys that no field is for, `config:act` a button that changes the form itself.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from django import forms
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from pydantic import BaseModel
from unfold.widgets import UnfoldAdminTextareaWidget

from tools.admin.schema.acts import apply_act, unshown_choices, with_their_fields
from tools.admin.schema.builder import Builder, inner_name
from tools.admin.schema.fields import JSONField
from tools.admin.schema.fits import fits
from tools.admin.schema.nodes import Choice, Node, Rows
from tools.admin.schema.reader import shapes_of
from tools.admin.schema.shapes import LEFT_OUT, MADE_OF_OTHERS, Shape, same, to_text
from tools.admin.schema.structure import StructureField
from tools.schemas import JSON
from tools.secrets.selectors import list_secret_names


class ObjectWidget(UnfoldAdminTextareaWidget):
    """With the button that brings it in step with the fields."""

    def __init__(self) -> None:
        super().__init__(attrs={"rows": 10, "spellcheck": "false", "data-grows": True})

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        context = {"area": super().render(name, value, attrs, renderer), "name": name}
        return mark_safe(render_to_string("admin/tools/object_text.html", context))  # noqa: S308  (our template)


class ObjectField(forms.CharField):
    """The whole object as text; nothing at all is an empty one."""

    def __init__(self, **options: Any) -> None:
        facts = {"widget": ObjectWidget(), "required": False, "strip": False}
        super().__init__(**{**facts, **options})

    def to_python(self, value: Any) -> Any:
        parsed = JSONField().to_python(value)
        if parsed is LEFT_OUT:
            return {}
        if not isinstance(parsed, dict):
            raise forms.ValidationError(_("Expected a JSON object, such as {}."))
        return parsed


class SchemaPart:
    """`stored` is the object as it is now; `data` what a page sent, None for a page's first time.

    `present`: what to show instead of what the page says, as its fields are of something else.
    `self.data` is what the form is bound to: text and fields in step with each other.
    """

    def __init__(
        self,
        name: str,
        model: type[BaseModel] | None,
        stored: JSON,
        data: QueryDict | None = None,
        *,
        present: JSON | None = None,
    ) -> None:
        self.name = name
        self.stored = stored
        self.shown = _json_in(data, f"{name}-shown")
        self.act = data.get(f"{name}:act", "") if data is not None else ""
        self._builder = Builder(cache(list_secret_names))
        self._as_json = _names_in(data, f"{name}-as-json")
        self._shapes = shapes_of(model) if model else []
        self._both_changed = False
        self._unshown: list[Choice] = []
        self._by_text = True  # which of the two counted
        self._value: JSON | None = None
        self._step = self._first(data) if present is None else present
        self._nodes = self._of_value(self._step)
        self.data = data
        if data is None or not self._shapes:
            return
        if present is None:
            self._take(data)
        else:
            self._take_other(data, present)

    def _first(self, data: QueryDict | None) -> JSON:
        step = _json_in(data, f"{self.name}-step")
        return next(one for one in (step, self.shown, self.stored) if one is not None)

    # --- The form ---

    @property
    def field_names(self) -> list[str]:
        names = [node.name for node in self._nodes]
        return [*names, self.other_name] if self._shapes and self._others else names

    @property
    def shown_text(self) -> str:
        """Goes back with the form in `<name>-shown`."""
        return json.dumps(self.stored if self.shown is None else self.shown)

    @property
    def step_text(self) -> str:
        return json.dumps(self._step)

    @property
    def as_json_text(self) -> str:
        return json.dumps(self._shown_as_json())

    def _shown_as_json(self) -> list[str]:
        """Those keys that could be something else: how they are to be read again."""
        kinds = {shape.name: shape.kind for shape in self._shapes}
        names = {node.shape.name: node.shape.kind for node in self._nodes}
        return [name for name, kind in names.items() if kind is not kinds[name]]

    @property
    def other_name(self) -> str:
        return f"{self.name}-other"

    @property
    def value(self) -> JSON | None:
        """What `clean` gives if there is nothing wrong with it."""
        return self._value

    def fields(self) -> dict[str, forms.Field]:
        """All but the text, which the form declares itself."""
        return self._fields_of(self._nodes)

    def _fields_of(self, nodes: list[Node]) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        for node in nodes:
            if node.shape.kind in MADE_OF_OTHERS:
                fields[node.name] = StructureField(node)
            fields |= dict(node.fields())
        if self._shapes and self._others:
            fields[self.other_name] = ObjectField(
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "spellcheck": "false"}),
                label=_("Keys without a field"),
                help_text=_("This type does not know them. Take out what is not needed any more."),
                initial=to_text(self._others),
            )
        return fields

    @property
    def _others(self) -> JSON:
        known = {shape.name for shape in self._shapes}
        return {key: value for key, value in self._step.items() if key not in known}

    def _holding(self, shape: Shape, value: JSON) -> Shape:
        """As JSON, if this value can't be shown as what it should be."""
        fit = fits(shape, value.get(shape.name, LEFT_OUT))
        return shape if fit else shape.as_json_text()

    def _sent_as(self, shape: Shape) -> Shape:
        if self._as_json is None:
            return self._holding(shape, self._step)
        return shape.as_json_text() if shape.name in self._as_json else shape

    def _of_value(self, value: JSON) -> list[Node]:
        return [
            self._builder.of_value(
                self._holding(shape, value),
                inner_name(self.name, shape.name),
                shape.label,
                value.get(shape.name, LEFT_OUT),
            )
            for shape in self._shapes
        ]

    def _of_data(self, data: QueryDict) -> list[Node]:
        return [
            self._builder.of_data(
                self._sent_as(shape), inner_name(self.name, shape.name), shape.label, data
            )
            for shape in self._shapes
        ]

    # --- What was sent ---

    def _take(self, data: QueryDict) -> None:
        if self.shown is None:  # text alone was sent
            self._by_text, self._value = True, _object_of(data.get(self.name, ""))
            self._show(data, self._step if self._value is None else self._value)
            return
        self._nodes = self._of_data(data)
        self._unshown = unshown_choices(self._nodes)
        if self._unshown:
            self.data = data = with_their_fields(self._unshown, self._builder, data)
            self._nodes = self._of_data(data)
        self._settle(data)
        if self.act and not self._both_changed:
            self._change_the_form()

    def _settle(self, data: QueryDict) -> None:
        """Which of the two was changed since they said the same."""
        text, said = _object_of(data.get(self.name, "")), self._said(self._nodes, data)
        text_changed = text is None or not same(text, self._step)
        fields_changed = self._are_changed(data, said)
        if text_changed and not fields_changed:
            self._take_text(data, text)
        elif text_changed and (said is None or text is None or not same(text, said)):
            self._by_text, self._both_changed = text is None, True
        else:
            self._take_fields(data, said)

    def _are_changed(self, data: QueryDict, said: JSON | None) -> bool:
        """Against a page that nobody touched: its fields may say more than was stored."""
        nodes = self._of_value(self._step)
        untouched = self._filled(data, nodes)
        if self._sent(data) == self._sent(untouched):
            return False
        before = self._said(nodes, untouched)
        return said is None or before is None or not same(said, before)

    def _sent(self, data: QueryDict) -> dict[str, list[str]]:
        ours = {name: data.getlist(name) for name in data if self._is_field(name)}
        return {
            name: [value.replace("\r\n", "\n") for value in values]
            for name, values in ours.items()
            if any(values)
        }

    def _is_field(self, name: str) -> bool:
        return name == self.other_name or name.startswith(f"{self.name}.")

    def _change_the_form(self) -> None:
        assert self.data is not None
        data = apply_act(self.act, self._nodes, self._builder, self.data)
        self.data, self._nodes = data, self._of_data(data)
        self._take_fields(data, self._said(self._nodes, data))

    def _take_other(self, data: QueryDict, present: JSON) -> None:
        self._value = present
        self._show(data, present)
        assert self.data is not None
        self.data[self.name] = to_text(present)

    def _take_text(self, data: QueryDict, text: JSON | None) -> None:
        self._value = text
        if text is not None:
            self._show(data, text)

    def _take_fields(self, data: QueryDict, said: JSON | None) -> None:
        self._by_text = False
        if said is None:
            return  # the fields have their own errors
        self._value = self._merged(said)
        if not same(said, self._step):
            self._step = said
            self.data = data.copy()
            self.data[self.name] = to_text(said)

    def _show(self, data: QueryDict, value: JSON) -> None:
        """As if a page with fields for this value had been sent."""
        self._step = value
        self._nodes = self._of_value(value)
        self._as_json = set(self._shown_as_json())
        self.data = self._filled(data, self._nodes)

    def _filled(self, data: QueryDict, nodes: list[Node]) -> QueryDict:
        filled = data.copy()
        for name in filter(self._is_field, data):
            del filled[name]
        for node in nodes:
            for name, sent in node.sent():
                filled.appendlist(name, sent)
        if self._others:
            filled[self.other_name] = to_text(self._others)
        return filled

    def _said(self, nodes: list[Node], data: QueryDict) -> JSON | None:
        """None where one can't be read: `fields` say what is wrong with it."""
        typed: JSON = {}
        try:
            for name, field in self._fields_of(nodes).items():
                typed[name] = field.clean(field.widget.value_from_datadict(data, {}, name))
        except forms.ValidationError:
            return None
        if any(_wrong_places(nodes, typed)):
            return None
        said = {
            node.shape.name: node.read(typed, self._step.get(node.shape.name, LEFT_OUT))
            for node in nodes
        }
        made = {key: value for key, value in said.items() if value is not LEFT_OUT}
        return made | (typed[self.other_name] if self.other_name in data else self._others)

    def _merged(self, said: JSON) -> JSON:
        """As it is stored now, with what was changed on the page."""
        shown, result = self.shown or {}, dict(self.stored)
        for key in {**shown, **said}:
            new = said.get(key, LEFT_OUT)
            if not same(new, shown.get(key, LEFT_OUT)):
                result.pop(key, None)
                if new is not LEFT_OUT:
                    result[key] = new
        return result

    def clean(self, form: forms.BaseForm) -> Any:
        """The object as the form says it should be; None if what counts can't be read.

        Raises `forms.ValidationError` when fields and text were changed, each in its own way.
        """
        for name, message in _wrong_places(self._nodes, form.cleaned_data):
            form.add_error(name, message)
        for choice in self._unshown:
            form.add_error(choice.kind_name, _("Below are the fields of this kind: send it again."))
        if self._unshown:
            return None
        if not self._shapes:
            return form.cleaned_data.get(self.name)
        if self._both_changed:
            if self.name in form.errors:
                return None
            raise forms.ValidationError(
                _("Both the fields and the JSON were changed: undo one of the two.")
            )
        return form.cleaned_data.get(self.name) if self._by_text else self._value

    # --- What is wrong with it ---

    def place_of(self, path: str) -> tuple[str, str]:
        """For `allowed_domains.0`: the form's field, and what stands before the message."""
        if self._by_text:
            return self.name, f"{path}: " if path else ""
        for node in self._nodes:
            top = node.shape.name
            if path == top or path.startswith(f"{top}."):
                name, where = node.find(path[len(top) + 1 :])
                return name, f"{where}: " if where else ""
        in_others = path.partition(".")[0] in self._others and bool(self._shapes)
        return self.other_name if in_others else self.name, f"{path}: " if path else ""

    def add_errors(self, form: forms.BaseForm, errors: Mapping[str, str]) -> None:
        """`errors`: path to message, as `tools.configs.field_errors` gives them."""
        for path, message in errors.items():
            name, where = self.place_of(path)
            form.add_error(name if name in form.fields else self.name, f"{where}{message}")


def _wrong_places(nodes: list[Node], typed: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What no field can see by itself."""
    for node in (inner for top in nodes for inner in top.walk()):
        if isinstance(node, Rows):
            for name in node.repeated_keys(typed):
                yield name, _("This name is there twice.")


def _json_in(data: QueryDict | None, name: str) -> JSON | None:
    """None: that page had no fields, or somebody made it up."""
    try:
        shown = json.loads(data.get(name) or "") if data else None
    except (ValueError, RecursionError):
        return None
    return shown if isinstance(shown, dict) else None


def _names_in(data: QueryDict | None, name: str) -> set[str] | None:
    try:
        found = json.loads(data.get(name) or "") if data else None
    except (ValueError, RecursionError):
        return None
    return set(map(str, found)) if isinstance(found, list) else None


def _object_of(text: str) -> JSON | None:
    try:
        found: JSON = ObjectField().clean(text)
    except forms.ValidationError:
        return None
    return found
