"""With whom a document is shared, and for how long."""

import uuid
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django import forms
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from config.base.actor import Actor
from config.base.ids import uuid7
from config.base.models import Project, User
from documents import services
from documents.enums import ShareKind
from documents.services.sharing import Shared

_DAYS = [("1", _("1 day")), ("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days"))]


class ShareForm(forms.Form):
    kind: ClassVar[ShareKind]
    reader_field: ClassVar[str]
    title: ClassVar[Promise]
    icon: ClassVar[str]
    is_of_use = True
    days = forms.ChoiceField(label=_("For how long"), choices=[("0", _("no end")), *_DAYS])

    def __init__(self, _user: User, data: Any = None) -> None:
        super().__init__(data, auto_id=f"{self.kind}-%s")
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", "input")

    @property
    def expires_at(self) -> datetime | None:
        days = int(self.cleaned_data["days"])
        return timezone.now() + timedelta(days=days) if days else None

    def share(self, actor: Actor, document_id: uuid.UUID) -> Shared:
        raise NotImplementedError


class PersonForm(ShareForm):
    kind = ShareKind.USER
    reader_field = "user"
    title = _("With a person")
    icon = "user"
    user = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ("user", "days")

    def share(self, actor: Actor, document_id: uuid.UUID) -> Shared:
        name = self.cleaned_data["user"]
        return services.share_with_user(actor, document_id, name, expires_at=self.expires_at)


class ProjectForm(ShareForm):
    kind = ShareKind.PROJECT
    reader_field = "project"
    title = _("With everybody in a project")
    icon = "inbox"
    project = forms.ChoiceField(label=_("Project"))
    field_order = ("project", "days")

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(user, data)
        mine = Project.objects.filter(memberships__user_id=user.pk)
        choices = list(mine.values_list("slug", "name"))
        field = self.fields["project"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        self.is_of_use = bool(choices)

    def share(self, actor: Actor, document_id: uuid.UUID) -> Shared:
        slug = self.cleaned_data["project"]
        return services.share_with_project(actor, document_id, slug, expires_at=self.expires_at)


class LinkForm(ShareForm):
    """`row_id` makes the form good for one link: what is sent again makes no second one."""

    kind = ShareKind.LINK
    reader_field = "days"
    title = _("With whoever has the link")
    icon = "globe"
    days = forms.ChoiceField(label=_("For"), choices=_DAYS, initial="7")
    row_id = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)

    def share(self, actor: Actor, document_id: uuid.UUID) -> Shared:
        return services.make_link(
            actor,
            document_id,
            expires_at=self.expires_at,
            row_id=self.cleaned_data["row_id"],
        )
