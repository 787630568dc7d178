"""The table itself: judged as far as it is looked at."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skills.policy_table.entries import Entry, list_entries
from skills.policy_table.question import PolicyQuestion
from tools.decisions import Decision
from tools.enums import Risk
from tools.gates import judge_many
from tools.telling import telling_of


@dataclass(frozen=True, slots=True)
class PolicyRow:
    entry: Entry
    decision: Decision

    @property
    def risk(self) -> str:
        return Risk(self.entry.risk).name if self.entry.risk is not None else ""


class PolicyTable:
    """A slice of it costs the same number of queries, however long it is."""

    def __init__(self, question: PolicyQuestion, *, told_of: str = "") -> None:
        """`told_of`: their name, where it is told to somebody else."""
        self.question, self._told_of = question, told_of
        with telling_of(told_of):
            self._entries = list_entries(question)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, part: slice) -> list[PolicyRow]:
        with telling_of(self._told_of):
            return list(_judged(self._entries[part]))


def _judged(entries: Iterable[Entry]) -> Iterator[PolicyRow]:
    entries = list(entries)
    calls = [(one.call, one.context) for one in entries if one.call and one.context]
    decisions = iter(judge_many(calls))
    for entry in entries:
        yield PolicyRow(entry, entry.decided or next(decisions))
