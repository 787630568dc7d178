"""Settings of knowledge: what is taken, and how much of a machine reading it may cost."""

from config.env import env_int, env_text

__all__ = [
    "KNOWLEDGE_FILE_BYTES",
    "KNOWLEDGE_PAGES",
    "KNOWLEDGE_READ_MB",
    "KNOWLEDGE_READ_SECONDS",
    "KNOWLEDGE_SCANNER",
    "KNOWLEDGE_TEXT_CHARS",
    "MAX_BODY_BYTES",
]

KNOWLEDGE_FILE_BYTES = env_int("GATEHOUSE_KNOWLEDGE_FILE_MB", 50, minimum=1) * 1_000_000
# Of any request: a file is the largest that there is, with a form around it.
MAX_BODY_BYTES = KNOWLEDGE_FILE_BYTES + 1_000_000
KNOWLEDGE_TEXT_CHARS = env_int("GATEHOUSE_KNOWLEDGE_TEXT_CHARS", 2_000_000, minimum=1)
KNOWLEDGE_PAGES = env_int("GATEHOUSE_KNOWLEDGE_PAGES", 5_000, minimum=1)
# Of the process that reads one file: its processor time, its addresses.
KNOWLEDGE_READ_SECONDS = env_int("GATEHOUSE_KNOWLEDGE_READ_SECONDS", 240, minimum=1)
KNOWLEDGE_READ_MB = env_int("GATEHOUSE_KNOWLEDGE_READ_MB", 1_536, minimum=256)
# A function that is given a path and answers a `documents.knowledge.files.scanning.Verdict`.
KNOWLEDGE_SCANNER = env_text("GATEHOUSE_KNOWLEDGE_SCANNER")
