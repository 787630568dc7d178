"""What a skill is made of, by kind (ARCHITECTURE.md has the recipe).

A definition is reviewed code in `<app>/skill_definitions.py`. It gets data and gives data: it has
no database, no client and no tool but the one it names, which only the runner calls.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, JsonValue

from config.base.actor import Actor
from skills.cases import Case
from skills.context import SkillContext
from skills.enums import SkillKind
from skills.manifests import Manifest
from skills.steps import Step


class SkillData(BaseModel):
    """Base of inputs, outputs and payloads: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Skill(ABC):
    """One version of one skill. Stateless: one instance serves everybody."""

    manifest: ClassVar[Manifest]
    kind: ClassVar[SkillKind]  # what the manifest has to say, too
    tool_use: ClassVar[str] = ""  # of its tool, as `ToolType.uses` names it; "": whichever it has
    cases: ClassVar[tuple[Case, ...]] = ()  # `skills.cases`; one without any is not started with

    @property
    def tool_ids(self) -> frozenset[str]:
        """The tools it may have called for it: names of types, each with its shipped tool."""
        return frozenset()


class PromptSkill(Skill):
    """Tells the agent how to go about a reply."""

    kind = SkillKind.PROMPT

    @abstractmethod
    def instruction(self, context: SkillContext) -> str:
        """For the model, beside the agent's own instructions; the message stays a message."""


class ToolSkill[InputT: BaseModel, OutputT: BaseModel](Skill):
    """Calls one tool for a message and tells the agent what came of it."""

    kind = SkillKind.TOOL
    tool_id: ClassVar[str]  # the name of a tool type, which is the slug of its shipped tool, too
    timeout_ms: ClassVar[int] = 2000
    max_calls_per_turn: ClassVar[int] = 1
    input_model: type[InputT]
    output_model: type[OutputT]

    @property
    def tool_ids(self) -> frozenset[str]:
        return frozenset({self.tool_id})

    @abstractmethod
    def build_input(self, context: SkillContext) -> Mapping[str, Any]:
        """The arguments; `input_model` judges them before anything is called."""

    @abstractmethod
    def build_system_instruction(self, output: OutputT) -> str:
        """For the model: what was found, or that nothing was."""


class WorkflowSkill(Skill):
    """Collects answers over several messages, then calls one tool through the gate.

    The answers of one that is under way are kept by the names of its steps: a minor version may
    add, drop and reword steps, but not change what a name stands for.
    """

    kind = SkillKind.WORKFLOW
    steps: ClassVar[tuple[Step, ...]]
    tool_id: ClassVar[str]

    @property
    def tool_ids(self) -> frozenset[str]:
        return frozenset({self.tool_id})

    @abstractmethod
    def build_arguments(
        self, answers: Mapping[str, JsonValue], context: SkillContext
    ) -> Mapping[str, Any]:
        """Of the tool, from every step's answer by its name; None for one that was skipped."""

    def link_to(self, receipt: Mapping[str, Any]) -> str:
        """Markdown, by the tool's receipt; empty where there is nothing to go to."""
        return ""

    def step(self, name: str) -> Step | None:
        return next((step for step in self.steps if step.name == name), None)


MAX_NOTE_LENGTH = 500  # of what a person adds to a background job


class BackgroundPayload(SkillData):
    """Base of payloads: where the skill acts."""

    agent_id: UUID
    conversation_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundContext[PayloadT: BackgroundPayload]:
    """`job_id` is the same at every attempt: what is written is written under it, once."""

    actor: Actor
    job_id: UUID
    payload: PayloadT


class BackgroundSkill[PayloadT: BackgroundPayload](Skill):
    """Acts later, while nobody is there. Its jobs are of a kind that has its id."""

    kind = SkillKind.BACKGROUND
    payload_model: type[PayloadT]
    max_attempts: ClassVar[int] = 3

    @abstractmethod
    def build_payload(self, actor: Actor, agent_id: UUID, note: str) -> PayloadT:
        """From what a person asks for, in the transaction that makes the job.

        Raises `NotFound` for the agent, `InvalidInput` for the note.
        """

    @abstractmethod
    def execute(self, context: BackgroundContext[PayloadT]) -> None:
        """The effects, in the transaction that completes the job; maybe more than once."""
