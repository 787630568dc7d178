"""Fake tool types, gates and a peer, for tests of whatever calls tools.

`with fake_types() as peer:` registers them. What they do is said by the row's config and, for what
goes wrong, by the arguments: `explode` raises, `refuse` fails as a tool does,
`slow` runs out of time.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from unittest import mock

from pydantic import Field

from config.base.models import Project, User
from tools import registry
from tools.decisions import Reason
from tools.directory import Holder
from tools.enums import DecisionOutcome, LogPayload, Risk
from tools.errors import ToolFailure, ToolTimeout
from tools.gates import PreparedCall
from tools.models import Tool
from tools.registry import AnyToolType
from tools.schemas import (
    JSON,
    Annotations,
    CallContext,
    Plan,
    Preview,
    Target,
    ToolContext,
    ToolResult,
)
from tools.tool_type import ToolConfig, ToolInput, ToolOutput, ToolType

EXPLODE, REFUSE, SLOW = "explode", "refuse", "slow"
RISKY = "risky"  # a name that makes a rename L3


class FakeConfig(ToolConfig):
    """The annotations, as a test wants them."""

    risk: int | None = None
    requires_approval: bool = False
    idempotent: bool = False
    permission_codes: tuple[str, ...] = Field(default=(), description="What it needs.")


class EchoInput(ToolInput):
    text: str


class EchoOutput(ToolOutput):
    text: str


class FakeEcho(ToolType[FakeConfig, EchoInput]):
    """Reads: gives back what it got."""

    name = "fake_echo"
    label = "Echo"
    config_model = FakeConfig
    output_model = EchoOutput

    def input_model(self, config: FakeConfig) -> type[EchoInput]:
        return EchoInput

    def description(self, config: FakeConfig) -> str:
        return "Says it again."

    def annotations(self, config: FakeConfig, arguments: EchoInput | None = None) -> Annotations:
        return Annotations(
            read_only=True,
            risk=Risk(config.risk or 0),
            requires_approval=config.requires_approval,
            permission_codes=config.permission_codes,
        )

    def execute(self, plan: Plan, config: FakeConfig, context: ToolContext) -> ToolResult:
        text = plan.arguments["text"]
        fail_by(text)
        if text == "malformed":
            return ToolResult(data={"other": text})
        peer.executed.append(text)
        return ToolResult(data={"text": text}, receipt={"length": len(text)}, warnings=["an echo"])


class FakeSecretEcho(FakeEcho):
    name = "fake_secret_echo"
    log_payload = LogPayload.NONE


class FakeOpenEcho(FakeEcho):
    """A read that leaves the house, such as a fetch."""

    name = "fake_open_echo"

    def annotations(self, config: FakeConfig, arguments: EchoInput | None = None) -> Annotations:
        return Annotations(
            read_only=True,
            open_world=True,
            idempotent=True,
            risk=Risk.L1,
            requires_approval=config.requires_approval,
        )


class RenameInput(ToolInput):
    project: str
    name: str | None = None


class RenameOutput(ToolOutput):
    name: str


class FakeRename(ToolType[FakeConfig, RenameInput]):
    """Writes inside Gatehouse: gives a project another name."""

    name = "fake_rename"
    label = "Rename"
    config_model = FakeConfig
    output_model = RenameOutput

    def input_model(self, config: FakeConfig) -> type[RenameInput]:
        return RenameInput

    def description(self, config: FakeConfig) -> str:
        return "Renames a project."

    def annotations(self, config: FakeConfig, arguments: RenameInput | None = None) -> Annotations:
        risk = Risk.L2 if config.risk is None else Risk(config.risk)
        if arguments and arguments.name == RISKY:
            risk = Risk.L3
        return Annotations(
            read_only=False,
            risk=risk,
            requires_approval=config.requires_approval,
            permission_codes=config.permission_codes,
        )

    def plan(self, arguments: RenameInput, config: FakeConfig, context: ToolContext) -> Plan:
        project = _project(arguments.project)
        if arguments.name == "unplannable":
            raise RuntimeError("a plan that raises")
        target = Target("project", str(project.pk), version=project.name, title=project.name)
        return Plan(
            title=f"Rename {project.slug}",
            arguments=self.arguments_json(arguments),
            targets=(target,),
            preview=Preview("text", f"{project.name} → {arguments.name}"),
            risk=self.annotations(config, arguments).risk,
            editable=("name",),
            missing_fields=() if arguments.name else ("name",),
        )

    def execute(self, plan: Plan, config: FakeConfig, context: ToolContext) -> ToolResult:
        name = plan.arguments["name"]
        project = _project(plan.arguments["project"])
        project.name = name
        project.save()
        fail_by(name)
        peer.executed.append(name)
        return ToolResult(data={"name": name}, receipt={"project": str(project.pk)})


class FakeForeignRename(FakeRename):
    name = "fake_foreign_rename"
    first_party = False


class FakeDestroy(FakeRename):
    """Writes inside what can't be taken back."""

    name = "fake_destroy"

    def annotations(self, config: FakeConfig, arguments: RenameInput | None = None) -> Annotations:
        return replace(super().annotations(config, arguments), destructive=True)


class SendInput(ToolInput):
    text: str


class FakeSend(ToolType[FakeConfig, SendInput]):
    """Acts outside: hands a text to the peer."""

    name = "fake_send"
    label = "Send"
    config_model = FakeConfig
    output_model = EchoOutput

    def input_model(self, config: FakeConfig) -> type[SendInput]:
        return SendInput

    def description(self, config: FakeConfig) -> str:
        return "Sends a text."

    def annotations(self, config: FakeConfig, arguments: SendInput | None = None) -> Annotations:
        return Annotations(
            read_only=False,
            open_world=True,
            idempotent=config.idempotent,
            risk=Risk.L2 if config.risk is None else Risk(config.risk),
            requires_approval=config.requires_approval,
        )

    def plan(self, arguments: SendInput, config: FakeConfig, context: ToolContext) -> Plan:
        return Plan(
            title="Send",
            arguments=self.arguments_json(arguments),
            preview=Preview("text", arguments.text),
            risk=self.annotations(config).risk,
            editable=("text",),
            reversible=False,
        )

    def execute(self, plan: Plan, config: FakeConfig, context: ToolContext) -> ToolResult:
        text = plan.arguments["text"]
        peer.receive(context.idempotency_key, text)
        return ToolResult(
            data={"text": text}, receipt={"sent": True}, metadata={"status_code": 202}
        )


FAKES: tuple[type[AnyToolType], ...] = (
    FakeEcho,
    FakeSecretEcho,
    FakeOpenEcho,
    FakeRename,
    FakeForeignRename,
    FakeDestroy,
    FakeSend,
)


def fail_by(word: str) -> None:
    if word == EXPLODE:
        raise RuntimeError("an executor that raises")
    if word == REFUSE:
        raise ToolFailure("It refuses.", code="refused")
    if word == SLOW:
        raise ToolTimeout


@dataclass(slots=True)
class Peer:
    """Whoever is outside. `on_receipt` runs after a text arrived: what fails there, fails late."""

    received: list[tuple[str, str]] = field(default_factory=list)  # key, text
    executed: list[str] = field(default_factory=list)  # what the other fakes did
    on_receipt: Callable[[], None] | None = None

    def receive(self, key: str, text: str) -> None:
        if text == REFUSE:
            raise ToolFailure("It refuses.", code="refused")
        self.received.append((key, text))
        if self.on_receipt:
            self.on_receipt()
        fail_by(text)

    @property
    def keys(self) -> list[str]:
        return [key for key, _text in self.received]

    @property
    def texts(self) -> list[str]:
        return [text for _key, text in self.received]


peer = Peer()


@contextmanager
def fake_types() -> Iterator[Peer]:
    global peer
    peer = Peer()
    fakes = {tool_type.name: tool_type() for tool_type in FAKES}
    with mock.patch.dict(registry._types, fakes):
        yield peer


def _project(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise ToolFailure("There is no such project.", code="not_found")
    return project


# --- Gates and a directory, to be named in the settings ---


class _FixedGate:
    name: ClassVar[str] = "fixed"
    outcome: ClassVar[DecisionOutcome]

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        return Reason(self.name, self.outcome, f"{self.outcome}_fixed", "It always says so.")


class ConsentGate(_FixedGate):
    name = "consent"
    outcome = DecisionOutcome.NEEDS_CONSENT


class RaisingGate(_FixedGate):
    name = "raising"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        raise RuntimeError("a gate that can't decide")


class FakeDirectory:
    """settings.AGENT_DIRECTORY for agents that need no row; tests fill `tool_sets`."""

    tool_sets: ClassVar[dict[uuid.UUID, dict[str, bool]]] = {}

    def may_use(self, user: User, agent_id: uuid.UUID) -> bool:
        return agent_id in self.tool_sets

    def tool_set(self, agent_id: uuid.UUID) -> Mapping[str, bool]:
        return self.tool_sets.get(agent_id, {})

    def all_names(self) -> dict[uuid.UUID, str]:
        return {agent_id: f"Agent {n}" for n, agent_id in enumerate(self.tool_sets, 1)}

    def holders(self, tools: Sequence[Tool]) -> Mapping[uuid.UUID, list[Holder]]:
        names = self.all_names()
        return {
            tool.pk: [
                Holder(pk, names[pk]) for pk, has in self.tool_sets.items() if tool.slug in has
            ]
            for tool in tools
        }

    def may_give(self, user: User) -> bool:
        return False


def events_of(target_id: Any) -> list[str]:
    """The audit's actions about one target, in order, where the recorder keeps rows."""
    from django.apps import apps

    events = apps.get_model("skills", "AuditEvent").objects.filter(target_id=str(target_id))
    return list(events.order_by("pk").values_list("action", flat=True))


def arguments_for(tool_type: str, word: str = "hello") -> JSON:
    """Valid arguments of a fake type; a rename is of the project `demo`."""
    renames = "rename" in tool_type or "destroy" in tool_type
    return {"project": "demo", "name": word} if renames else {"text": word}
