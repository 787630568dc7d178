"""The operator's pages of skills: what people granted and switched, what ran, and the audit."""

from skills.admin import audit, evaluations, given, jobs, runs  # noqa: F401  (registers them)
from skills.alerts import admin as alerts  # noqa: F401  (registers them)
