"""Audit, runs and execution records say what was done, by whom and how it ended, and no content.

Marker words stand in everything that a person and a model put into a run, and in what tools answer.
"""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import actions
from agents.conversations import delete_conversation
from agents.memories.services import create_memory
from agents.model_clients.errors import ModelError
from agents.models import Agent, AgentTool, Message, Run, RunSkill
from agents.skill_definitions import CHECK_IN
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from documents.models import Document
from jobs.models import JobAttempt
from jobs.testing import make_due, run_due_jobs
from skills.background.services import Order, cancel_background_job, create_background_job
from skills.errors import PermissionMissing
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, SkillRun
from skills.sealer import seal_once
from tests.agents.conftest import Turn, asks, call, go_on, says
from tests.agents.markers import WORD, marker, seen_events, told_in
from tests.agents.notes_talk import Talk, session
from tests.documents.factories import make_document
from tests.skills.audit import NOW
from tests.tools.api import Api
from tools.ledger import UNKNOWN_TOOL
from tools.models import ActionDraft, Tool, ToolCall, ToolCallContent

pytestmark = [pytest.mark.both, pytest.mark.django_db]

TEA = "Do you remember which tea I like, "


@pytest.fixture(autouse=True)
def named(guide: Agent) -> None:
    """What people call things is content, too; and the guide may ask for memories."""
    Agent.objects.filter(pk=guide.pk).update(name=marker("agent"), instructions=marker("system"))
    AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug="memory_search"))


def whole_run(turn: Turn, model: ScriptedClient, alice: User) -> Run:
    """Calls that succeed, fail, are refused and wait for her; she decides each in another way."""
    text, tags = marker("content"), [marker("tag")]
    document = {"action": "create", "title": marker("title"), "content": text, "tags": tags}
    model.script += [
        asks(
            call("calculator", {"expression": f"1 + {marker('expression')}"}, id_="1"),
            call("document", document, id_="2"),
            call("fetch", {"url": f"http://a.example/{marker('path')}"}, id_="3"),
            call("fetch", {"url": f"http://10.0.0.1/{marker('refused')}"}, id_="4"),
            call(f"{WORD}_tool", {"x": marker("argument")}, id_="5"),
            call("document", {"action": marker("action")}, id_="6"),
            call("document", {"action": "read", "id": marker("id")}, id_="7"),
            call("datetime", {"operation": "parse", "text": marker("date")}, id_="8"),
            call("datetime", {marker("field"): marker("value")}, id_="9"),
            call("memory_search", {"query": marker("query")}, id_="10"),
            call("calculator", None, id_=marker("id")),
            text=marker("thought"),
        ),
        says(marker("answer")),
    ]
    turn(alice, f"{marker('question')}: http://a.example/{marker('path')}")
    notes = [
        Document.objects.create(owner=alice, type="document", title=marker(f"old-{n}"))
        for n in range(3)
    ]
    deletions = [
        call("document", {"action": "delete", "id": str(note.pk)}, id_=str(n))
        for n, note in enumerate(notes)
    ]
    model.script += [asks(*deletions), says(marker("end"))]
    run = turn(alice, marker("again"))
    decide(Actor(user=alice, origin=Origin.PAGE))
    return run


def decide(actor: Actor) -> None:
    first, second, third = ActionDraft.objects.filter(state="draft").order_by("pk")
    actions.dismiss(actor, first.pk, reason=marker("reason"))
    actions.respond(actor, second.pk, message=marker("response"))
    actions.confirm(actor, third.pk, expected_version=third.version, idempotency_key="one")


def test_no_marker_of_a_whole_run_is_told(turn: Turn, model: ScriptedClient, alice: User) -> None:
    body = marker("page").encode()
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(http_answer(body))) as server,
        use_network(FakeNetwork(server.address).network),
    ):
        whole_run(turn, model, alice)
    seal_once(NOW)
    statuses = set(ToolCall.objects.values_list("status", flat=True))
    assert {"success", "error", "denied", "dismissed"} <= statuses
    assert UNKNOWN_TOOL in ToolCall.objects.values_list("tool_slug", flat=True)
    assert Message.objects.filter(text__contains=WORD).exists()  # there was something to tell
    assert told_in() == {}


def test_no_marker_of_a_recall_or_a_reminder_is_told(
    turn: Turn, model: ScriptedClient, alice: User, guide: Agent
) -> None:
    actor = Actor(user=alice, origin=Origin.PAGE)
    create_memory(actor, f"Likes tea from {marker('memory')}.")
    question = f"{TEA}{marker('question')}?"
    model.script = [says(marker("answer"))] * 2
    turn(alice, question)
    for skill_id, code in (("memory-recall", "memory:read"), (CHECK_IN, "proactive_message:write")):
        grant_permission(actor, Permission(skill_id=skill_id, code=code))
    turn(alice, question)
    due = timezone.now() + timedelta(hours=1)
    note = marker("note")
    order = Order(skill_id=CHECK_IN, agent_id=guide.pk, note=note, scheduled_at=due)
    cancelled, written = (create_background_job(actor, order) for _ in range(2))
    cancel_background_job(actor, cancelled.pk)
    make_due(written)
    run_due_jobs()
    seal_once(NOW)
    assert marker("memory") in RunSkill.objects.latest("created_at").instruction
    assert note in Message.objects.get(pk=written.pk).text
    assert set(SkillRun.objects.values_list("status", flat=True)) == {"denied", "succeeded"}
    assert told_in() == {}


@pytest.mark.parametrize("end", ["confirmed", "cancelled", "dismissed", "deleted"])
def test_no_marker_of_a_workflow_is_told(
    turn: Turn, model: ScriptedClient, alice: User, end: str
) -> None:
    actor = Actor(user=alice, origin=Origin.PAGE)
    grant_permission(actor, Permission(skill_id="meeting-notes", code="document:write"))
    talk = Talk(turn, alice)
    talk.say(f"/meeting-notes {marker('command')}")
    for said in (
        "x" * 201 + marker("refused"),
        marker("first"),
        f"{marker('ann')}, {marker('bob')}",
        f"/weekly-review\n{marker('other-skill')}",
        f"change title to {marker('title')}",
        f"/change {marker('no-step')}: {marker('no-value')}",
        f"/answer change {marker('decision')} to {marker('value')}",
        f"{marker('ann')}: {marker('action')}",
    ):
        talk.say(said)
    assert talk.run.status == "waiting"
    assert marker("title") in str(session().answers)
    card = ActionDraft.objects.get()
    if end == "confirmed":
        talk.confirm()
    elif end == "cancelled":
        talk.say("cancel")
    elif end == "dismissed":
        actions.dismiss(actor, card.pk, reason=marker("reason"))
        go_on(talk.run)
    else:
        assert talk.conversation_id is not None
        delete_conversation(actor, talk.conversation_id)
    seal_once(NOW)
    written = Document.objects.filter(title=marker("title")).exists()
    assert written is (end == "confirmed")
    uses = {"confirmed": "succeeded", "deleted": "cancelled", "dismissed": "running"}
    assert SkillRun.objects.get().status == uses.get(end, end)
    assert told_in() == {}


def test_no_marker_of_what_was_denied_or_went_wrong_is_told(
    turn: Turn,
    model: ScriptedClient,
    alice: User,
    guide: Agent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    actor, note = Actor(user=alice, origin=Origin.PAGE), marker("note")
    due = timezone.now() + timedelta(hours=1)
    order = Order(skill_id=CHECK_IN, agent_id=guide.pk, note=note, scheduled_at=due)
    with pytest.raises(PermissionMissing):
        create_background_job(actor, order)
    create_memory(actor, f"Likes tea from {marker('memory')}.")
    recall = Permission(skill_id="memory-recall", code="memory:read")
    for permission in (recall, Permission(skill_id=CHECK_IN, code="proactive_message:write")):
        grant_permission(actor, permission)
    revoked, broken = (create_background_job(actor, order) for _ in range(2))
    model.script = [says(marker("answer"))]
    fail = Mock(side_effect=RuntimeError(marker("error")))
    with monkeypatch.context() as patch:
        patch.setattr("agents.types.memory_search.tool.recall", fail)
        patch.setattr("agents.skill_definitions.write_reminder", fail)
        turn(alice, f"Do you remember which tea I like, {marker('question')}?")
        make_due(broken)
        run_due_jobs()
    revoke_permission(actor, Permission(skill_id=CHECK_IN, code="proactive_message:write"))
    make_due(revoked)
    run_due_jobs()
    seal_once(NOW)
    uses = set(SkillRun.objects.values_list("kind", "status"))
    assert uses == {("tool", "failed"), ("background", "failed"), ("background", "denied")}
    assert AuditEvent.objects.filter(action="policy.decided", outcome="denied").count() == 2
    assert told_in() == {}


def test_no_word_of_a_model_that_fails_is_told(
    turn: Turn, model: ScriptedClient, alice: User
) -> None:
    failure = ModelError()
    failure.raw = marker("raw")
    model.script = [failure]
    run = turn(alice, f"/{marker('command')} {marker('question')}")
    assert run.error_code == "model_failed"
    assert told_in() == {}


@pytest.mark.usefixtures("inline_runs")
def test_no_marker_of_what_the_api_is_sent_is_told(
    model: ScriptedClient, operator: User, alice: User, guide: Agent
) -> None:
    model.script = [says(marker("answer"))] * 2
    api, hers = Api(operator), Api(alice)
    text = marker("message")
    for tool in Tool.objects.filter(slug__in=("calculator", "document", "memory_search")):
        for given in ({"expression": marker("x")}, {marker("name"): 1}, {"query": marker("q")}):
            api("POST", f"/api/agent-tools/{tool.pk}/execute/", {"input": given})
    api("POST", "/api/agent/messages/", {"text": text, "agent": str(guide.pk), "title": text})
    wrong = {"skill_id": marker("skill"), "code": marker("code"), "scope": "user", "granted": True}
    assert hers("PATCH", "/api/skills/permissions/", wrong)[0] == 404
    assert hers("PATCH", "/api/skills/bindings/", {"skill_id": marker("s"), "enabled": 1})[0] >= 400
    order = {"skill_id": CHECK_IN, "agent": str(guide.pk), "note": marker("note")}
    due = (timezone.now() + timedelta(hours=1)).isoformat()
    for body in (order, {**order, "scheduled_at": marker("time")}, {**order, "scheduled_at": due}):
        assert hers("POST", "/api/skills/background-jobs/", body)[0] >= 400
    assert ToolCallContent.objects.filter(input__icontains=WORD).exists()
    assert told_in() == {}


def test_no_marker_of_what_is_searched_for_or_typed_is_told(
    client: Client, operator: User, alice: User
) -> None:
    client.post("/accounts/login/", {"username": marker("name"), "password": marker("word")})
    client.force_login(operator)
    document = make_document(operator, marker("title"), content=marker("body"))
    hers = make_document(alice, marker("hers"), content=marker("hers"))
    for path in (
        f"/documents/?q={marker('words')}",
        f"/documents/{document.pk}/",
        f"/admin/skills/auditevent/?q={marker('search')}",
        f"/admin/tools/toolcall/?q={marker('search')}",
        f"/chat/?q={marker('words')}",
        f"/{marker('page')}/",
    ):
        assert client.get(path).status_code in {200, 404}
    assert (
        client.post(reverse("admin:documents_document_reveal", args=[hers.pk])).status_code == 200
    )
    assert {"auth.failed", "document.viewed"} <= set(seen_events())
    assert told_in() == {}


def test_no_marker_of_a_job_that_fails_is_told(
    turn: Turn, alice: User, guide: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = Actor(user=alice, origin=Origin.PAGE)
    grant_permission(actor, Permission(skill_id=CHECK_IN, code="proactive_message:write"))
    due = timezone.now() + timedelta(hours=1)
    order = Order(skill_id=CHECK_IN, agent_id=guide.pk, note=marker("note"), scheduled_at=due)
    job = create_background_job(actor, order)

    def fail(*_args: object, **_facts: object) -> None:
        raise ValueError(marker("exception"))

    monkeypatch.setattr("agents.reminders.writing.render_reminder", fail)
    make_due(job)
    run_due_jobs()
    assert JobAttempt.objects.get().outcome == "failed"
    assert told_in() == {}


def test_what_operators_set_is_told_where_it_is_the_change_itself(operator: User) -> None:
    """Secrets apart: who set what is what `config.changed` is for (docs/audit-of-tool-calls.md)."""
    tool = Tool.objects.get(slug="fetch")
    change_tool = {"description": marker("description"), "config": {"blocked_domains": [WORD]}}
    status, answer = Api(operator)("PATCH", f"/api/agent-tools/{tool.pk}/", change_tool)
    assert status == 200, answer
    assert told_in() == {"skills_auditevent": {"metadata"}}
    told = AuditEvent.objects.filter(metadata__icontains=WORD)
    assert set(told.values_list("action", flat=True)) == {"config.changed"}
