"""The operator's pages of jobs: each one, what recurs, the kinds, the workers."""

from jobs import q2
from jobs.admin import jobs, series, workers  # noqa: F401  (registers them)

q2.hide_admin()
