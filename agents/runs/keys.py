"""The ledger's keys of a run's calls: of run, step and index, so that a repeat finds its row."""

from uuid import UUID


def call_key(run_id: UUID, n: int, index: int) -> str:
    return f"run:{run_id}:{n}:{index}"


def parse_call_key(key: str) -> tuple[UUID, int, int] | None:
    """None for a key that is no run's."""
    kind, *parts = key.split(":")
    if kind != "run" or len(parts) != 3:
        return None
    return UUID(parts[0]), int(parts[1]), int(parts[2])
