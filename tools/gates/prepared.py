"""What the gates judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self, runtime_checkable

from tools.decisions import Reason
from tools.models import Tool, ToolCall
from tools.registry import AnyToolType
from tools.schemas import Annotations, CallContext, Plan
from tools.tool_type import ToolConfig, ToolInput


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call whose arguments are validated and planned: what the gates judge and what runs."""

    tool: Tool
    tool_type: AnyToolType
    config: ToolConfig
    arguments: ToolInput
    annotations: Annotations
    plan: Plan
    row: ToolCall | None = None  # of the ledger; none where only the decision is asked for


class Gate(Protocol):
    """One with `answered_by_person = True` is content once a person has confirmed the very call
    for which it demands that; what others demand stays.
    """

    name: ClassVar[str]

    def judge(self, call: PreparedCall, context: CallContext) -> Reason: ...


@runtime_checkable
class KeepsConsent(Protocol):
    """A gate that need not ask again for what a person has allowed."""

    def keep_consent(self, call: PreparedCall, context: CallContext) -> None:
        """The person allowed this call; within the transaction that confirms it."""


@runtime_checkable
class LooksAhead(Gate, Protocol):
    """A gate that asks the database: for a table of calls it asks once for all of them."""

    @classmethod
    def for_many(cls, calls: Sequence[PreparedCall], context: CallContext) -> Self:
        """One whose `judge` asks nothing more for these calls of one person and agent."""
