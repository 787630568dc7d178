"""Memories in the search index: one part each, of its owner or, for the company, of its project."""

from uuid import UUID

from agents.models import Memory

KIND = "memory"


def put_memory(memory: Memory) -> None:
    pass


def drop_memory(memory_id: UUID) -> None:
    pass
