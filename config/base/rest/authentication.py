"""Session with CSRF, or `Authorization: Bearer <token>`."""

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from config.base.models import ApiToken, User
from config.base.tokens import use_token

_SCHEME = "bearer"


class TokenAuthentication(authentication.BaseAuthentication):
    """Once only: a request that brings a bearer token is never judged by its cookie as well."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, value = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != _SCHEME:
            return None
        token = use_token(value.strip())
        if token is None:
            raise AuthenticationFailed(_("The token is not valid, or no longer."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="gatehouse"'


class SessionAuthentication(authentication.SessionAuthentication):
    """Asks for sign-in with 401, as the token does."""

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="gatehouse"'


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "config.base.rest.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "config.base.rest.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
