"""A model profile as an operator writes it: what can't work is said before anybody waits for it."""

import re
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from agents.model_clients.hints import missing_key
from agents.models import ModelProfile
from agents.models.agent import MAX_FALLBACKS, RULES
from tools.secrets.use import is_meant_for

# What a model's server is sent is what this variable holds: no other secret of ours.
_KEY_NAME = re.compile(r"_(KEY|TOKEN)\Z")
_OUR_OWN = re.compile(r"\A(GATEHOUSE_(?!MODEL)|DJANGO_|DATABASE_|PG)")


_HELP = {
    "model": _(
        "provider/model, such as anthropic/claude-…; openai/NAME for an OpenAI-compatible server "
        "with a base URL; rules for the offline model inside Gatehouse."
    ),
    "external": _(
        "Content leaves this installation, which is over https only. Take it away for a server "
        "inside, which may also be reached over http."
    ),
    "fallback": _(
        "For one that always answers, add a profile with the model rules and choose it here."
    ),
}


class ModelProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    class Meta:
        model = ModelProfile
        fields = "__all__"  # noqa: DJ007  (the fieldsets choose)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in _HELP.keys() & self.fields.keys():
            self.fields[name].help_text = _HELP[name]
        if "fallback" in self.fields and self.instance.pk:  # not for somebody who may only look
            others = ModelProfile.objects.exclude(pk=self.instance.pk)
            self.fields["fallback"].queryset = others  # type: ignore[attr-defined]  # a model choice

    def clean_base_url(self) -> str:
        base_url: str = self.cleaned_data["base_url"].strip()
        if not base_url:
            return ""
        url = urlsplit(base_url)
        if url.scheme not in {"http", "https"}:
            raise ValidationError(_("Only http and https."), code="scheme")
        if "@" in url.netloc:
            raise ValidationError(
                _("No user name or password here: put the key into the environment."), code="secret"
            )
        if url.query or url.fragment:
            raise ValidationError(_("Only the address, without ? and #."), code="address")
        return base_url.rstrip("/")

    def clean_api_key_env(self) -> str:
        name: str = self.cleaned_data["api_key_env"]
        if name and (not _KEY_NAME.search(name) or _OUR_OWN.search(name)):
            raise ValidationError(
                _("A variable for a model's key: its name ends in _KEY or _TOKEN."), code="name"
            )
        return name

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        self._check_name(data)
        self._check_scheme(data)
        self._check_secret(data)
        if data.get("fallback"):
            self._check_fallback(data)
        return data

    def _check_name(self, data: dict[str, Any]) -> None:
        from agents.model_clients.litellm_client import is_known_model

        model = data.get("model")
        if "base_url" not in data or not model:
            return
        if model == RULES:
            data["external"] = False
            if data["base_url"]:
                message = _(
                    "“rules” is the model inside Gatehouse, which has no base URL. For a model of "
                    "your server, write openai/NAME."
                )
                self.add_error("model", ValidationError(message, code="no_address"))
        elif not data["base_url"] and not is_known_model(model):
            message = _(
                "litellm does not know whom to ask for this. Write provider/model, as in "
                "openai/gpt-4o or anthropic/claude-…; or give the base URL of your own server."
            )
            self.add_error("model", ValidationError(message, code="unknown_model"))

    def _check_scheme(self, data: dict[str, Any]) -> None:
        if data.get("external") and data.get("base_url", "").startswith("http://"):
            message = _(
                "Content leaves only over https. If the server is inside, take “external” away."
            )
            self.add_error("base_url", ValidationError(message, code="not_https"))

    def _check_secret(self, data: dict[str, Any]) -> None:
        """As each request is judged; here it is said before anybody waits for it."""
        secret, url = data.get("api_key_secret"), urlsplit(data.get("base_url") or "")
        if not secret or not url.hostname:
            return
        if not is_meant_for(secret, url.hostname):
            message = _("It is not meant for %(host)s: add that to its hosts.")
            self._refuse_secret(message % {"host": url.hostname}, "secret_host_not_allowed")
        elif url.scheme != "https" and not secret.allow_http:
            self._refuse_secret(_("It is sent over https only."), "secret_needs_https")

    def _refuse_secret(self, message: Any, code: str) -> None:
        self.add_error("api_key_secret", ValidationError(message, code=code))

    def _check_fallback(self, data: dict[str, Any]) -> None:
        """As `usable_chain` goes at run time, which then stops; here it is said why."""
        names = [data.get("name") or "?"]
        kept = [] if data.get("external") or data.get("fallback_may_leave") else [names[0]]
        one: ModelProfile | None = data["fallback"]
        while one is not None:
            names.append(one.name)
            if one.pk == self.instance.pk:
                self._refuse_fallback(_("It leads back to itself: %(names)s."), names, "circle")
                return
            if len(names) > MAX_FALLBACKS + 1:
                self._refuse_fallback(
                    _("At most three follow one another: %(names)s."), names, "too_many"
                )
                return
            if one.leaves and kept:
                self._refuse_fallback(
                    _(
                        "“%(last)s” is external, and content of “%(kept)s” stays inside. Tick “may "
                        "leave” there if it may go out."
                    ),
                    names,
                    "leaves",
                    kept=kept[0],
                )
                return
            if not one.leaves and not one.fallback_may_leave:
                kept.append(one.name)
            one = one.fallback

    def _refuse_fallback(self, message: Any, names: list[str], code: str, kept: str = "") -> None:
        said = message % {"names": " → ".join(names), "last": names[-1], "kept": kept}
        self.add_error("fallback", ValidationError(said, code=code))

    def warnings(self) -> list[str]:
        """What can be saved, and will not work yet."""
        missing = missing_key(self.instance)
        return [missing] if missing else []
