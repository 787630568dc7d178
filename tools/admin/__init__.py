"""The operator's pages of tools: the rows, the log of their calls, the drafts that wait, usage,
secrets."""

from tools.admin import calls, drafts, secrets, tools, usage  # noqa: F401  (registers them)
