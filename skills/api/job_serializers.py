"""Bodies and rows of background jobs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from jobs.api.serializers import MomentField, RecurrenceSerializer
from jobs.enums import JobStatus, MissedPolicy
from jobs.models import Job
from jobs.reasons import explain
from skills.api import examples
from skills.background.services import Order
from skills.definitions import MAX_NOTE_LENGTH
from skills.models import SkillJob


@asked_like(once=examples.NEW_JOB, on_every_working_day=examples.NEW_SERIES)
class NewBackgroundJobSerializer(StrictSerializer):
    skill_id = serializers.CharField(max_length=100, help_text="One of the kind `background`.")
    agent = serializers.UUIDField(help_text="On whose part it acts.")
    scheduled_at = MomentField(
        required=False, help_text="With its offset; between a minute and a year ahead."
    )
    note = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=MAX_NOTE_LENGTH,
        help_text="What it is about: quoted, never followed as an instruction.",
    )
    recurrence = RecurrenceSerializer(
        required=False,
        help_text="Instead of one time: a series, with at least 15 minutes from one time to the "
        "next, and the first as far ahead as one time. Answered is its first job.",
    )

    def order(self) -> Order:
        wanted = self.validated_data
        return Order(
            skill_id=wanted["skill_id"],
            agent_id=wanted["agent"],
            note=wanted["note"],
            scheduled_at=wanted.get("scheduled_at"),
            recurrence=wanted.get("recurrence"),
        )


@asked_like(this_time=examples.CANCEL, the_whole_series=examples.CANCEL_SERIES)
class CancelSerializer(StrictSerializer):
    whole_series = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Of a series every time from now on; without it this one only.",
    )


class SeriesOfJobSerializer(serializers.Serializer[Any]):
    series = serializers.UUIDField(help_text="To be paused or ended under `/api/jobs/series/`.")
    cron = serializers.CharField()
    zone = serializers.CharField()
    missed = serializers.ChoiceField(MissedPolicy.choices)


@answers_like(
    it_waits=examples.JOB,
    the_next_of_a_series=examples.PLANNED_JOB,
    it_failed=examples.FAILED_JOB,
    cancelled=examples.CANCELLED_JOB,
)
class BackgroundJobSerializer(serializers.ModelSerializer[Job]):
    skill_id = serializers.CharField(source="kind")
    version = serializers.SerializerMethodField(help_text="The one it was made with, and runs in.")
    agent = serializers.SerializerMethodField()
    conversation = serializers.SerializerMethodField()
    grants = serializers.SerializerMethodField(help_text="Those it was made by.")
    note = serializers.SerializerMethodField()
    status = serializers.ChoiceField(JobStatus.choices)
    error_code = serializers.CharField(source="last_error_code")
    error_message = serializers.SerializerMethodField()
    recurrence = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = [
            "id",
            "skill_id",
            "version",
            "agent",
            "conversation",
            "grants",
            "note",
            "status",
            "scheduled_at",
            "next_attempt_at",
            "attempts",
            "max_attempts",
            "error_code",
            "error_message",
            "recurrence",
            "created_at",
            "finished_at",
        ]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_version(self, job: Job) -> Any:
        return self._kept(job, "version")

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_agent(self, job: Job) -> Any:
        return self._kept(job, "agent_id")

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_conversation(self, job: Job) -> Any:
        return self._kept(job, "conversation_id")

    @extend_schema_field(serializers.ListField(child=serializers.UUIDField()))
    def get_grants(self, job: Job) -> Any:
        return self._kept(job, "grant_ids") or []

    def get_note(self, job: Job) -> str:
        return str(job.payload.get("note", ""))

    def get_error_message(self, job: Job) -> str:
        return explain(job.last_error_code, job.last_error_message)

    @extend_schema_field(SeriesOfJobSerializer(allow_null=True))
    def get_recurrence(self, job: Job) -> Any:
        series = job.series
        if series is None:
            return None
        facts = {"series": series.pk, "cron": series.cron, "zone": series.zone}
        return SeriesOfJobSerializer({**facts, "missed": series.missed_policy}).data

    def _kept(self, job: Job, name: str) -> Any:
        """None for a job that was made past its skill: it will fail."""
        kept: SkillJob | None = getattr(job.series or job, "skill_job", None)
        return getattr(kept, name, None)
