"""The words of skills; every kind, scope and status, once."""

from typing import Literal

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class SkillKind(TextChoices):
    PROMPT = "prompt", _("instruction for a reply")
    WORKFLOW = "workflow", _("several steps")
    TOOL = "tool", _("uses a tool")
    BACKGROUND = "background", _("works in the background")


class SkillScope(TextChoices):
    """Where a skill may be used."""

    SINGLE_CHAT = "single_chat", _("a conversation of one person")
    GROUP_CHAT = "group_chat", _("a conversation of several people")
    BACKGROUND = "background", _("while nobody is there")


class ApprovalMode(TextChoices):
    """What a person does before a permission may be used."""

    NONE = "none", _("nothing")
    PERSISTENT = "persistent", _("grants it once")
    PER_OPERATION = "per_operation", _("confirms each time")


class GrantScope(TextChoices):
    USER = "user", _("all agents")
    AGENT = "agent", _("one agent")


class GrantStatus(TextChoices):
    ACTIVE = "active", _("active")
    REVOKED = "revoked", _("revoked")


class MatchedBy(TextChoices):
    """How a message asks for a skill; the first is the surest."""

    EXPLICIT = "explicit", _("command")
    PHRASE = "phrase", _("phrase")
    PATTERN = "pattern", _("pattern")


# Why a message proposes no skill; "": it proposes one.
type Rejection = Literal["", "no_match", "disabled", "wrong_scope"]


class RunStatus(TextChoices):
    RUNNING = "running", _("running")
    SUCCEEDED = "succeeded", _("succeeded")
    WAITING = "waiting", _("waits for a person")
    DENIED = "denied", _("denied")
    INVALID = "invalid", _("input not valid")
    TIMEOUT = "timeout", _("timed out")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
    EXPIRED = "expired", _("expired")


class StepKind(TextChoices):
    """What a step of a workflow asks for."""

    TEXT = "text", _("text")
    LIST = "list", _("list of texts")
    CHOICE = "choice", _("choice")
    DATETIME = "datetime", _("date and time")


class SessionState(TextChoices):
    ACTIVE = "active", _("under way")
    PAUSED = "paused", _("paused")
    COMPLETED = "completed", _("completed")
    CANCELLED = "cancelled", _("cancelled")
    EXPIRED = "expired", _("expired")


class MoveKind(TextChoices):
    """What changed a session."""

    STARTED = "started", _("started")
    ANSWERED = "answered", _("answered")
    SKIPPED = "skipped", _("skipped")
    CORRECTED = "corrected", _("corrected")
    WENT_BACK = "went_back", _("went back")
    ASKED = "asked", _("asked for its document")
    PAUSED = "paused", _("paused")
    RESUMED = "resumed", _("resumed")
    CANCELLED = "cancelled", _("cancelled")
    EXPIRED = "expired", _("expired")
    ENDED = "ended", _("ended: its skill is gone")
    COMPLETED = "completed", _("completed")


class EvaluationState(TextChoices):
    """How an installed skill stands by its own cases."""

    PASSED = "passed", _("all passed")
    FAILED = "failed", _("some failed")
    OUTDATED = "outdated", _("changed since")
    NEVER = "never", _("not evaluated yet")
