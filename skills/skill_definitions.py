"""The skills that this app ships."""

from skills.shipped import meeting_notes, weekly_review  # noqa: F401  (registers them)
