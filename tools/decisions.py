"""What the gates say of a call, with every reason kept: decisions explain themselves."""

from dataclasses import dataclass
from typing import Any

from tools.enums import SEVERITY, DecisionOutcome
from tools.schemas import JSON


@dataclass(frozen=True, slots=True)
class Reason:
    """One gate's answer. `reason` is for people, in the actor's language."""

    gate: str
    outcome: DecisionOutcome
    reason_code: str
    reason: str
    denied_code: str = "denied"  # what the caller is told where this refuses: `error.code`
    leave: str = ""  # which row of a person's standing leave this goes by: `consent:<id>`
    standing_approval: JSON | None = None  # which one allows it: id, expires_at, uses_left

    def as_json(self) -> JSON:
        said: dict[str, Any] = {
            "gate": self.gate,
            "outcome": self.outcome.value,
            "reason_code": self.reason_code,
            "reason": self.reason,
        }
        if self.leave:
            said["leave"] = self.leave
        if self.standing_approval:
            said["standing_approval"] = self.standing_approval
        return said


@dataclass(frozen=True, slots=True)
class Decision:
    reasons: tuple[Reason, ...]

    @property
    def decisive(self) -> Reason:
        """The worst answer; of equals the first gate's."""
        return max(self.reasons, key=lambda reason: SEVERITY[reason.outcome])

    @property
    def outcome(self) -> DecisionOutcome:
        return self.decisive.outcome

    def as_json(self) -> JSON:
        return {
            **self.decisive.as_json(),
            "reasons": [reason.as_json() for reason in self.reasons],
        }
