"""Secrets of the operator: written here, never shown again."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from unfold.decorators import display
from unfold.views import ChangeList
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextareaWidget

from config.base.admin_base import AuditedModelAdmin, ConsoleChangeList, Label, admin_actor
from tools.admin.schema.fields import LinesField
from tools.models import Secret
from tools.secrets.errors import InvalidSecret, SecretKeyMissing
from tools.secrets.keys import knows_key, newest_key
from tools.secrets.rules import check_hosts, check_value
from tools.secrets.services import change_secret, create_secret, delete_secret
from tools.secrets.users import users_by_secret, users_of


class SecretForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    value = forms.CharField(
        label=_("Value"),
        required=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=_("As it is sent, as in “Bearer …”. It is never shown again."),
    )
    allowed_hosts = LinesField(
        label=_("Allowed hosts"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_(
            "One a line: api.example.com, or *.example.com for its subdomains. It is sent to no "
            "other host."
        ),
    )

    class Meta:
        model = Secret
        fields = ["name", "allowed_hosts", "allow_http", "note"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "allowed_hosts" not in self.fields:
            return  # somebody who may only look
        self.initial["allowed_hosts"] = "\n".join(self.instance.allowed_hosts)
        if self.instance._state.adding:
            self.fields["value"].required = True
        else:
            self.fields["value"].help_text = _("Empty: it stays as it is. It is never shown.")

    def clean_value(self) -> str:
        value: str = self.cleaned_data["value"]
        try:
            return check_value(value) if value else ""
        except InvalidSecret as error:
            raise ValidationError(error.details["fields"]["value"]) from error

    def clean_allowed_hosts(self) -> list[str]:
        try:
            return check_hosts(self.cleaned_data["allowed_hosts"])
        except InvalidSecret as error:
            raise ValidationError(error.details["fields"]["allowed_hosts"]) from error

    def clean(self) -> Any:
        """Without a key nothing can be sealed: said here, not by a page that breaks."""
        try:
            if self.cleaned_data.get("value"):
                newest_key()
        except SecretKeyMissing as error:
            raise ValidationError(error.message, code=error.code) from error
        return super().clean()

    def _post_clean(self) -> None:
        """A value is never sent back: who mends another field must give it again, and know so."""
        super()._post_clean()  # type: ignore[misc]  # Django's own, without a type
        if self.errors and self.cleaned_data.get("value"):
            words = _("It is never sent back to a page, so enter it again: nothing was saved.")
            self.add_error("value", words)


class SecretChangeList(ConsoleChangeList):
    def get_results(self, request: HttpRequest) -> None:
        """With who uses each, in as many queries for one row as for many."""
        super().get_results(request)
        users = users_by_secret()
        for secret in self.result_list:
            secret.used_by = users.get(secret.name, [])


@admin.register(Secret)
class SecretAdmin(AuditedModelAdmin):
    form = SecretForm
    list_display = ["name", "hosts", "http", "note", "users", "key", "last_used_at"]
    search_fields = ["name", "note"]
    readonly_fields = ["users", "key", "created_at", "updated_at", "last_used_at"]
    fieldsets = [
        (
            None,
            {
                "fields": ["name", "value", "allowed_hosts", "allow_http", "note"],
                "description": _(
                    'Settings name it as {"secret": "name"}. Agents, the log and the API see the '
                    "name at most."
                ),
            },
        ),
        (_("Use"), {"fields": ["users", "key", "last_used_at", "created_at", "updated_at"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.defer("sealed")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SecretChangeList

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Settings name it by its name, which stays."""
        return ["name", *self.readonly_fields] if obj else self.readonly_fields

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has no use yet; to somebody who may only look there is no value to write."""
        first, use = self.fieldsets
        if obj is None:
            return [first]
        if self.has_change_permission(request, obj):
            return [first, use]
        return [(None, {"fields": ["name", "hosts", "allow_http", "note"]}), use]

    @method_decorator(sensitive_post_parameters("value"))
    def changeform_view(self, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(*args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """The services audit; a change writes what was changed in the form, nothing else."""
        names = [name for name in form.changed_data if name != "name" or not change]
        values = {name: form.cleaned_data[name] for name in names}
        if change:
            change_secret(admin_actor(request), obj.pk, **values)
            return
        made = create_secret(admin_actor(request), **values)
        obj.pk, obj._state.adding = made.pk, False

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        delete_secret(admin_actor(request), obj.pk)

    def get_deleted_objects(
        self, objs: QuerySet[Any] | Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Who names one stands in the way."""
        rows = list(objs)
        shown, counts, forbidden, _protected = super().get_deleted_objects(rows, request)
        users = users_by_secret()
        in_the_way = [user for row in rows for user in users.get(str(row), [])]
        return shown, counts, forbidden, in_the_way

    @admin.display(description=_("allowed hosts"))
    def hosts(self, secret: Secret) -> str:
        return ", ".join(secret.allowed_hosts)

    @display(description=_("also over http"), ordering="allow_http", label={"yes": "warning"})
    def http(self, secret: Secret) -> Label | str:
        return Label("yes", _("yes")) if secret.allow_http else "–"

    @admin.display(description=_("used by"))
    def users(self, secret: Secret) -> str:
        found: list[str] | None = getattr(secret, "used_by", None)
        return ", ".join(users_of(secret) if found is None else found) or "–"

    @display(description=_("sealed"), label={"ok": "success", "old": "warning", "lost": "danger"})
    def key(self, secret: Secret) -> Label:
        if not knows_key(secret.key_id):
            return Label("lost", _("its key is not there"))
        if secret.key_id != newest_key().id:
            return Label("old", _("with an older key"))
        return Label("ok", _("with the newest key"))
