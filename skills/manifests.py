"""What a skill says of itself (seed 4): data only. `skills.checks` judges whether it holds."""

from collections.abc import Iterator
from typing import Annotated

from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict, Field

from skills.enums import ApprovalMode, SkillKind, SkillScope
from tools.enums import Risk

type Text = str | Promise  # translated, for people


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class PermissionRequirement(_Data):
    """One permission; `label` and `description` say what a person lets happen with it."""

    code: str  # `memory:read`
    risk: Risk
    approval: ApprovalMode
    label: Text
    description: Text = ""


class Matchers(_Data):
    """What in a message asks for the skill. Whatever language a person has set, all count.

    `explicit` are commands such as `/memory-recall`; phrases and patterns (regular expressions)
    are kept by language: `en`, `zh-hans`.
    """

    explicit: tuple[str, ...] = ()
    phrases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    patterns: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def all_phrases(self) -> Iterator[str]:
        for phrases in self.phrases.values():
            yield from phrases

    def all_patterns(self) -> Iterator[str]:
        for patterns in self.patterns.values():
            yield from patterns


class Manifest(_Data):
    skill_id: str
    version: str
    kind: SkillKind
    name: Text
    description: Text
    scope: SkillScope
    permissions: tuple[PermissionRequirement, ...] = ()
    matchers: Annotated[Matchers, Field(default_factory=Matchers)]
    enabled: bool = True  # for whom has said nothing

    def requirement(self, code: str) -> PermissionRequirement | None:
        return next((one for one in self.permissions if one.code == code), None)

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(one.code for one in self.permissions)

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"
