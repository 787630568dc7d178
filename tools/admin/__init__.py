"""The operator's pages of tools: the rows, the log of their calls, the drafts that wait."""

from tools.admin import calls, drafts, tools  # noqa: F401  (registers them)
