"""What an operator says of an export and of a verification."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from config.base.models import User
from skills.erasure import PersonActive
from skills.models import ACTOR_KINDS, OUTCOMES, AuditEvent, AuditSubject
from skills.selectors import decided, list_events
from skills.verify import parse_head
from tools.enums import DecisionOutcome


def _time_field(label: Any) -> forms.DateTimeField:
    attributes = {"type": "datetime-local", "step": "1"}
    widget = UnfoldAdminTextInputWidget(attrs=attributes)
    return forms.DateTimeField(
        label=label,
        required=False,
        widget=widget,
        input_formats=["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"],
    )


def _text_field(label: Any, help_text: Any = "") -> forms.CharField:
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, required=False, help_text=help_text, widget=widget)


def _choice_field(label: Any, choices: list[Any]) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label, required=False, choices=[("", "–"), *choices], widget=UnfoldAdminSelectWidget
    )


class ExportForm(forms.Form):
    """All of it is optional."""

    since = _time_field(_("From"))
    until = _time_field(_("Before"))
    action = _text_field(_("Action"), _("Whole, such as tool.call.denied."))
    outcome = _choice_field(_("Outcome"), OUTCOMES)
    decision = _choice_field(_("Decision"), DecisionOutcome.choices)
    actor = _choice_field(_("Actor"), ACTOR_KINDS)
    user = _text_field(_("User"), _("The file itself names nobody."))

    def clean_user(self) -> AuditSubject | None:
        name = self.cleaned_data["user"].strip()
        if not name:
            return None
        subject = AuditSubject.objects.filter(user__username=name).first()
        if subject is None:
            raise forms.ValidationError(_("Nothing was recorded of such a user."))
        return subject

    def events(self) -> QuerySet[AuditEvent]:
        said = self.cleaned_data
        events = list_events(
            action=said["action"].strip(),
            outcome=said["outcome"] or None,
            since=said["since"],
            until=said["until"],
        )
        if said["decision"]:
            events = events.filter(decided(DecisionOutcome(said["decision"])))
        if said["actor"]:
            events = events.filter(actor=said["actor"])
        return events.filter(subject=said["user"].pk) if said["user"] else events

    def facts(self) -> dict[str, Any]:
        """For the audit: what was asked for."""
        said = {**self.cleaned_data, "user": None}
        subject = self.cleaned_data["user"]
        facts = {name: value for name, value in said.items() if value}
        return {**facts, "subject": subject.pk} if subject else facts


class EraseForm(forms.Form):
    def __init__(self, operator: User, data: Any = None) -> None:
        super().__init__(data)
        self.operator = operator

    user = _text_field(_("User"), _("The user name of an account that is not active any more."))
    account = forms.BooleanField(
        label=_("Delete the account as well"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=_("With all that is theirs: conversations, documents, memories, grants, jobs."),
    )

    def clean_user(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["user"].strip()).first()
        if user is None:
            raise forms.ValidationError(_("There is no such user."))
        if user.is_active:
            raise forms.ValidationError(PersonActive().message)
        return user

    def clean_account(self) -> bool:
        """Whoever may not delete the account in Users may not do it here."""
        wanted: bool = self.cleaned_data["account"]
        user = self.cleaned_data.get("user")
        is_above = user is not None and user.is_superuser and not self.operator.is_superuser
        if wanted and (is_above or not self.operator.has_perm("base.delete_user")):
            raise forms.ValidationError(_("You may not delete this account."))
        return wanted


class VerifyForm(forms.Form):
    head = _text_field(
        _("Head"),
        _("COUNT:SEAL, as given earlier; shows whether the end was cut since."),
    )

    def clean_head(self) -> str:
        head: str = self.cleaned_data["head"].strip()
        try:
            if head:
                parse_head(head)
        except ValueError as error:
            raise forms.ValidationError(_("A head looks like COUNT:SEAL.")) from error
        return head
