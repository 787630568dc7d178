"""The two forms of an import: where the document is, and what is to become of it."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from tools.admin.new_tools import NEW_TOOLS, OFF, ON
from tools.admin.schema.fields import LinesField
from tools.configs.outside import check_networks
from tools.models import Secret
from tools.openapi.choices import Choices
from tools.openapi.errors import ChoiceInvalid
from tools.openapi.limits import MAX_DOCUMENT_BYTES
from tools.openapi.security import Scheme
from tools.openapi.source import fetch_content


def _line(**options: Any) -> forms.CharField:
    return forms.CharField(
        required=False, max_length=2000, widget=UnfoldAdminTextInputWidget, **options
    )


def _lines(**options: Any) -> LinesField:
    area = UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"})
    return LinesField(required=False, widget=area, **options)


def _networks() -> LinesField:
    return _lines(
        label=_("Private networks"),
        help_text=_(
            "One a line, such as 10.0.0.0/8: what is not public and may be reached on purpose, by "
            "this import and by its tools."
        ),
    )


class SourceForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        required=False,
        widget=UnfoldAdminFileFieldWidget,
        help_text=_("OpenAPI 3.0 or 3.1, JSON or YAML."),
    )
    url = _line(label=_("Or its URL"), help_text=_("It is fetched once, now."))
    allowed_private_networks = _networks()

    def clean_allowed_private_networks(self) -> list[str]:
        return _checked_networks(self.cleaned_data["allowed_private_networks"])

    def clean(self) -> Any:
        cleaned = self.cleaned_data
        if bool(cleaned.get("file")) == bool(cleaned.get("url")) and not self.errors:
            raise forms.ValidationError(_("Give a file or a URL, one of the two."))
        return cleaned

    def content(self) -> tuple[bytes, str]:
        """With where it comes from. Raises what `fetch_content` raises."""
        upload: Any = self.cleaned_data["file"]
        if upload is None:
            networks = self.cleaned_data["allowed_private_networks"]
            return fetch_content(self.cleaned_data["url"], networks)
        return upload.read(MAX_DOCUMENT_BYTES + 1), ""


def _checked_networks(networks: list[str]) -> list[str]:
    try:
        return list(check_networks(tuple(networks)))
    except ValueError as error:
        raise forms.ValidationError(str(error)) from error


class ChoiceForm(forms.Form):
    """`operations` are checkboxes of their own, beside what is told of each."""

    enabled = forms.ChoiceField(
        label=_("New tools are"),
        initial=OFF,
        choices=NEW_TOOLS,
        widget=UnfoldAdminRadioSelectWidget,
    )
    slug_prefix = _line(label=_("Prefix of slugs"), help_text=_("Such as pets_; of new tools."))
    name = _line(
        label=_("Name of the document"),
        help_text=_("The next import under this name changes these tools instead of adding more."),
    )
    base_url = _line(label=_("Base URL"), help_text=_("Empty: as the document says."))
    write_domains = _lines(
        label=_("Write domains"),
        help_text=_("Hosts, one a line, to which a write counts as reversible (L2), not as L3."),
    )
    allowed_private_networks = _networks()

    def __init__(
        self,
        data: QueryDict | None,
        *,
        schemes: Iterable[Scheme],
        known: Mapping[str, str],
        initial: Mapping[str, Any],
    ) -> None:
        super().__init__(data, initial=dict(initial))
        names = list(Secret.objects.order_by("name").values_list("name", flat=True))
        self._schemes = [scheme for scheme in schemes if scheme.credential is not None]
        for number, scheme in enumerate(self._schemes):
            self.fields[f"secret-{number}"] = forms.ChoiceField(
                label=scheme.name[:60],
                required=False,
                initial=known.get(scheme.name, ""),
                choices=[("", "–"), *((name, name) for name in names)],
                help_text=" ".join(filter(None, (scheme.kind, scheme.description))),
                widget=UnfoldAdminSelectWidget,
            )

    def clean_allowed_private_networks(self) -> list[str]:
        return _checked_networks(self.cleaned_data["allowed_private_networks"])

    def clean(self) -> Any:
        try:
            if not self.errors:
                self.choices()
        except ChoiceInvalid as error:
            raise forms.ValidationError(error.message) from error
        return self.cleaned_data

    def choices(self) -> Choices:
        """Raises `ChoiceInvalid`."""
        told = self.cleaned_data
        chosen = {
            scheme.name: told[f"secret-{number}"] for number, scheme in enumerate(self._schemes)
        }
        return Choices(
            document=told["name"],
            prefix=told["slug_prefix"],
            base_url=told["base_url"],
            secrets=chosen,
            write_domains=tuple(told["write_domains"]),
            allowed_private_networks=tuple(told["allowed_private_networks"]),
            enabled=told["enabled"] == ON,
        )

    def secret_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("secret-")]
