"""Scopes of tokens, and what is for operators only."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from config.base.models import ApiToken

if TYPE_CHECKING:  # DRF's views read their default permissions, these, while they are imported
    from rest_framework.views import APIView


class ScopeMissing(PermissionDenied):
    default_code = "scope_missing"
    default_detail = _("This token lacks the scope {scope}.")

    def __init__(self, scope: str) -> None:
        super().__init__(str(self.default_detail).format(scope=str(scope)))


def has_scope(request: Request, scope: str) -> bool:
    """A session may do what its user may; a token only what its scopes name."""
    return not isinstance(request.auth, ApiToken) or scope in request.auth.scopes


def require_scope(request: Request, scope: str) -> None:
    if not has_scope(request, scope):
        raise ScopeMissing(scope)


class HasScope(BasePermission):
    """By the view's `scope` (or `scopes`: method to scope). A view that names none is refused."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.method == "OPTIONS" or request.method not in view.allowed_methods:
            return True  # what can be asked here; or nothing to be permitted: the view says 405
        scopes: dict[str, str] = getattr(view, "scopes", {})
        method = "GET" if request.method == "HEAD" else request.method or ""
        scope = scopes.get(method, getattr(view, "scope", ""))
        if not scope:
            return not isinstance(request.auth, ApiToken)
        require_scope(request, scope)
        return True


class IsOperator(BasePermission):
    """Staff, who may do here what they may do in the console: by the view's `model_permissions`
    (method to codename). A view that names none for a method is refused.
    """

    message = _("This is for operators.")

    def has_permission(self, request: Request, view: "APIView") -> bool:
        user = request.user
        if not (user and user.is_authenticated and user.is_staff):
            return False
        if request.method == "OPTIONS" or request.method not in view.allowed_methods:
            return True  # as HasScope
        method = "GET" if request.method == "HEAD" else request.method or ""
        needed: dict[str, str] = getattr(view, "model_permissions", {})
        return method in needed and user.has_perm(needed[method])
