"""Fields that name a secret: one of those that are there is chosen, its value is not here."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.choices import CallableChoiceIterator
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from tools.secrets.refs import is_reference

type Names = Callable[[], Sequence[str]]


class _SecretSelect(UnfoldAdminSelectWidget):
    """With the one that is named already, be it there or not: it is not dropped in silence."""

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        known = {str(key) for key, _words in self.choices}
        gone = [text for text in value if text and text not in known]
        choices = list(self.choices)
        words = _("%(name)s (there is no such secret)")
        self.choices = [*choices, *((text, words % {"name": text}) for text in gone)]
        try:
            return super().optgroups(name, value, attrs)
        finally:
            self.choices = choices


class SecretField(forms.CharField):
    def __init__(self, names: Names, **options: Any) -> None:
        super().__init__(**{"widget": _SecretSelect(), **options})
        # Asked when they are shown, not when the form is made.
        offered = CallableChoiceIterator(lambda: [("", "–"), *((name, name) for name in names())])
        self.widget.choices = offered

    def prepare_value(self, value: Any) -> Any:
        return value["secret"] if is_reference(value) else value

    def clean(self, value: Any) -> Any:
        name = super().clean(value)
        return {"secret": name} if name else None


class _TextOrSecretWidget(forms.MultiWidget):
    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0"

    def decompress(self, value: Any) -> list[Any]:
        if is_reference(value):
            return ["", value["secret"]]
        return ["" if value is None else value, ""]

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        context = self.get_context(name, value, attrs)
        parts = [
            widget.render(part["name"], self._values(value)[n], part["attrs"], renderer)
            for n, (widget, part) in enumerate(
                zip(self.widgets, context["widget"]["subwidgets"], strict=True)
            )
        ]
        return mark_safe(  # noqa: S308  (our template)
            render_to_string(
                "admin/tools/text_or_secret.html", {"text": parts[0], "secret": parts[1]}
            )
        )

    def _values(self, value: Any) -> list[Any]:
        return value if isinstance(value, list) else self.decompress(value)


class TextOrSecretField(forms.MultiValueField):
    def __init__(self, names: Names, **options: Any) -> None:
        text = forms.CharField(required=False, strip=False)
        secret = SecretField(names, required=False)
        texts = UnfoldAdminTextInputWidget(attrs={"spellcheck": "false", "autocomplete": "off"})
        secret.widget.attrs["aria-label"] = _("or a secret")
        super().__init__(
            fields=(text, secret),
            widget=_TextOrSecretWidget(widgets=(texts, secret.widget)),
            **options,
        )

    def compress(self, data_list: Any) -> Any:
        text, secret = [*data_list, None, None][:2]
        if text and secret:
            raise forms.ValidationError(_("Either a text or a secret, not both."))
        return secret or text or ""
