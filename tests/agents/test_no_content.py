"""Audit, runs and execution records say what was done, by whom and how it ended, and no content.

Marker words stand in everything that a person and a model put into a run, and in what tools answer.
"""

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from agents import actions
from agents.memories.services import create_memory
from agents.models import Agent, Message, Run, RunSkill
from agents.skill_definitions import CHECK_IN
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from documents.models import Document
from jobs.models import Job, JobAttempt
from jobs.testing import make_due, run_due_jobs
from skills.background.services import Order, cancel_background_job, create_background_job
from skills.errors import PermissionMissing
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, SkillRun
from skills.sealer import seal_once
from tests.agents.conftest import Turn, asks, call, says
from tests.skills.audit import NOW
from tools.models import ActionDraft, ToolCall

pytestmark = [pytest.mark.both, pytest.mark.django_db]

WORD = "zanzibar"  # begins each marker


def marker(place: str) -> str:
    return f"{WORD}-{place}"


# The sentence for the model and for people may quote what was wrong; it is shown with the content.
# What a job is to do is its owner's, and is kept with it: it is no record of what was done.
QUOTING = {"tools_toolcall": {"error_message"}, "jobs_job": {"payload"}}


def tables() -> list[Any]:
    return [*apps.get_app_config("skills").get_models(), Run, ToolCall, Job, JobAttempt]


def told_in() -> dict[str, set[str]]:
    """Table to its columns that hold a marker, as the database has them."""
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in tables()):
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                told = {name for name, value in zip(names, row, strict=True) if WORD in repr(value)}
                if told := told - QUOTING.get(table, set()):
                    found.setdefault(table, set()).update(told)
    return found


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
            call("no_such_tool", {"x": marker("argument")}, id_="5"),
            call("document", {"action": marker("action")}, id_="6"),
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
    assert {"success", "error", "dismissed"} <= statuses
    assert Message.objects.filter(text__contains=WORD).exists()  # there was something to tell
    assert told_in() == {}


def test_no_marker_of_a_recall_or_a_reminder_is_told(
    turn: Turn, model: ScriptedClient, alice: User, guide: Agent
) -> None:
    actor = Actor(user=alice, origin=Origin.PAGE)
    create_memory(actor, f"Likes tea from {marker('memory')}.")
    question = f"Do you remember which tea I like, {marker('question')}?"
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
