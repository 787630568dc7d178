"""What a person types; judged by the rules that hold for everybody."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.api.memory_fields import ImportSerializer
from agents.memories import values
from agents.models import Memory, MemoryLayer
from agents.models.memory import LEAST_IMPORTANCE, MOST_IMPORTANCE
from config.base.errors import InvalidInput

MAX_FILE_BYTES = 5_000_000
_SHOWN_PROBLEMS = 20


class MemoryForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Text"),
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("One fact or wish, so that it can be understood by itself."),
    )
    subject = forms.CharField(
        label=gettext_lazy("Subject"),
        required=False,
        help_text=gettext_lazy("Whom or what it is about; it is found by that, too."),
    )
    importance = forms.TypedChoiceField(
        label=gettext_lazy("Importance"),
        coerce=int,
        choices=[(n, str(n)) for n in range(LEAST_IMPORTANCE, MOST_IMPORTANCE + 1)],
    )
    layer = forms.ChoiceField(label=gettext_lazy("How long?"), choices=MemoryLayer.choices)

    def __init__(self, data: Any = None, *, memory: Memory) -> None:
        names = ("text", "subject", "importance", "layer")
        super().__init__(data, initial={name: getattr(memory, name) for name in names})
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", "input")
        if memory.conversation_id is None:
            del self.fields["layer"]  # there is none that it could end with

    def clean_text(self) -> str:
        return self._judged("text", values.clean_text)

    def clean_subject(self) -> str:
        return self._judged("subject", values.clean_subject)

    def _judged(self, name: str, rule: Callable[[str], str]) -> str:
        try:
            return rule(self.cleaned_data[name].replace("\r\n", "\n"))
        except InvalidInput as error:
            raise forms.ValidationError(error.message, code=error.code) from error


class ImportForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "The file that “Export” gave you, or another JSON file made like it."
        ),
        widget=forms.FileInput(attrs={"class": "input", "accept": "application/json,.json"}),
    )

    def clean_file(self) -> dict[str, Any]:
        """What the API takes, with each line that does not fit."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_FILE_BYTES:
            message = _("A file has at most %(n)s MB.") % {"n": MAX_FILE_BYTES // 1_000_000}
            raise forms.ValidationError(message, code="too_large")
        try:
            sent = json.loads(file.read())
        except (ValueError, RecursionError) as error:
            message = _("This is no JSON that can be read.")
            raise forms.ValidationError(message, code="invalid") from error
        body = ImportSerializer(data=sent)
        if not body.is_valid():
            raise forms.ValidationError(_problems(body.errors))
        read: dict[str, Any] = body.validated_data
        return read


def _problems(errors: Any) -> list[str]:
    """In words, with the number of the line."""
    return [_told(place, words) for place, words in _leaves(errors)][:_SHOWN_PROBLEMS]


def _told(place: tuple[Any, ...], words: str) -> str:
    if place[:1] == ("memories",) and len(place) > 2:
        told = {"n": place[1] + 1, "field": place[2], "message": words}
        return _("Line %(n)s, %(field)s: %(message)s") % told
    return f"{place[0]}: {words}" if place else words


def _leaves(errors: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(errors, str):
        yield place, str(errors)
    elif isinstance(errors, dict):
        for name, inner in errors.items():
            yield from _leaves(inner, (*place, name))
    else:
        is_words = all(isinstance(one, str) for one in errors)
        for number, inner in enumerate(errors):
            yield from _leaves(inner, place if is_words else (*place, number))
