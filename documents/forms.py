"""What a person types; judged by the rules that hold for everybody."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from config.base.errors import InvalidInput
from documents import texts
from documents.enums import DocumentType
from documents.models import Document, DocumentFields


class DocumentForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=255)
    type = forms.ChoiceField(
        label=_("Type"), choices=DocumentType.choices, initial=DocumentType.DOCUMENT
    )
    tags = forms.CharField(label=_("Tags"), required=False, help_text=_("Separated by commas."))
    summary = forms.CharField(
        label=_("Summary"),
        required=False,
        help_text=_("Left empty, it is made from the beginning of the text."),
    )
    content = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea,
        help_text=_("In Markdown: # heading, **bold**, - list."),
    )
    expected_revision = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: Any = None, *, document: Document | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.document = document
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", "input")
        if document is not None:
            self.initial = {**initial_of(document), **self.initial}

    def clean_title(self) -> str:
        return self._judged("title", texts.clean_title)

    def clean_tags(self) -> list[str]:
        return self._judged("tags", texts.clean_tags)

    def clean_summary(self) -> str:
        return self._judged("summary", texts.clean_summary)

    def clean_content(self) -> str:
        """Browsers send CR LF; the text keeps the line ending that it has."""
        present = self.document.content if self.document else ""
        text = self.cleaned_data["content"].replace("\r\n", "\n")
        self.cleaned_data["content"] = text.replace("\n", "\r\n") if "\r\n" in present else text
        longest = max(texts.MAX_CONTENT_LENGTH, len(present))
        return self._judged("content", lambda value: texts.clean_content(value, longest))

    def _judged[T](self, name: str, rule: Callable[[str], T]) -> T:
        try:
            return rule(self.cleaned_data[name])
        except InvalidInput as error:
            raise forms.ValidationError(error.message, code=error.code) from error

    def values(self) -> dict[str, Any]:
        """For the services. A summary that was left as it was is not one that was given."""
        names = ["title", "type", "tags", "content"]
        if self.document is None or self.cleaned_data["summary"] != self.document.summary:
            names.append("summary")
        return {name: self.cleaned_data[name] for name in names}


def initial_of(document: DocumentFields) -> dict[str, Any]:
    return {
        "title": document.title,
        "type": document.type,
        "tags": ", ".join(document.tags),
        "summary": document.summary,
        "content": document.content,
        "expected_revision": document.revision,
    }
