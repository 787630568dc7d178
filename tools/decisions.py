"""What the gates say of a call, with every reason kept: decisions explain themselves."""

from dataclasses import dataclass

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

    def as_json(self) -> JSON:
        told = {
            "gate": self.gate,
            "outcome": self.outcome.value,
            "reason_code": self.reason_code,
            "reason": self.reason,
        }
        return {**told, "leave": self.leave} if self.leave else told


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
