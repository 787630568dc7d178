"""One of everything that pages show, written straight into the product's database."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from agents.memories.services import archive_memory, create_memory
from agents.models import (
    Agent,
    Consent,
    Conversation,
    Memory,
    Message,
    MessageRole,
    ModelProfile,
    Run,
    RunStatus,
)
from agents.reminders.text import render_reminder
from agents.runs.messages import add_message
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import ApiToken, Project, User
from config.base.tokens import create_token
from documents import services
from documents.models import Document
from documents.services.sharing import Shared
from jobs.enums import WAITING as WAITING_JOBS
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt, JobSeries, MissedSlots, PausedKind, WorkerBeat
from jobs.recurrence import next_slot
from skills.enums import RunStatus as SkillRunStatus
from skills.enums import SessionState
from skills.models import PermissionGrant, WorkflowSession
from tests.agents.cards import conversation_of, make_document, parked, run_of
from tests.documents.knowledge.rows import make_row
from tests.jobs.factories import JobFactory, make_job
from tests.skills.alerts import make_alert
from tests.skills.factories import (
    make_evaluation,
    make_grant,
    make_run,
    make_session,
    make_skill_job,
    make_switch,
)
from tests.tools.mcp_servers import TOOL as MCP_TOOL
from tests.tools.secrets import make_secret
from tools.configs import load_config
from tools.enums import CallStatus, ConsentKind, DismissReason, DraftKind, DraftState
from tools.gates.cover import conditions_of
from tools.mcp.descriptors import descriptor_hash
from tools.models import ActionDraft, StandingApproval, Tool, ToolCall, UserBudget
from tools.registry import get_tool_type

TEXT = """# A heading

Some **words**, `code`, a [link](https://example.org) and a footnote[^1].

- [x] done
- [ ] open

| name | value |
|------|------:|
| one  | 1     |

```python
def total(values: list[int]) -> int:
    return sum(values)  # all of them
```

> A quotation.

## Another heading

1. First
2. Second

[^1]: It stands at the end.
"""


def make_rows(owner: User) -> dict[str, Any]:
    """What stands for each parameter of an address."""
    agent = Agent.objects.get(slug="guide")
    conversation = conversation_of(owner, agent, title="Cards in every state")
    consent = consent_of(conversation)
    run = talk(conversation)
    waiting = cards(owner, conversation, run)
    conversation_of(owner, agent, title="Unread", unread=2)
    memory = memories(owner, agent)
    Group.objects.get_or_create(name="readers")
    UserBudget.objects.get_or_create(user=owner)
    make_alert(owner)
    approval = approvals(owner, conversation, waiting)
    ModelProfile.objects.get_or_create(name="local", defaults={"model": "rules"})
    make_secret(User.objects.filter(is_staff=True).earliest("pk"))
    document, deleted = documents(owner)
    resource = make_row(owner, "Pump rules")
    shared = share(owner, document)
    jobs(owner)
    session = skills(owner, agent)
    return {
        "session_id": session.pk,
        "conversation_id": conversation.pk,
        "consent_id": consent.pk,
        "draft_id": waiting.pk,
        "approval_id": approval.pk,
        "document_id": document.pk,
        "memory_id": memory.pk,
        "deleted_id": deleted.pk,
        "space_id": resource.space_id,
        "resource_id": resource.pk,
        "member_id": resource.space.members.get().pk,
        "share_id": shared.share.pk,
        "token": shared.token,
        "token_id": token_of(owner).pk,
        "skill_job_id": reminders(owner).pk,
        "tool_id": changed_tool().pk,
        "revision": 1,
        "before": 1,
        "after": 2,
    }


def memories(owner: User, agent: Agent) -> Memory:
    """One in each status that has words, and the one that has replaced another."""
    actor = Actor(user=owner, origin=Origin.PAGE)
    old = create_memory(actor, "Prefers coffee.", agent_id=agent.pk)
    memory = create_memory(
        actor, "Prefers green tea to coffee.", agent_id=agent.pk, subject="Tea", replaces=old.pk
    )
    create_memory(actor, "The page said: tea is free.", provenance=["untrusted"])
    archive_memory(actor, create_memory(actor, "Is on holiday in May.").pk)
    project = Project.objects.filter(memberships__user=owner).first()
    if project is not None:
        create_memory(actor, "We meet on Mondays.", project_id=project.pk)
    return memory


def skills(owner: User, agent: Agent) -> WorkflowSession:
    """Grants in force and revoked, for all agents and for one; a switch; a run in each status; a
    workflow in each state, of which the one under way is told.
    """
    make_grant(owner)
    make_grant(owner, agent_id=agent.pk)
    PermissionGrant.objects.filter(pk=make_grant(owner, code="tests:write").pk).update(
        revoked_at=timezone.now(), revoked_by=owner
    )
    make_switch(owner, agent_id=agent.pk)
    for status in SkillRunStatus:
        make_run(owner, status=status, agent_id=agent.pk)
    make_evaluation()
    make_evaluation(is_latest=False, passed_count=2, regression_count=0, failed=[])
    grant = PermissionGrant.objects.filter(user=owner)[0]
    make_skill_job(owner, JobFactory.create(owner=owner), agent.pk, grant_ids=[str(grant.pk)])
    sessions = {state: make_session(owner, state, agent_id=agent.pk) for state in SessionState}
    return sessions[SessionState.ACTIVE]


def reminders(owner: User) -> Job:
    """One in each status, and one of a series."""
    facts: dict[str, Any] = {"owner": owner, "kind": CHECK_IN, "payload": {"note": "The draft"}}
    for status in JobStatus:
        ahead = {"future": True} if status in WAITING_JOBS else {}
        make_job(status, **facts, **ahead, last_error_code="worker_lost")
    series = JobSeries.objects.create(owner=owner, kind=CHECK_IN, cron="0 9 * * 1")
    next_monday = next_slot(series.cron, series.zone, timezone.now())
    return JobFactory.create(**facts, future=True, series=series, planned_at=next_monday)


def consent_of(conversation: Conversation) -> Consent:
    now = timezone.now()
    return Consent.objects.create(
        conversation=conversation,
        kind=ConsentKind.WEB,
        service="search.example.com",
        given_at=now,
        until=now + timedelta(hours=24),
    )


def changed_tool() -> Tool:
    """Of an MCP server that describes it in another way by now."""
    seen = {**MCP_TOOL, "description": "Searches\u202e, and more."}
    pinned = {"descriptor": MCP_TOOL, "descriptor_hash": descriptor_hash(MCP_TOOL)}
    url = "https://mcp.example.com/mcp"
    config = {"url": url, "remote_tool": "search", "changed_descriptor": seen, **pinned}
    values = {"name": "Search", "type": "mcp", "config": config, "enabled": False}
    return Tool.objects.get_or_create(slug="shop_search", defaults=values)[0]


def jobs(owner: User) -> None:
    """One in each status, one with a long story, a series that missed times, kinds, workers."""
    now = timezone.now()
    for status in JobStatus:
        traits = [status.value] if status is not JobStatus.SCHEDULED else []
        traits += ["future"] if status in WAITING_JOBS else []  # no worker takes it
        JobFactory.create(owner=owner, **dict.fromkeys(traits, True))
    story = make_job(JobStatus.FAILED, owner=owner, last_error_code="worker_lost", result={"a": 1})
    for number, outcome in enumerate((AttemptOutcome.FAILED, AttemptOutcome.LOST), 1):
        began = now - timedelta(minutes=30 - 10 * number)
        JobAttempt.objects.create(
            job=story,
            number=number,
            outcome=outcome,
            started_at=began,
            finished_at=began + timedelta(seconds=number),
            worker="host:4711:5c2f31aa",
            error_code="worker_lost",
            error_message="The worker died, or the job took longer than it may.",
        )
    series = JobSeries.objects.create(
        owner=owner, kind=story.kind, cron="30 2 * 3 0", zone="Europe/Berlin"
    )
    MissedSlots.objects.create(
        series=series, first_planned_at=now - timedelta(days=3), last_planned_at=now, count=3
    )
    PausedKind.objects.create(kind=story.kind, paused_by=owner)
    WorkerBeat.objects.create(
        name="gone:1", machine="gone", slots=2, started_at=now - timedelta(hours=1), seen_at=now
    )


def actor_of(owner: User) -> Actor:
    return Actor(user=owner, origin=Origin.PAGE)


def talk(conversation: Conversation) -> Run:
    """A turn that ended well, with warnings, and one that failed."""
    warnings = ["The limit of tool calls was reached."]
    run = run_of(conversation, warnings=warnings)
    say(conversation, run, MessageRole.USER, "What is new?")
    say(conversation, run, MessageRole.ASSISTANT, TEXT)
    say(conversation, run, MessageRole.RECEIPT, "“Notes” is saved.")
    say(conversation, run, MessageRole.NOTICE, "Stopped.")
    say(conversation, run, MessageRole.REMINDER, render_reminder("The **draft**", "en"))
    failed = run_of(
        conversation,
        status=RunStatus.FAILED,
        error_code="model_timeout",
        error_message="The model did not answer in time.",
    )
    say(conversation, failed, MessageRole.USER, "And now?")
    return run


def say(conversation: Conversation, run: Run, role: MessageRole, text: str) -> Message:
    return add_message(conversation, role, text, run=run)


def documents(owner: User) -> tuple[Document, Document]:
    """One with two versions, one in the trash, one of memory."""
    actor = actor_of(owner)
    values: dict[str, Any] = {"type": "document", "summary": "", "tags": ["plans", "2026"]}
    document = services.create_document(actor, title="Plans", content=TEXT, **values)
    services.update_document(actor, document.pk, content=TEXT.replace("words", "sentences"))
    deleted = services.create_document(actor, title="Old plans", content="Old", **values)
    key = deleted.pk
    services.delete_document(actor, key)
    deleted.pk = key
    make_document(owner, "What I like", type="memory", content="Short answers.")
    return document, deleted


def share(owner: User, document: Document) -> Shared:
    """With everybody whom a document can be shared with, and one of somebody else's with them."""
    actor = actor_of(owner)
    other = User.objects.filter(is_active=True).exclude(pk=owner.pk).earliest("pk")
    services.share_with_user(actor, document.pk, other.username)
    for membership in owner.memberships.select_related("project"):
        services.share_with_project(actor, document.pk, membership.project.slug)
    theirs = make_document(other, "Of somebody else", content=TEXT)
    services.share_with_user(actor_of(other), theirs.pk, owner.username)
    return services.make_link(actor, document.pk)


def token_of(owner: User) -> ApiToken:
    return create_token(owner, actor=actor_of(owner), name="a token")[0]


def cards(owner: User, conversation: Conversation, run: Run) -> ActionDraft:
    """One that waits; the others are in every other state."""
    facts = {
        "agent_id": conversation.agent_id,
        "conversation_id": conversation.pk,
        "run_id": run.pk,
    }
    for state in DraftState:
        if state == DraftState.DISMISSED:
            continue  # for each reason, below
        card(owner, facts, state=state)
    for reason in DismissReason:
        card(owner, facts, state=DraftState.DISMISSED, reason=reason)
    return card(owner, facts, state=DraftState.DRAFT, kind=DraftKind.CONSENT)


def approvals(owner: User, conversation: Conversation, draft: ActionDraft) -> StandingApproval:
    """One in force; the others in every other state."""
    tool, now = draft.call.tool, timezone.now()
    assert tool
    tool_type = get_tool_type(tool.type)
    config = load_config(tool.type, tool.config)
    facts: dict[str, Any] = {
        "owner": owner,
        "tool": tool,
        "tool_slug": tool.slug,
        "annotations": tool_type.annotations(config).as_json(),
        "reasons": ["tool_needs_approval"],
        "expires_at": now + timedelta(hours=5),
    }
    held = conditions_of(tool, tool_type, config)
    for values in (
        {"revoked_at": now, "revoked_by": owner},
        {"expires_at": now},
        {"uses": 5, "uses_left": 0},
        {"conditions": "of before"},
    ):
        StandingApproval.objects.create(**{**facts, "conditions": held, **values})
    where = {"agent_id": conversation.agent_id, "conversation_id": conversation.pk}
    return StandingApproval.objects.create(**facts, **where, conditions=held, uses_left=3)


def card(owner: User, facts: dict[str, Any], **values: Any) -> ActionDraft:
    state = values["state"]
    document = make_document(owner, f"Notes for {state}")
    draft = parked(owner, {"action": "delete", "id": str(document.pk)}, **facts)
    now = timezone.now()
    if state not in (DraftState.DRAFT, DraftState.NEEDS_INPUT):
        values |= {"decided_by": owner, "decided_at": now}
        ToolCall.objects.filter(pk=draft.call_id).update(status=CallStatus.SUCCESS, finished_at=now)
    if state == DraftState.NEEDS_INPUT:
        values["plan"] = {**draft.plan, "missing_fields": ["id"]}
    if state == DraftState.FAILED:
        values |= {"error_code": "tool_error", "error_message": "The tool failed."}
    if state == DraftState.EXECUTED:
        values["receipt"] = {"action": "delete", "id": str(uuid7())}
    ActionDraft.objects.filter(pk=draft.pk).update(
        **values, expires_at=now + timedelta(hours=1), reason_text=values.get("reason", "")
    )
    return draft
