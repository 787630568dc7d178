"""The operator's pages of tools: the rows, the log of their calls, the drafts that wait, usage."""

from tools.admin import calls, drafts, tools, usage  # noqa: F401  (registers them)
