"""What every request passes: the policy of its page, the person's language, errors as pages."""

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csp import ContentSecurityPolicyMiddleware
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from config.base.errors import GatehouseError, TooManyRequests
from config.base.limits import person_limit
from config.base.rates import take

type GetResponse = Callable[[HttpRequest], HttpResponse]


class ContentSecurityPolicy(ContentSecurityPolicyMiddleware):
    """The strict policy everywhere; the admin and the API's docs page have their own."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not hasattr(response, "_csp_config"):
            if request.path.startswith("/admin/"):
                response._csp_config = settings.ADMIN_CSP  # type: ignore[attr-defined]  # Django's own hook
            elif request.path.startswith("/api/docs/"):
                response._csp_config = settings.API_DOCS_CSP  # type: ignore[attr-defined]  # as above
        # Else a browser looks up the hosts of links that nobody clicks, and a name can carry data.
        response.headers.setdefault("X-DNS-Prefetch-Control", "off")
        return super().process_response(request, response)


class UserPreferences:
    """The signed-in person's language and zone, for pages and messages alike."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user  # the API's own sign-in replaces it on the way
        if not user.is_authenticated:
            return self.get_response(request)
        with translation.override(user.language), timezone.override(user.time_zone):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", user.language)
        return response


class RateLimit:
    """What a person may ask of our pages per minute; the API counts for itself, by token too."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if user.is_authenticated and not request.path.startswith("/api/"):
            seconds = take(person_limit(), user.pk)
            if seconds:
                return _too_many(request, seconds)
        return self.get_response(request)


def _too_many(request: HttpRequest, seconds: int) -> HttpResponse:
    response = render(request, "error.html", {"error": TooManyRequests()}, status=429)
    response["Retry-After"] = str(seconds)
    return response


class ErrorPages:
    """Our errors, raised by page views, as pages; the API answers for itself."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 404 and not request.resolver_match:
            return _unknown_path(request)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if request.path.startswith(("/api/", "/admin/")):
            return None
        if isinstance(error, Http404):
            return render(request, "404.html", status=404)
        if isinstance(error, GatehouseError) and error.http_status < 500:
            template = {403: "403.html", 404: "404.html", 410: "410.html"}.get(error.http_status)
            context = {"error": error}
            return render(request, template or "error.html", context, status=error.http_status)
        return None


def _unknown_path(request: HttpRequest) -> HttpResponse:
    """No such address: in the API's own format there, else our page, with DEBUG on as well."""
    if not request.path.startswith("/api/"):
        return render(request, "404.html", status=404)
    error = {"code": "not_found", "detail": _("There is no such endpoint."), "attr": None}
    return JsonResponse({"type": "client_error", "errors": [error]}, status=404)
