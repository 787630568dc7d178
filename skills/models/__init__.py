"""What is kept of skills: leave that people gave, what was used, and the audit."""

from skills.alerts.models import Alert, AlertRule
from skills.models.audit import (
    ACTOR_KINDS,
    ORIGINS,
    OUTCOMES,
    AppendOnlyModel,
    AppendOnlyQuerySet,
    AuditEvent,
    AuditSeal,
    AuditSubject,
)
from skills.models.binding import SkillBinding
from skills.models.evaluation import SkillEvaluation
from skills.models.grant import PermissionGrant
from skills.models.job import SkillJob
from skills.models.run import SkillRun
from skills.models.session import WorkflowMove, WorkflowSession

__all__ = [
    "ACTOR_KINDS",
    "ORIGINS",
    "OUTCOMES",
    "Alert",
    "AlertRule",
    "AppendOnlyModel",
    "AppendOnlyQuerySet",
    "AuditEvent",
    "AuditSeal",
    "AuditSubject",
    "PermissionGrant",
    "SkillBinding",
    "SkillEvaluation",
    "SkillJob",
    "SkillRun",
    "WorkflowMove",
    "WorkflowSession",
]
