"""Series: what recurs, when next, what was missed; pausing and ending one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Actor
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from jobs.api.jobs import seen_by
from jobs.api.serializers import SeriesSerializer, SeriesWholeSerializer
from jobs.selectors import get_series, list_series
from jobs.services import end_series, pause_series, resume_series

_ORDERINGS = ("created_at",)


class SeriesListView(PaginatedView):
    scope = Scope.JOBS

    @extend_schema(
        summary="List series of jobs, newest first",
        parameters=list_parameters(*_ORDERINGS, default="-created_at"),
        responses=SeriesSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """What recurs: yours; for operators who may see series, everybody's and the product's."""
        rows = list_series(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, seen_by(request, SeriesSerializer))


class SeriesView(APIView):
    scope = Scope.JOBS

    @extend_schema(summary="One series of jobs", responses=SeriesWholeSerializer)
    def get(self, request: Request, series_id: UUID) -> Response:
        """With its next five times, and those at which nothing could run."""
        return _answer(request, series_id)


class PauseSeriesView(APIView):
    scope = Scope.JOBS
    error_codes = {409: ["job_series_ended"]}

    @extend_schema(summary="Pause a series", request=None, responses=SeriesWholeSerializer)
    def post(self, request: Request, series_id: UUID) -> Response:
        """Nothing more of it runs until it is resumed; a job that runs goes on. Twice is once."""
        return _decided(request, pause_series, series_id)


class ResumeSeriesView(APIView):
    scope = Scope.JOBS
    error_codes = {400: ["job_kind_unknown"], 409: ["job_series_ended"]}

    @extend_schema(summary="Resume a series", request=None, responses=SeriesWholeSerializer)
    def post(self, request: Request, series_id: UUID) -> Response:
        """From its next time on. Twice is once."""
        return _decided(request, resume_series, series_id)


class EndSeriesView(APIView):
    scope = Scope.JOBS

    @extend_schema(summary="End a series", request=None, responses=SeriesWholeSerializer)
    def post(self, request: Request, series_id: UUID) -> Response:
        """For good; what ran of it stays. Twice is once."""
        return _decided(request, end_series, series_id)


def _decided(request: Request, decide: Callable[[Actor, UUID], Any], series_id: UUID) -> Response:
    decide(person(request), series_id)
    return _answer(request, series_id)


def _answer(request: Request, series_id: UUID) -> Response:
    series = get_series(signed_in(request), series_id)
    return Response(seen_by(request, SeriesWholeSerializer)(series).data)
