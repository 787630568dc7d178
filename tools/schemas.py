"""The data that passes between a tool type, the pipeline and its callers. Data only: no rows."""

import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from config.base.actor import Actor
from config.base.outbound.deadline import Deadline
from tools.enums import Effect, Risk
from tools.reach import HasRead, Outgoing, Reach, nothing

type JSON = dict[str, Any]

PREVIEW_CHARS = 20_000


def still_waited_for() -> None:
    """Whoever calls from outside a run waits till the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """What a call can do at worst, for one config and, where given, its arguments."""

    read_only: bool
    risk: Risk
    destructive: bool = False
    idempotent: bool = False  # the same call twice has the effect of one
    open_world: bool = False  # talks to something outside Gatehouse
    requires_approval: bool = False
    needs_consent: bool = False
    permission_codes: tuple[str, ...] = ()
    # No approval of one such call says anything of the next. It holds of a type's calls whatever
    # they are, so nothing that was bound to annotations depends on it: it is not in their JSON.
    asks_each_time: bool = False

    @property
    def effect(self) -> Effect:
        if self.read_only:
            return Effect.NONE
        return Effect.OUTSIDE if self.open_world else Effect.INSIDE

    def as_json(self) -> JSON:
        return {
            "read_only": self.read_only,
            "destructive": self.destructive,
            "idempotent": self.idempotent,
            "open_world": self.open_world,
            "risk": self.risk.name,
            "requires_approval": self.requires_approval,
            "needs_consent": self.needs_consent,
            "permission_codes": list(self.permission_codes),
        }


@dataclass(frozen=True, slots=True)
class Target:
    """What a call acts on. `version` is what it had when the plan was made; null: none yet."""

    type: str
    id: str
    version: str | int | None = None
    title: str = ""

    def as_json(self) -> JSON:
        return {"type": self.type, "id": self.id, "version": self.version, "title": self.title}


@dataclass(frozen=True, slots=True)
class Preview:
    """What will happen, for a person. `diff` is a unified diff; `text` is shown as it is."""

    kind: Literal["text", "diff"]
    text: str

    def as_json(self) -> JSON:
        return {"kind": self.kind, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a call would do: made from reads only, judged by the gates, shown on the card.

    `arguments` are the validated ones as JSON; `execute` works from them, never from anything
    else, so what was planned is what is done.
    """

    arguments: JSON
    title: str = ""  # none: the name that its operator gave the tool
    scope: str = ""
    targets: tuple[Target, ...] = ()
    preview: Preview | None = None
    shows_arguments: bool = False  # where there is no other preview
    risk: Risk = Risk.L0
    editable: tuple[str, ...] = ()
    missing_fields: tuple[str, ...] = ()
    sources: tuple[JSON, ...] = ()
    reversible: bool = True
    outgoing: Outgoing | None = None  # of a read outside: what leaves with it

    def as_json(self) -> JSON:
        return {
            "title": self.title,
            "scope": self.scope,
            "targets": [target.as_json() for target in self.targets],
            "preview": self._preview(),
            "risk": self.risk.name,
            "editable": list(self.editable),
            "missing_fields": list(self.missing_fields),
            "sources": [dict(source) for source in self.sources],
            "reversible": self.reversible,
        }

    def _preview(self) -> JSON | None:
        """Made when somebody is to see it: most calls are shown to nobody."""
        if self.preview or not (self.shows_arguments and self.arguments):
            return self.preview.as_json() if self.preview else None
        text = json.dumps(self.arguments, indent=2, ensure_ascii=False)
        cut = text if len(text) <= PREVIEW_CHARS else f"{text[:PREVIEW_CHARS]}…"
        return Preview("text", cut).as_json()


@dataclass(slots=True, kw_only=True)
class ToolResult:
    """What a tool gives back when it succeeded; it raises `ToolFailure` when it did not.

    `data` is for the model and the API (a JSON object, checked against the type's output model).
    `receipt` is what the ledger keeps for ever: ids, revisions, times, never text.
    `provenance`: what reading this result brings into a run (`private`, `untrusted`).
    """

    data: JSON
    receipt: JSON = field(default_factory=dict)
    metadata: JSON = field(default_factory=dict)  # status_code, response_size, truncated
    warnings: list[str] = field(default_factory=list)
    provenance: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool type may know about the call it serves."""

    actor: Actor
    tool_id: uuid.UUID | None
    tool_slug: str
    idempotency_key: str  # sent to peers that support one
    deadline: float  # of time.monotonic()
    approved: bool = False  # true only when a person confirmed an ActionDraft
    call_id: uuid.UUID | None = None
    reach: Reach = field(default_factory=Reach)
    look_up: Callable[[], None] = still_waited_for  # of the caller's context

    @property
    def provenance(self) -> frozenset[str]:
        """Of the run: `private`, `untrusted`."""
        return self.reach.provenance

    def deadline_within(self, timeout_ms: int) -> Deadline:
        """From now on, but no later than the call's own."""
        return Deadline(min(time.monotonic() + timeout_ms / 1000, self.deadline))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a caller of the pipeline hands in, beside tool and arguments.

    `tool_set` names the tools that this caller may use: slug to whether the row that grants it
    adds approval. None: every tool (the operator's own test panel and execute endpoint).
    `fence` is called inside the transaction of each effect and raises `LeaseLost` when the caller
    no longer holds its run; it makes an effect of a taken-over run impossible.
    """

    actor: Actor
    idempotency_key: str
    tool_set: Mapping[str, bool] | None = None
    provenance: frozenset[str] = frozenset()
    user_urls: tuple[str, ...] = ()
    has_read: HasRead = nothing  # whether a URL stands in what the run has read
    unattended: bool = False
    confirm: bool = False  # a person's own direct call, confirmed by making it
    skill: str = ""
    skill_version: str = ""
    timeout_ms: int | None = None  # where the caller waits less long than the type may take
    fence: Callable[[], None] | None = None
    look_up: Callable[[], None] = still_waited_for  # raises `LeaseLost` when nobody waits any more

    @property
    def reach(self) -> Reach:
        return Reach(self.provenance, self.user_urls, self.has_read, self.unattended)
