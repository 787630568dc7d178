"""The operator's pages of skills: what people granted and switched, what ran, and the audit."""

from skills.admin import (  # noqa: F401  (registers them)
    audit,
    evaluations,
    given,
    jobs,
    runs,
    sessions,
)
from skills.alerts import admin as alerts  # noqa: F401  (registers them)
