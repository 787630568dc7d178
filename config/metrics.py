"""/metrics for Prometheus: figures that cost little, read from the database when asked."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from agents.models import Run
from config.base.models import ApiToken, Scope, User
from config.base.rest.permissions import ScopeMissing
from config.base.tokens import use_token
from jobs.metrics import JobsCollector
from jobs.selectors import is_operator
from tools.models import ActionDraft
from tools.models.draft import WAITING

_TEXT = "text/plain; charset=utf-8"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class ProductCollector:
    def collect(self) -> Iterator[Metric]:
        drafts = ActionDraft.objects.filter(state__in=WAITING).count()
        yield GaugeMetricFamily(
            "gatehouse_drafts_waiting", "Drafts that wait for a person.", value=drafts
        )
        runs = Run.objects.filter(finished_at__isnull=True).count()
        yield GaugeMetricFamily("gatehouse_runs_unfinished", "Runs that go on.", value=runs)


def metrics(request: HttpRequest) -> HttpResponse:
    """For operators who may see jobs: their session, or a token of theirs with scope `jobs`."""
    refusal = _refuse(request)
    if refusal is not None:
        return refusal
    registry = CollectorRegistry(auto_describe=False)
    registry.register(JobsCollector())
    registry.register(ProductCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE)


def _refuse(request: HttpRequest) -> HttpResponse | None:
    user, token = _who(request)
    if user is None:
        sent = request.headers.get("Authorization", "").lower().startswith("bearer ")
        text = (
            _("The token is not valid, or no longer.") if sent else _("Sign in, or send a token.")
        )
        answer = HttpResponse(f"{text}\n", status=401, content_type=_TEXT)
        answer["WWW-Authenticate"] = 'Bearer realm="gatehouse"'
        return answer
    if token is not None and Scope.JOBS not in token.scopes:
        return _forbidden(str(ScopeMissing(Scope.JOBS).detail))
    if not is_operator(user):
        return _forbidden(_("This is for operators."))
    return None


def _forbidden(text: str) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=403, content_type=_TEXT)


def _who(request: HttpRequest) -> tuple[User | None, ApiToken | None]:
    """By the token, if one is sent: never by its cookie as well."""
    scheme, _space, value = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token = use_token(value.strip())
        return (token.user, token) if token else (None, None)
    return (request.user if request.user.is_authenticated else None), None
