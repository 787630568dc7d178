"""What of a definition must not be started with; each problem in words for its author."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from skills.cases import Case, PayloadCase
from skills.definitions import BackgroundSkill, PromptSkill, Skill, ToolSkill, WorkflowSkill
from skills.enums import ApprovalMode, SkillScope
from skills.manifests import PermissionRequirement
from skills.steps import fold
from skills.versions import precedence
from tools.configs import load_config
from tools.enums import Risk
from tools.registry import find_tool_type
from tools.tool_type import USES_APART

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_CODE = re.compile(r"[a-z][a-z0-9_]*:[a-z][a-z0-9_]*")
_LANGUAGES = {"en", "zh-hans"}
_BASES = (PromptSkill, WorkflowSkill, ToolSkill, BackgroundSkill)
_TIMEOUT_MS = range(100, 30_001)
_CALLS = range(1, 5)
_ATTEMPTS = range(1, 11)
_LONGEST_CASE_NAME = 100


def problems_of(skill: Skill) -> Iterator[str]:
    """Of one definition by itself."""
    for rule in _RULES:
        yield from rule(skill)


def repeated(skills: list[Skill]) -> Iterator[str]:
    counted = Counter(str(skill.manifest) for skill in skills)
    return (name for name, count in counted.items() if count > 1)


def _of_names(skill: Skill) -> Iterator[str]:
    manifest = skill.manifest
    if not _NAME.fullmatch(manifest.skill_id) or len(manifest.skill_id) > 100:
        yield "skill_id is words of a-z and 0-9 with hyphens between, up to 100 characters"
    try:
        precedence(manifest.version)
    except ValueError as error:
        yield f"version: {error}"
    if len(manifest.version) > 32:
        yield "version is up to 32 characters"


def _of_kind(skill: Skill) -> Iterator[str]:
    declared = {base.kind for base in _BASES if isinstance(skill, base)}
    if declared != {skill.manifest.kind}:
        yield f"the manifest says {skill.manifest.kind}, but the class is none of that kind"
    in_background = isinstance(skill, BackgroundSkill)
    if in_background != (skill.manifest.scope == SkillScope.BACKGROUND):
        yield "background skills, and only they, have the scope background"


def _of_permissions(skill: Skill) -> Iterator[str]:
    codes = Counter(skill.manifest.codes)
    yield from (f"{code} is required twice" for code, count in codes.items() if count > 1)
    for requirement in skill.manifest.permissions:
        for problem in _of_requirement(requirement):
            yield f"permission {requirement.code}: {problem}"


def _of_requirement(requirement: PermissionRequirement) -> Iterator[str]:
    if not _CODE.fullmatch(requirement.code) or len(requirement.code) > 100:
        yield "the code is two words with a colon between, such as memory:read"
    if requirement.risk >= Risk.L4:
        yield "agents may not do things of the risk L4"
    elif requirement.risk >= Risk.L3 and requirement.approval != ApprovalMode.PER_OPERATION:
        yield "what has the risk L3 is approved per_operation"
    elif requirement.risk >= Risk.L1 and requirement.approval == ApprovalMode.NONE:
        yield "from the risk L1 on it needs an approval"


def _of_matchers(skill: Skill) -> Iterator[str]:
    matchers = skill.manifest.matchers
    for command in matchers.explicit:
        if not command.startswith("/") or not _NAME.fullmatch(command[1:]):
            yield f"the command {command!r} is a slash and a name"
    unknown = ({*matchers.phrases} | {*matchers.patterns}) - _LANGUAGES
    yield from (f"matchers are for en and zh-hans, not for {language!r}" for language in unknown)
    yield from ("a phrase is empty" for phrase in matchers.all_phrases() if not phrase.strip())
    for pattern in matchers.all_patterns():
        yield from _of_pattern(pattern)


def _of_pattern(pattern: str) -> Iterator[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        yield f"the pattern {pattern!r} can't be read: {error}"
        return
    if compiled.search(""):
        yield f"the pattern {pattern!r} matches everything"


def _of_tool_skill(skill: Skill) -> Iterator[str]:
    if not isinstance(skill, ToolSkill):
        return
    if skill.timeout_ms not in _TIMEOUT_MS:
        yield "timeout_ms is 100 to 30000"
    if skill.max_calls_per_turn not in _CALLS:
        yield "max_calls_per_turn is 1 to 4"
    yield from _lacking(skill, "input_model", "output_model")


def _of_tools(skill: Skill) -> Iterator[str]:
    for tool_id in sorted(skill.tool_ids):
        yield from _of_tool(tool_id, skill)


def _of_tool(tool_id: str, skill: Skill) -> Iterator[str]:
    """By what its settings allow at worst as it is shipped; others are judged at each call."""
    tool_type = find_tool_type(tool_id)
    if tool_type is None:
        yield f"there is no tool type {tool_id!r}"
        return
    if tool_type.needs_set_up:
        yield f"the tool type {tool_id!r} is shipped without a tool"
        return
    config = load_config(tool_id, {})
    known, uses = tool_type.annotations(config), USES_APART.join(tool_type.uses(config))
    if known.risk >= Risk.L4:
        yield f"the tool type {tool_id!r} has the risk L4, which agents are refused"
    if skill.tool_use and skill.tool_use not in uses.split(USES_APART):
        yield f"the tool type {tool_id!r} has no use {skill.tool_use!r}"
    undeclared = sorted(set(known.permission_codes) - set(skill.manifest.codes))
    yield from (f"the tool type {tool_id!r} needs the undeclared {code}" for code in undeclared)


def _of_workflow(skill: Skill) -> Iterator[str]:
    if not isinstance(skill, WorkflowSkill):
        return
    names = [step.name for step in skill.steps]
    if not names or len({*names}) < len(names):
        yield "a workflow has steps, each with a name of its own"
    if ApprovalMode.PER_OPERATION not in {one.approval for one in skill.manifest.permissions}:
        yield "a workflow asks for a permission per_operation: what it writes is confirmed"
    called = Counter(
        word for step in skill.steps for word in {fold(one) for one in (step.name, *step.aliases)}
    )
    yield from (f"two steps are called {word!r}" for word, count in called.items() if count > 1)


def _of_background(skill: Skill) -> Iterator[str]:
    if not isinstance(skill, BackgroundSkill):
        return
    if skill.max_attempts not in _ATTEMPTS:
        yield "max_attempts is 1 to 10"
    yield from _lacking(skill, "payload_model")


def _of_cases(skill: Skill) -> Iterator[str]:
    """It has to be said when it is to act and when not; the answers are kept by their names."""
    names = Counter(case.name for case in skill.cases)
    yield from (f"the case {name!r} is there twice" for name, n in names.items() if n > 1)
    answers = {case.is_positive for case in skill.cases}
    if answers != {True, False}:
        yield "cases are missing: ship some that it is meant for and some that it is not"
    for case in skill.cases:
        for problem in _of_case(skill, case):
            yield f"the case {case.name!r}: {problem}"


def _of_case(skill: Skill, case: Case) -> Iterator[str]:
    if not 0 < len(case.name) <= _LONGEST_CASE_NAME:
        yield f"a name has 1 to {_LONGEST_CASE_NAME} characters"
    if isinstance(case, PayloadCase):
        if not isinstance(skill, BackgroundSkill):
            yield "only background skills have a payload"
        return
    if bool(case.selects) == bool(case.rejected):
        yield "it either selects a skill or says why there is none"


def _lacking(skill: Skill, *names: str) -> Iterator[str]:
    return (f"{name} is missing" for name in names if not hasattr(skill, name))


_RULES: tuple[Callable[[Skill], Iterator[str]], ...] = (
    _of_names,
    _of_kind,
    _of_permissions,
    _of_matchers,
    _of_tool_skill,
    _of_tools,
    _of_workflow,
    _of_background,
    _of_cases,
)
