"""What an operator says of a rule."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from config.base.errors import GatehouseError
from config.base.outbound.addresses import parse_networks
from config.base.outbound.errors import OutboundError
from config.base.outbound.urls import ParsedUrl, parse_url
from skills.alerts.choices import Choice, reason_choices, skill_choices, tool_choices
from skills.alerts.delivery import policy_of
from skills.alerts.models import AlertRule
from tools.admin.schema.fields import LinesField
from tools.models import Secret
from tools.secrets.use import check_secret


class NetworksField(LinesField):
    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


_OFFERED = {"tool": tool_choices, "skill": skill_choices, "reason_code": reason_choices}


class AlertRuleForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    allowed_networks = NetworksField(
        label=_("Private networks"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_(
            "Where the webhook may be besides public addresses: 10.0.0.0/8, one a line. "
            "Gatehouse itself is never called."
        ),
    )

    class Meta:
        model = AlertRule
        fields = [
            *("name", "denials", "minutes", "tool", "skill", "reason_code"),
            *("url", "secret", "allowed_networks", "enabled"),
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, offered in _OFFERED.items():
            if field := self.fields.get(name):  # who may only look has none
                self.fields[name] = _chosen(field, offered(getattr(self.instance, name)))

    def clean_allowed_networks(self) -> list[str]:
        networks: list[str] = self.cleaned_data["allowed_networks"]
        try:
            parse_networks(networks)
        except ValueError as error:
            raise ValidationError(str(error), code="network_invalid") from error
        return networks

    def clean(self) -> Any:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("url") and "allowed_networks" in cleaned and "secret" in cleaned:
            self._check_webhook(cleaned["url"], cleaned["secret"])
        return cleaned

    def _check_webhook(self, text: str, secret: Secret | None) -> None:
        """All that can be known before anything is sent."""
        try:
            url = parse_url(text)
            rule = AlertRule(allowed_networks=self.cleaned_data["allowed_networks"])
            policy_of(rule).check_url(url)
        except OutboundError as error:
            self.add_error("url", ValidationError(error.message, code=error.code))
            return
        self._check_secret(secret, url)

    def _check_secret(self, secret: Secret | None, url: ParsedUrl) -> None:
        if secret is None:
            message = _("A webhook is signed: choose the secret that its receiver knows too.")
            self.add_error("secret", ValidationError(message, code="secret_missing"))
            return
        try:
            check_secret(secret.name, url.host, scheme=url.scheme)
        except GatehouseError as error:
            self.add_error("secret", ValidationError(error.message, code=error.code))


def _chosen(field: forms.Field, choices: list[Choice]) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=field.label,
        help_text=field.help_text,
        required=False,
        choices=choices,
        widget=UnfoldAdminSelectWidget,
    )
