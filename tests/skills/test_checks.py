"""What must not be started with, said in words; and that what is shipped is sound."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pydantic import ValidationError

from skills import registry
from skills.cases import MessageCase, PayloadCase
from skills.checks import skills_are_sound
from skills.definition_checks import problems_of
from skills.definitions import ToolSkill, WorkflowSkill
from skills.enums import ApprovalMode, SkillKind, SkillScope
from skills.manifests import Matchers, PermissionRequirement
from skills.steps import TextStep
from skills.versions import is_covered_by, precedence
from tests.skills.factories import CASES, READ, WRITE, Echo, Later, Tone, permission, skill
from tools.enums import Risk
from tools.schemas import Annotations
from tools.testing import FakeEcho, fake_types

TITLE = TextStep(name="title", label="Title", question="What is it called?")
STEPS = (TITLE,)
CONFIRMED = (permission(), permission(WRITE, ApprovalMode.PER_OPERATION, Risk.L2))
PAYLOAD = PayloadCase(name="payload", payload={})
UNDECIDED = MessageCase(name="neither", text="/echo")
BOTH = MessageCase(name="both", text="/echo", selects="echo", rejected="disabled")
UNNAMED = MessageCase(name="", text="/echo", selects="echo")


class Notes(WorkflowSkill):
    tool_id = "fake_echo"
    steps = STEPS

    def build_arguments(self, answers: Any, context: Any) -> Any:
        return {"text": answers["title"]}


SOUND: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Echo, {}),
    (Echo, {"version": "10.20.30-rc.1"}),
    (Echo, {"permissions": (permission(READ, ApprovalMode.PER_OPERATION, Risk.L3),)}),
    (Echo, {"permissions": (permission(READ, ApprovalMode.NONE, Risk.L0),)}),
    (Echo, {"attributes": {"timeout_ms": 100, "max_calls_per_turn": 1}}),
    (Echo, {"attributes": {"timeout_ms": 30_000, "max_calls_per_turn": 4}}),
    (Tone, {}),
    (Later, {}),
    (Notes, {"permissions": CONFIRMED}),
)
UNSOUND: tuple[tuple[Any, dict[str, Any], str], ...] = (
    (Echo, {"skill_id": "Echo"}, "skill_id is words"),
    (Echo, {"skill_id": "e" * 101}, "up to 100 characters"),
    (Echo, {"version": "1.0"}, "'1.0' is no semantic version"),
    (Echo, {"version": "01.0.0"}, "no semantic version"),
    (Echo, {"version": f"1.0.0-{'a' * 30}"}, "up to 32 characters"),
    (Echo, {"kind": SkillKind.PROMPT}, "the manifest says prompt, but the class"),
    (Tone, {"kind": SkillKind.TOOL}, "the manifest says tool, but the class"),
    (Later, {"kind": SkillKind.TOOL}, "the manifest says tool, but the class"),
    (Echo, {"scope": SkillScope.BACKGROUND}, "have the scope background"),
    (Later, {"scope": SkillScope.SINGLE_CHAT}, "have the scope background"),
    (Echo, {"permissions": (permission(), permission())}, "tests:read is required twice"),
    (Echo, {"permissions": (permission("read"),)}, "permission read: the code is two words"),
    (Echo, {"permissions": (permission(risk=Risk.L4),)}, "the risk L4"),
    (
        Echo,
        {"permissions": (permission(READ, ApprovalMode.PER_OPERATION, Risk.L4),)},
        "the risk L4",
    ),
    (Echo, {"permissions": (permission(risk=Risk.L3),)}, "approved per_operation"),
    (Echo, {"permissions": (permission(READ, ApprovalMode.NONE),)}, "it needs an approval"),
    (Echo, {"attributes": {"timeout_ms": 99}}, "timeout_ms is 100 to 30000"),
    (Echo, {"attributes": {"timeout_ms": 30_001}}, "timeout_ms is 100 to 30000"),
    (Echo, {"attributes": {"max_calls_per_turn": 0}}, "max_calls_per_turn is 1 to 4"),
    (Echo, {"attributes": {"max_calls_per_turn": 5}}, "max_calls_per_turn is 1 to 4"),
    (Echo, {"attributes": {"tool_id": "nothing"}}, "there is no tool type 'nothing'"),
    (Notes, {"attributes": {"tool_id": "nothing"}}, "there is no tool type 'nothing'"),
    (Notes, {"attributes": {"tool_use": "burn"}}, "has no use 'burn'"),
    (Echo, {"attributes": {"tool_use": "burn"}}, "has no use 'burn'"),
    (Echo, {"attributes": {"tool_id": "http_api"}}, "shipped without a tool"),
    (Notes, {"attributes": {"steps": ()}}, "a workflow has steps"),
    (Notes, {"attributes": {"steps": STEPS * 2}}, "a name of its own"),
    (Notes, {"permissions": (permission(),)}, "what it writes is confirmed"),
    (
        Notes,
        {"attributes": {"steps": (TITLE, replace(TITLE, name="name", aliases=("TITLE",)))}},
        "two steps are called 'title'",
    ),
    (Later, {"attributes": {"max_attempts": 0}}, "max_attempts is 1 to 10"),
    (Later, {"attributes": {"max_attempts": 11}}, "max_attempts is 1 to 10"),
    (Echo, {"matchers": Matchers(explicit=("echo",))}, "is a slash and a name"),
    (Echo, {"matchers": Matchers(phrases={"fr": ("écho",)})}, "not for 'fr'"),
    (Echo, {"matchers": Matchers(phrases={"en": (" ",)})}, "a phrase is empty"),
    (Echo, {"matchers": Matchers(patterns={"en": ("(",)})}, "can't be read"),
    (Echo, {"matchers": Matchers(patterns={"en": ("a*",)})}, "matches everything"),
    (Echo, {"attributes": {"cases": ()}}, "cases are missing"),
    (Echo, {"attributes": {"cases": CASES[:1]}}, "cases are missing"),
    (Echo, {"attributes": {"cases": CASES[1:]}}, "cases are missing"),
    (Echo, {"attributes": {"cases": (*CASES, CASES[0])}}, "the case 'command' is there twice"),
    (Echo, {"attributes": {"cases": (*CASES, PAYLOAD)}}, "only background skills have a payload"),
    (Echo, {"attributes": {"cases": (*CASES, UNDECIDED)}}, "'neither': it either selects"),
    (Echo, {"attributes": {"cases": (*CASES, BOTH)}}, "'both': it either selects"),
    (Echo, {"attributes": {"cases": (*CASES, UNNAMED)}}, "a name has 1 to 100 characters"),
)


@pytest.fixture(autouse=True)
def _fakes() -> Any:
    with fake_types():
        yield


def said(*skills: Any) -> str:
    with registry.only(*skills):
        return "\n".join(error.msg for error in skills_are_sound())


@pytest.mark.parametrize(("base", "facts"), SOUND)
def test_a_sound_skill_is_started_with(base: Any, facts: dict[str, Any]) -> None:
    assert said(skill(base, **facts)) == ""


@pytest.mark.parametrize(("base", "facts", "words"), UNSOUND)
def test_an_unsound_one_is_not_and_its_author_is_told_why(
    base: Any, facts: dict[str, Any], words: str
) -> None:
    problems = said(skill(base, **facts))
    assert words in problems
    assert facts.get("skill_id", "echo") in problems


def test_a_model_that_is_missing_is_named() -> None:
    class Bare(ToolSkill[Any, Any]):
        tool_id = "fake_echo"
        build_input = Echo.build_input
        build_system_instruction = Echo.build_system_instruction

    assert "input_model is missing" in said(skill(Bare))
    assert "output_model is missing" in said(skill(Bare))


def test_what_the_tool_needs_has_to_be_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    def annotations(*_args: Any) -> Annotations:
        return Annotations(read_only=True, risk=Risk.L1, permission_codes=(READ, WRITE))

    monkeypatch.setattr(FakeEcho, "annotations", annotations)
    assert f"needs the undeclared {WRITE}" in said(skill())
    assert said(skill(permissions=(permission(READ), permission(WRITE)))) == ""


def test_a_tool_of_the_risk_l4_is_for_no_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    def annotations(*_args: Any) -> Annotations:
        return Annotations(read_only=False, risk=Risk.L4)

    monkeypatch.setattr(FakeEcho, "annotations", annotations)
    assert "has the risk L4" in said(skill())


def test_a_version_is_defined_once() -> None:
    assert "The skill echo@1.0.0 is defined twice." in said(skill(), skill())
    assert said(skill(), skill(version="1.0.1")) == ""


@pytest.mark.django_db
def test_start_up_is_refused() -> None:
    with registry.only(skill(version="one")), pytest.raises(SystemCheckError, match="echo@one"):
        call_command("check")


def test_a_manifest_takes_nothing_that_it_does_not_know() -> None:
    with pytest.raises(ValidationError):
        PermissionRequirement(  # type: ignore[call-arg]  # that is the point
            code=READ, risk=Risk.L1, approval=ApprovalMode.NONE, label="", granted=True
        )


# --- The registry ---


def test_the_newest_version_counts_unless_one_is_named() -> None:
    versions = ("1.9.0", "1.10.0", "1.10.0-rc.1", "1.2.0")
    with registry.only(*(skill(version=version) for version in versions)):
        newest = registry.get_skill("echo")
        assert newest.manifest.version == "1.10.0"
        assert registry.list_skills() == [newest]
        assert registry.list_versions("echo") == ["1.10.0", "1.10.0-rc.1", "1.9.0", "1.2.0"]
        assert registry.get_skill("echo", "1.2.0").manifest.version == "1.2.0"
        assert registry.find_skill("echo", "1.3.0") is None


def test_a_permission_is_looked_up_in_the_newest_version() -> None:
    older, newer = (permission(READ),), (permission(WRITE),)
    with registry.only(skill(permissions=older), skill(version="1.1.0", permissions=newer)):
        assert registry.declaring(READ) == []
        ((found, requirement),) = registry.declaring(WRITE)
        assert (found.manifest.version, requirement.code) == ("1.1.0", WRITE)


ORDERED = ("0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
           "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "2.0.0", "10.0.0")  # fmt: skip


def test_versions_are_ordered_as_semver_says() -> None:
    assert sorted(ORDERED, key=precedence) == list(ORDERED)


@pytest.mark.parametrize("version", ["", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-", "1.0.٣", "-1"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match="semantic version"):
        precedence(version)


def test_a_grant_covers_its_own_and_older_contracts() -> None:
    assert is_covered_by("1.9.0", "1.0.0")
    assert is_covered_by("1.0.0", "1.9.0")
    assert is_covered_by("1.0.0", "2.0.0")
    assert not is_covered_by("2.0.0", "1.9.0")


def test_what_is_shipped_is_sound() -> None:
    assert skills_are_sound() == []
    assert [one for one in registry.list_skills() if list(problems_of(one))] == []
    assert registry.get_skill("weekly-review", "1.0.0").manifest.kind == SkillKind.PROMPT
