"""Jobs of skills that work in the background: mine, ordering one, cancelling one."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.idempotency import find_first_answer, idempotent
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from jobs.enums import JobStatus
from jobs.selectors import with_status
from skills.api.fields import naming_fields
from skills.api.job_serializers import (
    BackgroundJobSerializer,
    CancelSerializer,
    NewBackgroundJobSerializer,
)
from skills.background.selectors import get_background_job, list_background_jobs
from skills.background.services import (
    Order,
    cancel_background_job,
    check_order,
    create_background_job,
    end_background_series,
)

_ORDERINGS = ("created_at",)
_OF_TIME = [
    "one_time_or_recurrence",
    "too_soon",
    "too_often",
    "too_late",
    "naive",
    "job_recurrence_invalid",
]


class BackgroundJobsView(PaginatedView):
    scope = Scope.SKILLS
    takes_idempotency_key = True

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "GET":
            return {400: ["invalid"]}
        return {
            400: ["required", "unknown_field", "invalid", "skill_not_background", *_OF_TIME],
            403: ["permission_missing", "skill_disabled"],
            404: ["unknown_skill", "agent_not_found"],
            409: ["job_too_many", "job_too_many_series", "permanent_failure"],
            422: ["idempotency_key_reused"],
        }

    @extend_schema(
        summary="List my background jobs of skills, newest first",
        parameters=[
            OpenApiParameter("status", str, enum=JobStatus.values),
            *list_parameters(*_ORDERINGS, default="-created_at"),
        ],
        responses=BackgroundJobSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Those that wait, run and have ended: of a series each of its times."""
        rows = list_background_jobs(signed_in(request))
        status = request.query_params.get("status")
        if status is not None:
            if status not in JobStatus.values:
                raise ValidationError({"status": _("Not a value of this filter.")})
            rows = rows.filter(with_status(JobStatus(status)))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, BackgroundJobSerializer)

    @extend_schema(
        summary="Order a background job of a skill",
        request=NewBackgroundJobSerializer,
        responses={201: BackgroundJobSerializer},
    )
    def post(self, request: Request) -> Response:
        """What it carries is made by the server, and it acts where you last spoke with the agent.

        The permission is asked for now and again when it starts: taken back in between, the job
        fails for good and nothing is written.
        """
        body = NewBackgroundJobSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        order = body.order()
        first = find_first_answer(request)
        if first is not None:
            return first
        with naming_fields("recurrence" if order.recurrence else "scheduled_at"):
            check_order(person(request), order)  # outside the answer's transaction: on record
            return self._made(request, order)

    @idempotent
    def _made(self, request: Request, order: Order) -> Response:
        job = create_background_job(person(request), order)
        return _answer(request, job.pk, status=201)


class BackgroundJobView(APIView):
    scope = Scope.SKILLS

    @extend_schema(summary="One of my background jobs of skills", responses=BackgroundJobSerializer)
    def get(self, request: Request, skill_job_id: UUID) -> Response:
        """What became of it, by the id that it has among all jobs."""
        return _answer(request, skill_job_id)


class CancelBackgroundJobView(APIView):
    scope = Scope.SKILLS
    error_codes = {
        400: ["invalid", "unknown_field"],
        409: ["job_running", "job_finished", "not_recurring"],
    }

    @extend_schema(
        summary="Cancel a background job of a skill",
        request=CancelSerializer,
        responses=BackgroundJobSerializer,
    )
    def post(self, request: Request, skill_job_id: UUID) -> Response:
        """Until it runs. Of a series this time only, and the next one is planned; with
        `whole_series` it ends for good, at whichever of its times you say so.
        """
        body = CancelSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        ends = body.validated_data["whole_series"]
        with naming_fields():
            cancel = end_background_series if ends else cancel_background_job
            cancel(person(request), skill_job_id)
        return _answer(request, skill_job_id)


def _answer(request: Request, job_id: UUID, status: int = 200) -> Response:
    """Read again: the database wrote its times."""
    job = get_background_job(signed_in(request), job_id)
    return Response(BackgroundJobSerializer(job).data, status=status)
