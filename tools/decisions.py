"""What the gates say of a call, with every reason kept: decisions explain themselves."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from tools.enums import SEVERITY, DecisionOutcome, LeaveKind
from tools.schemas import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """What a person has allowed once for more than one call, and by which a call passes."""

    kind: LeaveKind
    id: UUID
    expires_at: datetime | None = None  # None: it doesn't
    uses_left: int | None = None  # None: no limit

    def as_json(self) -> JSON:
        return {
            "kind": self.kind.value,
            "id": str(self.id),
            "expires_at": self._ends(),
            "uses_left": self.uses_left,
        }

    def _ends(self) -> str | None:
        return self.expires_at.isoformat().replace("+00:00", "Z") if self.expires_at else None

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Reason:
    """One gate's answer. `reason` is for people, in the actor's language.

    `leaves`: the person's standing leaves that let it pass, all of them; `missing`: the permission
    codes for want of which it does not.
    """

    gate: str
    outcome: DecisionOutcome
    reason_code: str
    reason: str
    denied_code: str = "denied"  # what the caller is told where this refuses: `error.code`
    leaves: tuple[Leave, ...] = ()
    missing: tuple[str, ...] = ()
    by_person: bool = False  # the person's confirmation of this very call lets it pass

    @property
    def rank(self) -> tuple[int, bool]:
        """Of two that allow, the one that says who let it pass explains more."""
        return SEVERITY[self.outcome], self.by_person or bool(self.leaves)

    def as_json(self) -> JSON:
        said: dict[str, Any] = {
            "gate": self.gate,
            "outcome": self.outcome.value,
            "reason_code": self.reason_code,
            "reason": self.reason,
        }
        if self.leaves:
            said["leaves"] = [leave.as_json() for leave in self.leaves]
            said["leave"] = said["leaves"][0]  # for those who read but one
        if self.missing:
            said["missing"] = list(self.missing)
        return said


@dataclass(frozen=True, slots=True)
class Decision:
    reasons: tuple[Reason, ...]

    @property
    def decisive(self) -> Reason:
        """The worst answer; of equals a person's word, else the first gate's."""
        return max(self.reasons, key=lambda reason: reason.rank)

    @property
    def outcome(self) -> DecisionOutcome:
        return self.decisive.outcome

    def as_json(self) -> JSON:
        return {
            **self.decisive.as_json(),
            "reasons": [reason.as_json() for reason in self.reasons],
        }


def stored_decision(decision: JSON | None) -> JSON | None:
    """One from the ledger as it is said today: earlier ones had one leave, in one of two fields."""
    if not decision:
        return None
    told = _with_leaves(decision)
    if "reasons" in decision:
        told["reasons"] = [_with_leaves(reason) for reason in decision["reasons"]]
    return told


def _with_leaves(reason: JSON) -> JSON:
    told = {name: value for name, value in reason.items() if name != "standing_approval"}
    leave, approval = reason.get("leave"), reason.get("standing_approval")
    if approval:
        told["leave"] = {"kind": LeaveKind.STANDING_APPROVAL.value, **approval}
    elif isinstance(leave, str):
        kind, _colon, key = leave.partition(":")
        told["leave"] = {"kind": kind, "id": key, "expires_at": None, "uses_left": None}
    if "leave" in told:
        told.setdefault("leaves", [told["leave"]])
    return told
