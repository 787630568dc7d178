"""Skills of the tests' own, and rows of what people gave and did with skills."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from config.base.actor import Actor
from config.base.models import User
from jobs.models import Job
from skills.cases import MessageCase
from skills.context import SkillContext
from skills.definitions import (
    BackgroundContext,
    BackgroundPayload,
    BackgroundSkill,
    PromptSkill,
    SkillData,
    ToolSkill,
)
from skills.enums import ApprovalMode, RunStatus, SessionState, SkillKind, SkillScope
from skills.manifests import Manifest, Matchers, PermissionRequirement
from skills.models import (
    PermissionGrant,
    SkillBinding,
    SkillEvaluation,
    SkillJob,
    SkillRun,
    WorkflowSession,
)
from tools.enums import Risk

READ, WRITE = "tests:read", "tests:write"
CASES = (
    MessageCase(name="command", text="/echo", selects="echo"),
    MessageCase(name="something else", text="Hello", rejected="no_match"),
)


class EchoIn(SkillData):
    text: str


class EchoOut(SkillData):
    text: str


class Echo(ToolSkill[EchoIn, EchoOut]):
    """Calls a fake tool with the message."""

    tool_id = "fake_echo"
    input_model = EchoIn
    output_model = EchoOut

    def build_input(self, context: SkillContext) -> Mapping[str, Any]:
        return {"text": context.text}

    def build_system_instruction(self, output: EchoOut) -> str:
        return f"It says: {output.text}"


class Tone(PromptSkill):
    def instruction(self, context: SkillContext) -> str:
        return "Be brief."


class LaterPayload(BackgroundPayload):
    note: str = ""


class Later(BackgroundSkill[LaterPayload]):
    payload_model = LaterPayload

    def build_payload(self, actor: Actor, agent_id: UUID, note: str) -> LaterPayload:
        return LaterPayload(agent_id=agent_id, conversation_id=agent_id, note=note)

    def execute(self, context: BackgroundContext[LaterPayload]) -> None:
        """Nothing: what is tested is who may."""


# With these matchers "Hello" asks for it, too.
GREEDY = Matchers(explicit=("/echo",), phrases={"en": ("hello",)})


def permission(
    code: str = READ,
    approval: ApprovalMode = ApprovalMode.PERSISTENT,
    risk: Risk = Risk.L1,
    **facts: Any,
) -> PermissionRequirement:
    return PermissionRequirement(
        code=code, risk=risk, approval=approval, label=f"Do {code}", **facts
    )


def manifest(base: type[Any] = Echo, **facts: Any) -> Manifest:
    background = base.kind == SkillKind.BACKGROUND
    values: dict[str, Any] = {
        "skill_id": "echo",
        "version": "1.0.0",
        "kind": base.kind,
        "name": "Echo",
        "description": "Says it again.",
        "scope": SkillScope.BACKGROUND if background else SkillScope.SINGLE_CHAT,
        "permissions": (permission(),),
        "matchers": Matchers(explicit=("/echo",)),
    }
    return Manifest(**{**values, **facts})


def skill(
    base: type[Any] = Echo, *, attributes: dict[str, Any] | None = None, **facts: Any
) -> type[Any]:
    """A definition of its own, by what differs in its manifest and in the class."""
    own = {"manifest": manifest(base, **facts), "cases": CASES, **(attributes or {})}
    return type(base.__name__, (base,), own)


def make_grant(
    user: User, code: str = READ, *, skill_id: str = "echo", agent_id: UUID | None = None
) -> PermissionGrant:
    return PermissionGrant.objects.create(
        user=user, skill_id=skill_id, code=code, agent_id=agent_id, version="1.0.0"
    )


def make_switch(user: User, enabled: bool = False, *, agent_id: UUID | None = None) -> SkillBinding:
    return SkillBinding.objects.create(
        user=user, skill_id="echo", enabled=enabled, agent_id=agent_id
    )


def make_run(user: User, status: RunStatus = RunStatus.SUCCEEDED, **facts: Any) -> SkillRun:
    return SkillRun.objects.create(
        user=user,
        skill_id="echo",
        version="1.0.0",
        kind=SkillKind.TOOL,
        status=status,
        duration_ms=12,
        finished_at=timezone.now(),
        **facts,
    )


def make_skill_job(user: User, job: Job, agent_id: UUID, **facts: Any) -> SkillJob:
    return SkillJob.objects.create(
        user=user,
        job=job,
        skill_id="echo",
        version="1.0.0",
        agent_id=agent_id,
        conversation_id=agent_id,
        **facts,
    )


def make_session(
    user: User, state: SessionState = SessionState.ACTIVE, **facts: Any
) -> WorkflowSession:
    """Of the shipped meeting notes, whose title has been told."""
    now = timezone.now()
    is_open = state in (SessionState.ACTIVE, SessionState.PAUSED)
    values = {
        "agent_id": uuid4(),
        "conversation_id": uuid4(),
        "message_id": uuid4(),
        "skill_id": "meeting-notes",
        "version": "1.0.0",
        "step": "attendees",
        "answers": {"title": "Budget"},
        "expires_at": now + timedelta(hours=1),
        "finished_at": None if is_open else now,
    }
    return WorkflowSession.objects.create(user=user, state=state, **{**values, **facts})


def make_evaluation(skill_id: str = "echo", **facts: Any) -> SkillEvaluation:
    """One of two cases has become worse."""
    values: dict[str, Any] = {
        "skill_id": skill_id,
        "version": "1.0.0",
        "case_count": 2,
        "passed_count": 1,
        "regression_count": 1,
        "passed": ["command"],
        "failed": [
            {
                "case": "something else",
                "problem": "expected none: no_match, got echo",
                "regression": True,
            }
        ],
    }
    return SkillEvaluation.objects.create(**{**values, **facts})
