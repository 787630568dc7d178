"""Forms of signing in."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        """After a wrong sign-in the name is filled in already: the password is typed again."""
        super().__init__(*arguments, **options)
        if self.data.get("username"):
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True
