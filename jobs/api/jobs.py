"""Jobs: those one sees, making one, what can be decided about one, its attempts."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Actor
from config.base.models import Scope, User
from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PAGE, PaginatedView, list_parameters, ordered
from jobs import services
from jobs.api.fields import naming_fields
from jobs.api.serializers import AttemptSerializer, JobSerializer, NewJobSerializer
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.models.job import JobQuerySet
from jobs.selectors import get_job, list_attempts, list_jobs, with_status

_ORDERINGS = ("created_at",)
_REFUSED = ["job_kind_unknown", "job_payload_invalid", "job_recurrence_invalid"]


class JobsView(PaginatedView):
    scope = Scope.JOBS
    takes_idempotency_key = True

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "GET":
            return {400: ["invalid"]}
        return {
            400: ["required", "unknown_field", "invalid", "naive", "too_late", *_REFUSED],
            403: ["job_kind_not_permitted"],
            409: ["permanent_failure"],
            422: ["idempotency_key_reused"],
        }

    @extend_schema(
        summary="List jobs, newest first",
        parameters=[
            OpenApiParameter("status", str, enum=JobStatus.values),
            OpenApiParameter("kind", str),
            OpenApiParameter("owner", str, description="For operators: name or id."),
            OpenApiParameter("series", OpenApiTypes.UUID),
            *list_parameters(*_ORDERINGS, default="-created_at"),
        ],
        responses=JobSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Your own; for operators who may see jobs, everybody's and the product's."""
        rows = ordered(_filtered(request), request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, seen_by(request, JobSerializer))

    @extend_schema(summary="Make a job", request=NewJobSerializer, responses={201: JobSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """One of your own, of a kind that says you may; `kinds/` lists them."""
        body = NewJobSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with naming_fields():
            job = services.request_job(person(request), **body.validated_data)
        return Response(seen_by(request, JobSerializer)(job).data, status=201)


class JobView(APIView):
    scope = Scope.JOBS

    @extend_schema(summary="One job", responses=JobSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        """What became of it, and when it goes on."""
        return _answer(request, get_job(signed_in(request), job_id))


class CancelJobView(APIView):
    scope = Scope.JOBS
    error_codes = {409: ["job_running", "job_finished"]}

    @extend_schema(summary="Cancel a job", request=None, responses=JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Until it runs: from then on it can't be called back, and that is what you are told."""
        return _decided(request, services.cancel_job, job_id)


class RetryJobView(APIView):
    scope = Scope.JOBS
    error_codes = {400: ["job_kind_unknown"], 409: ["job_not_failed"]}

    @extend_schema(summary="Try a failed job again", request=None, responses=JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """At once, with as many attempts more as its kind has."""
        return _decided(request, services.retry_job, job_id)


class RunJobNowView(APIView):
    scope = Scope.JOBS
    error_codes = {409: ["job_running", "job_finished"]}

    @extend_schema(summary="Run a job now", request=None, responses=JobSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """One that waits for its time, or for its next attempt, is due at once."""
        return _decided(request, services.run_job_now, job_id)


class AttemptsView(PaginatedView):
    scope = Scope.JOBS

    @extend_schema(
        summary="List the attempts of a job, the first one first",
        parameters=PAGE,
        responses=AttemptSerializer(many=True),
    )
    def get(self, request: Request, job_id: UUID) -> Any:
        """How each start ended; one that is under way is `running`."""
        job = get_job(signed_in(request), job_id)
        attempts: Any = list_attempts(job)
        return self.paginated(attempts, request, seen_by(request, AttemptSerializer))


def seen_by(request: Request, serializer: Any) -> Any:
    """The serializer, told who looks."""
    return partial(serializer, context={"user": signed_in(request)})


def _answer(request: Request, job: Job) -> Response:
    return Response(seen_by(request, JobSerializer)(job).data)


def _decided(request: Request, decide: Callable[[Actor, UUID], Job], job_id: UUID) -> Response:
    """Read again: the database wrote its times."""
    decide(person(request), job_id)
    return _answer(request, get_job(signed_in(request), job_id))


def _filtered(request: Request) -> JobQuerySet:
    rows = list_jobs(signed_in(request))
    for name, narrow in _FILTERS.items():
        value = request.query_params.get(name)
        if value is not None:
            rows = rows.filter(_narrowed(name, narrow, value.replace("\0", "")))
    return rows


def _narrowed(name: str, narrow: Callable[[str], Q], value: str) -> Q:
    try:
        return narrow(value)
    except ValueError as error:
        raise ValidationError({name: _("Not a value of this filter.")}) from error


def _by_owner(value: str) -> Q:
    """Looked up first: the index is by id. Nobody of this name has no jobs."""
    named = User.objects.filter(username=value).values_list("pk", flat=True).first()
    try:
        return Q(owner=named or UUID(value))
    except ValueError:
        return Q(pk__in=[])


_FILTERS: dict[str, Callable[[str], Q]] = {
    "status": lambda value: with_status(JobStatus(value)),
    "kind": lambda value: Q(kind=value),
    "owner": _by_owner,
    "series": lambda value: Q(series=UUID(value)),
}
