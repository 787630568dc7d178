"""A tool type: code that can do one kind of thing, with its config, its schema and its risk."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from config.base.errors import Bug
from tools.enums import ConsentKind, LogPayload
from tools.schemas import JSON, Annotations, Plan, ToolContext, ToolResult

USES_APART = ", "


class ToolConfig(BaseModel):
    """Base of every config: unknown keys are refused, defaults are what a new row gets."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolInput(BaseModel):
    """Base of every input: unknown arguments are refused, so a misspelt one is never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolOutput(BaseModel):
    """Base of every output; a result that does not fit is a bug of the type, not of the caller."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Choice:
    """How a card asks for an argument that is one of a few values; translated, for people."""

    label: Any
    options: Mapping[str, Any]  # by value, in the order in which they are shown


class ToolType[ConfigT: ToolConfig, InputT: ToolInput](ABC):
    """One kind of tool. Stateless: one instance serves every row and every call.

    Subclasses are found in `<app>/tool_types.py`. `plan` only reads; `execute` does what the plan
    says, from the plan's arguments. Both raise `ToolFailure` with a code of their own; an effect
    inside Gatehouse runs within the pipeline's transaction, with its receipt and its audit event.
    """

    name: ClassVar[str]
    label: ClassVar[Any]  # translated, for people
    # What any row of it does, translated; "": the first sentence of the description says it.
    purpose: ClassVar[Any] = ""
    config_model: ClassVar[type[ToolConfig]]
    output_model: ClassVar[type[BaseModel]]
    log_payload: ClassVar[LogPayload] = LogPayload.FULL
    roles: ClassVar[frozenset[str] | None] = None  # None: every role
    choices: ClassVar[Mapping[str, Choice]] = {}  # by argument
    argument_labels: ClassVar[Mapping[str, Any]] = {}  # on cards, without choices; translated
    needs_set_up: ClassVar[bool] = False  # True: `migrate` makes no row for it
    first_party: ClassVar[bool] = True  # False: what it does is described by somebody else
    # What a person is asked to let out where the annotations say `needs_consent`.
    consent_kind: ClassVar[ConsentKind] = ConsentKind.WEB
    derives: ClassVar[bool] = False  # True: the URLs in its results are a model's words
    default_timeout_seconds: ClassVar[float] = 10.0
    quotes_peers: ClassVar[bool] = (
        False  # True: so may its failures, such as where a redirect leads
    )
    # Failures of an act outside after which nobody can say whether it happened; a failure whose
    # details say `request_sent` is judged by that. `tool_error` is what an executor's bug becomes.
    uncertain_codes: ClassVar[frozenset[str]] = frozenset({"timeout", "tool_error"})

    @abstractmethod
    def input_model(self, config: ConfigT) -> type[InputT]:
        """The arguments; a config can narrow them."""

    @abstractmethod
    def description(self, config: ConfigT) -> str:
        """What the model reads after the row's own description; made from the config."""

    @abstractmethod
    def annotations(self, config: ConfigT, arguments: InputT | None = None) -> Annotations:
        """Without arguments: the worst that this config allows."""

    def uses(self, config: ConfigT) -> Mapping[str, Annotations]:
        """How its calls differ for the gates, each at its worst; "": they do not.

        Those that do not differ share a key, their names with `USES_APART` between them.
        """
        return {"": self.annotations(config)}

    def worst(self, config: ConfigT) -> Annotations:
        """The worst that any config allows: of this one, where no other is worse."""
        return self.annotations(config)

    def timeout_seconds(self, config: ConfigT) -> float:
        return self.default_timeout_seconds

    def plan(self, arguments: InputT, config: ConfigT, context: ToolContext) -> Plan:
        """Optional for read-only types; pure reads."""
        annotations = self.annotations(config, arguments)
        if not annotations.read_only:
            raise Bug(f"{self.name} writes and has no plan")
        return Plan(
            arguments=self.arguments_json(arguments),
            shows_arguments=True,
            risk=annotations.risk,
        )

    @abstractmethod
    def execute(self, plan: Plan, config: ConfigT, context: ToolContext) -> ToolResult:
        """Do what the plan says; raise `ToolFailure` when it can't be done."""

    def parse(self, plan: Plan, config: ConfigT) -> InputT:
        """The plan's arguments as the input model again."""
        return self.input_model(config).model_validate(plan.arguments)

    @staticmethod
    def arguments_json(arguments: BaseModel) -> JSON:
        return arguments.model_dump(mode="json", exclude_none=True)
