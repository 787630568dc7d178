"""Bodies and rows of the jobs API."""

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.base.idempotency import MAX_KEY_LENGTH
from config.base.rest.examples import answers_like, asked_like
from config.base.rest.serializers import StrictSerializer
from jobs.api import examples
from jobs.enums import AttemptOutcome, CreateBy, JobStatus, MissedPolicy
from jobs.models import Job, JobSeries, MissedSlots
from jobs.reasons import explain
from jobs.recurrence import SlotNote
from jobs.selectors import (
    AttemptSeen,
    is_operator,
    list_missed,
    list_next_slots,
    shows_content,
)

MOST_PRIORITY = 100
_RUNNING = JobStatus.RUNNING
_ATTEMPT = serializers.ChoiceField([*AttemptOutcome.choices, (_RUNNING.value, _RUNNING.label)])
_HIDDEN = "Null for an operator where it is somebody else's: the console shows it, on record."
_GONE = "Null: no handler of this kind is installed any more; it only rests."
_OBJECT_OR_NULL = {"type": ["object", "null"], "additionalProperties": {}, "description": _HIDDEN}


class MomentField(serializers.DateTimeField):
    """With its offset: without one, nobody knows which moment is meant."""

    def enforce_timezone(self, value: datetime) -> datetime:
        if timezone.is_naive(value):
            raise serializers.ValidationError(
                _("Say the offset from UTC too, such as Z or +02:00."), code="naive"
            )
        try:
            return value.astimezone(UTC)
        except OverflowError as error:
            raise serializers.ValidationError(_("Beyond the calendar."), code="invalid") from error


class RecurrenceSerializer(StrictSerializer):
    cron = serializers.CharField(
        max_length=100,
        help_text="Minute, hour, day of the month, month, day of the week: `30 2 * * *`.",
    )
    zone = serializers.CharField(
        max_length=64, required=False, default="UTC", help_text="The IANA zone that it is meant in."
    )
    missed = serializers.ChoiceField(
        MissedPolicy.choices,
        required=False,
        default=MissedPolicy.RUN_ONCE.value,
        help_text="Of times at which nothing could run.",
    )


@asked_like(once=examples.NEW_JOB, on_every_working_day=examples.NEW_SERIES)
class NewJobSerializer(StrictSerializer):
    kind = serializers.CharField(max_length=100, help_text="One of those that `kinds/` lists.")
    payload = serializers.DictField(
        required=False, default=dict, help_text="By the payload schema of its kind."
    )
    scheduled_at = MomentField(
        required=False,
        help_text="Not before then, with its offset, within a year; without it: at once.",
    )
    recurrence = RecurrenceSerializer(
        required=False, help_text="Instead of one time: a series. Answered is its first job."
    )
    priority = serializers.IntegerField(
        required=False,
        min_value=-MOST_PRIORITY,
        max_value=MOST_PRIORITY,
        help_text="For operators: of jobs that are due, the higher one goes first.",
    )
    idempotency_key = serializers.CharField(
        required=False,
        max_length=MAX_KEY_LENGTH,
        help_text="One job for each key of yours and kind, for as long as that job is kept.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A series plans its own times, and has the header to be made once."""
        if "recurrence" in attrs:
            for name in {"scheduled_at", "idempotency_key"} & set(attrs):
                raise serializers.ValidationError({name: [_("Not together with a recurrence.")]})
        return attrs


class OfOwnerSerializer[RowT: Job | JobSeries](serializers.ModelSerializer[RowT]):
    """`context` names the `user` who looks."""

    owner = serializers.CharField(
        source="owner.username",
        default=None,
        allow_null=True,
        help_text="Null: the product's own work.",
    )
    owner_id = serializers.UUIDField(allow_null=True)
    payload = serializers.SerializerMethodField()

    def content(self, row: RowT, name: str) -> Any:
        return getattr(row, name) if shows_content(self.context["user"], row) else None

    @extend_schema_field(_OBJECT_OR_NULL)
    def get_payload(self, row: RowT) -> Any:
        return self.content(row, "payload")


@answers_like(
    it_waits=examples.JOB, it_failed=examples.FAILED_JOB, the_next_of_a_series=examples.PLANNED_JOB
)
class JobSerializer(OfOwnerSerializer[Job]):
    status = serializers.ChoiceField(JobStatus.choices)
    result = serializers.SerializerMethodField()
    error_code = serializers.CharField(source="last_error_code")
    error_message = serializers.SerializerMethodField()
    series = serializers.UUIDField(source="series_id", allow_null=True)

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "owner",
            "owner_id",
            "status",
            "payload",
            "result",
            "priority",
            "scheduled_at",
            "next_attempt_at",
            "attempts",
            "max_attempts",
            "error_code",
            "error_message",
            "idempotency_key",
            "series",
            "planned_at",
            "created_at",
            "started_at",
            "finished_at",
        ]

    def get_error_message(self, job: Job) -> str:
        return explain(job.last_error_code, job.last_error_message)

    @extend_schema_field({"description": f"Any JSON. {_HIDDEN}"})
    def get_result(self, job: Job) -> Any:
        return self.content(job, "result")


@answers_like(it_failed=examples.ATTEMPT, under_way=examples.ATTEMPT_UNDER_WAY)
class AttemptSerializer(serializers.Serializer[AttemptSeen]):
    """`context` names the `user` who looks."""

    number = serializers.IntegerField()
    outcome = serializers.SerializerMethodField(
        help_text="`lost`: its worker died, or took longer than it may."
    )
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    duration_ms = serializers.SerializerMethodField()
    worker = serializers.SerializerMethodField(help_text="For operators; null for others.")
    error_code = serializers.CharField()
    error_message = serializers.CharField()

    @extend_schema_field(_ATTEMPT)
    def get_outcome(self, attempt: AttemptSeen) -> str:
        return (attempt.outcome or _RUNNING).value

    def get_duration_ms(self, attempt: AttemptSeen) -> int | None:
        ended = attempt.finished_at
        return round((ended - attempt.started_at).total_seconds() * 1000) if ended else None

    def get_worker(self, attempt: AttemptSeen) -> str | None:
        return attempt.worker if is_operator(self.context["user"]) else None


@answers_like(
    a_kind=examples.KIND, a_paused_one=examples.PAUSED_KIND, one_that_is_gone=examples.GONE_KIND
)
class KindSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    description = serializers.CharField(allow_blank=True, help_text="What it does.")
    version = serializers.IntegerField(allow_null=True, help_text=_GONE)
    create_by = serializers.ChoiceField(CreateBy.choices, help_text="Who may, over the API.")
    may_create = serializers.BooleanField(help_text="Whether you may.")
    payload_schema = serializers.DictField(
        allow_null=True, help_text=f"JSON schema of `payload`. {_GONE}"
    )
    max_attempts = serializers.IntegerField(allow_null=True, help_text=_GONE)
    hard_limit_seconds = serializers.FloatField(
        allow_null=True, help_text=f"Of one attempt. {_GONE}"
    )
    paused_at = serializers.DateTimeField(
        allow_null=True, help_text="Its jobs wait since then; null: they don't."
    )
    paused_by = serializers.CharField(allow_null=True, help_text="For operators.")


class SlotSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    local = serializers.CharField(help_text="In the zone of the series, with its offset then.")
    note = serializers.ChoiceField(
        [note.value for note in SlotNote if note],
        allow_blank=True,
        help_text="`gap`: clocks skip the planned time on that day; `fold`: they show it twice.",
    )


class MissedSerializer(serializers.ModelSerializer[MissedSlots]):
    class Meta:
        model = MissedSlots
        fields = ["first_planned_at", "last_planned_at", "count", "is_more", "noticed_at"]


@answers_like(a_series=examples.SERIES)
class SeriesSerializer(OfOwnerSerializer[JobSeries]):
    missed_policy = serializers.ChoiceField(MissedPolicy.choices)

    class Meta:
        model = JobSeries
        fields = [
            "id",
            "kind",
            "owner",
            "owner_id",
            "payload",
            "priority",
            "cron",
            "zone",
            "missed_policy",
            "created_at",
            "paused_at",
            "ended_at",
        ]


@answers_like(a_series=examples.SERIES_WHOLE)
class SeriesWholeSerializer(SeriesSerializer):
    next_slots = serializers.SerializerMethodField(help_text="The next five, unless it rests.")
    missed = serializers.SerializerMethodField(help_text="Times at which nothing could run.")

    class Meta(SeriesSerializer.Meta):
        fields = [*SeriesSerializer.Meta.fields, "next_slots", "missed"]

    @extend_schema_field(SlotSerializer(many=True))
    def get_next_slots(self, series: JobSeries) -> Any:
        return [
            {"at": slot.at, "local": slot.local.isoformat(), "note": slot.note}
            for slot in list_next_slots(series)
        ]

    @extend_schema_field(MissedSerializer(many=True))
    def get_missed(self, series: JobSeries) -> Any:
        return MissedSerializer(list_missed(series), many=True).data
