"""What a person types; the services judge it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from config.base.models import Membership, Role, User
from documents.enums import SpaceRole
from documents.models.knowledge import FILE_NAME_LENGTH, NAME_LENGTH


class _Form(forms.Form):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            if not isinstance(field, forms.BooleanField):
                field.widget.attrs.setdefault("class", "input")


class SpaceForm(_Form):
    name = forms.CharField(label=_("Name"), max_length=NAME_LENGTH)
    project = forms.ChoiceField(
        label=_("Project"),
        required=False,
        help_text=_("All who work in it may read. Without one: only whom you let in."),
    )
    is_for_newcomers = forms.BooleanField(
        label=_("For newcomers"),
        required=False,
        help_text=_("Who applies to the project may read it too."),
    )

    def __init__(self, user: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        supervised = Membership.objects.filter(user=user, role=Role.SUPERVISOR)
        choices = supervised.order_by("project__name").values_list("project__slug", "project__name")
        if not choices:
            del self.fields["project"], self.fields["is_for_newcomers"]
            return
        self.fields["project"].choices = [("", _("None")), *choices]  # type: ignore[attr-defined]  # of a ChoiceField


class MemberForm(_Form):
    username = forms.CharField(
        label=_("User name"), max_length=150, help_text=_("Of somebody in a project with you.")
    )
    role = forms.ChoiceField(label=_("Role"), choices=SpaceRole.choices)


class UploadForm(_Form):
    file = forms.FileField(
        label=_("File"),
        max_length=1_000,
        allow_empty_file=True,  # refused by the service, in its words
        help_text=_("PDF, DOCX, PPTX, XLSX, HTML, Markdown or text."),
    )
    title = forms.CharField(
        label=_("Title"),
        max_length=FILE_NAME_LENGTH,
        required=False,
        help_text=_("Left empty, it is the file's name."),
    )
