"""The words of the ledger and of drafts; every status and state, once."""

from django.db.models import IntegerChoices, TextChoices
from django.utils.translation import gettext_lazy as _


class Risk(IntegerChoices):
    """What can go wrong at worst, from pure computation to what agents are refused."""

    L0 = 0, _("L0: pure computation")
    L1 = 1, _("L1: reads protected data")
    L2 = 2, _("L2: reversible write inside Gatehouse")
    L3 = 3, _("L3: write outside, or of high impact")
    L4 = 4, _("L4: payment, deletion of others' data, publication")


class DecisionOutcome(TextChoices):
    """What a gate says; `SEVERITY` orders them, the worst wins."""

    ALLOW = "allow", _("allowed")
    NEEDS_CONFIRMATION = "needs_confirmation", _("needs confirmation")
    NEEDS_CONSENT = "needs_consent", _("needs consent")
    DENY = "deny", _("denied")


class LeaveKind(TextChoices):
    """What lets a call pass that would have to ask: a person's word for more than one call."""

    CONSENT = "consent", _("consent")
    STANDING_APPROVAL = "standing_approval", _("standing approval")
    PERMISSION_GRANT = "permission_grant", _("permission")


SEVERITY = {outcome: rank for rank, outcome in enumerate(DecisionOutcome)}


class CallStatus(TextChoices):
    OPEN = "open", _("open")
    RUNNING = "running", _("running")
    SUCCESS = "success", _("succeeded")
    ERROR = "error", _("failed")
    TIMEOUT = "timeout", _("timed out")
    DENIED = "denied", _("denied")
    NEEDS_CONFIRMATION = "needs_confirmation", _("waits for confirmation")
    NEEDS_CONSENT = "needs_consent", _("waits for consent")
    OUTCOME_UNKNOWN = "outcome_unknown", _("outcome unknown")
    DISMISSED = "dismissed", _("dismissed")
    EXPIRED = "expired", _("expired")
    CANCELLED = "cancelled", _("cancelled")


OPEN_STATUSES = (
    CallStatus.OPEN,
    CallStatus.RUNNING,
    CallStatus.NEEDS_CONFIRMATION,
    CallStatus.NEEDS_CONSENT,
)


# What was denied did not fail: a gate did what it is there for.
FAILED_STATUSES = (CallStatus.ERROR, CallStatus.TIMEOUT, CallStatus.OUTCOME_UNKNOWN)

# Closed, but a person may try again or say how it ended.
RETRIABLE_STATUSES = FAILED_STATUSES


class DraftKind(TextChoices):
    ACTION = "action", _("action")
    CONSENT = "consent", _("consent")


class ConsentKind(TextChoices):
    """What leaves when a person lets something leave."""

    WEB = "web", _("searches of the web")
    MEDIA = "media", _("images, audio and video")


class DraftState(TextChoices):
    DRAFT = "draft", _("waiting for you")
    NEEDS_INPUT = "needs_input", _("needs input")
    CONFIRMED = "confirmed", _("confirmed, running")
    EXECUTED = "executed", _("done")
    FAILED = "failed", _("failed")
    OUTCOME_UNKNOWN = "outcome_unknown", _("outcome unknown")
    DISMISSED = "dismissed", _("dismissed")


class DismissReason(TextChoices):
    REFUSED = "refused", _("refused")
    ANSWERED = "answered", _("answered instead")
    RUN_CANCELLED = "run_cancelled", _("the run was cancelled")
    EXPIRED = "expired", _("expired")
    DENIED = "denied", _("no longer permitted")
    REPLACED = "replaced", _("replaced by a correction")
    TAKEN_BACK = "taken_back", _("taken back")
    SKILL_GONE = "skill_gone", _("its skill is gone")


# Nobody decided: it came to its end with what it was for.
UNDECIDED_REASONS = (DismissReason.EXPIRED, DismissReason.SKILL_GONE)


class LogPayload(TextChoices):
    """How much of a call's input and output the log keeps."""

    FULL = "full"
    MASKED = "masked"
    NONE = "none"


class Effect(TextChoices):
    """What a planned call does beyond computing: it decides how it is executed and recovered."""

    NONE = "none", _("reads only")
    INSIDE = "inside", _("writes inside Gatehouse")
    OUTSIDE = "outside", _("acts outside Gatehouse")
