"""Signing in, with an end to guessing: attempts are counted by account and by address."""

import hashlib
from typing import Any

from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext
from unfold.forms import AuthenticationForm as ConsoleForm

from config.base.limits import sign_in_limits
from config.base.rates import Limit, forget, give_back, take


class Guarded(AuthenticationForm):
    """Counts before it looks at the password, so that guessing in parallel gains nothing."""

    request: HttpRequest | None
    seconds_to_wait = 0

    def clean(self) -> Any:
        limits = _limits(self.request, self.cleaned_data)
        self.seconds_to_wait = _take_all(limits)
        if self.seconds_to_wait:
            raise _too_many(self.seconds_to_wait)
        cleaned = super().clean()
        if self.get_user():
            _right(limits)
        return cleaned


class SignInForm(Guarded):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        """After a wrong sign-in the name is filled in already: the password is typed again."""
        super().__init__(*arguments, **options)
        if self.data.get("username"):
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True


class ConsoleSignInForm(Guarded, ConsoleForm):
    pass


class SignIn(views.LoginView):
    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if isinstance(form, Guarded) and form.seconds_to_wait:
            response.status_code = 429
            response["Retry-After"] = str(form.seconds_to_wait)
        return response


def _limits(request: HttpRequest | None, given: dict[str, Any]) -> list[tuple[Limit, str]]:
    if request is None or not (given.get("username") and given.get("password")):
        return []
    account = given["username"].casefold().encode()
    name = hashlib.sha256(account).hexdigest()[:32]  # no names in that table
    return sign_in_limits(name, request.META.get("REMOTE_ADDR", ""))


def _take_all(limits: list[tuple[Limit, str]]) -> int:
    """Seconds to wait. What one limit refuses counts towards no other: else one address could use
    up an account's attempts from everywhere.
    """
    for limit, who in limits:
        if seconds := take(limit, who):
            return seconds
    return 0


def _right(limits: list[tuple[Limit, str]]) -> None:
    """The right password: the attempt was none, and neither were those just before it."""
    for limit, who in limits[:1]:
        forget(limit, who)
    for limit, who in limits[1:]:
        give_back(limit, who)


def _too_many(seconds: int) -> ValidationError:
    minutes = -(-seconds // 60)
    text = ngettext(
        "Too many attempts to sign in. Try again in %(minutes)s minute.",
        "Too many attempts to sign in. Try again in %(minutes)s minutes.",
        minutes,
    )
    return ValidationError(text, code="throttled", params={"minutes": minutes})
