"""Meeting notes in a conversation, from the command to the document; no model is asked."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.actions import dismiss
from agents.models import Agent, Message, Run
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.errors import LeaseLost
from config.base.models import User
from documents.models import Document
from skills.bindings import switch_skill
from skills.enums import SessionState
from skills.grants import grant_permission, revoke_permission
from skills.models import AuditEvent, SkillRun, WorkflowMove, WorkflowSession
from skills.runs import settle_waiting_runs
from tests.agents.conftest import Turn, go_on, says
from tests.agents.notes_talk import WRITE, Talk, page, session
from tools.models import ActionDraft, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def granted(alice: User, guide: Agent) -> None:
    grant_permission(page(alice), WRITE)


@pytest.fixture
def talk(turn: Turn, alice: User, model: ScriptedClient) -> Talk:
    return Talk(turn, alice)


def test_four_answers_and_a_confirmation_make_a_document(
    granted: None, talk: Talk, alice: User, model: ScriptedClient
) -> None:
    assert "**Title** (1 of 4)" in talk.say("/meeting-notes")
    assert "**Attendees** (2 of 4)" in talk.say("Budget 2027")
    assert "**Decisions** (3 of 4)" in talk.say("Ann, Bob and Cy")
    assert "**Actions** (4 of 4)" in talk.say("Spend less\nHire nobody")
    assert talk.say("skip") == ""
    assert talk.run.status == "waiting"
    draft = ActionDraft.objects.get()
    assert "- Spend less\n- Hire nobody" in draft.plan["preview"]["text"]
    assert not Document.objects.exists()

    written = talk.confirm()
    document = Document.objects.get()
    assert (document.title, document.owner, document.type) == ("Budget 2027", alice, "document")
    assert "- Ann\n- Bob and Cy" in document.content
    assert "No action was recorded." in document.content
    assert f"/documents/{document.pk}/" in written
    assert "revision 1" in written
    assert talk.run.status == "completed"
    assert talk.run.tools == ["document"]
    assert session().state == SessionState.COMPLETED
    use = SkillRun.objects.get()
    assert (use.status, use.kind, use.tool_call_id) == (
        "succeeded",
        "workflow",
        ToolCall.objects.get().pk,
    )
    call = ToolCall.objects.get()
    assert (call.origin, call.skill, call.skill_version) == ("workflow", "meeting-notes", "1.0.0")
    assert model.requests == []


def test_each_move_is_one_event_without_content(granted: None, talk: Talk) -> None:
    talk.until_the_card()
    talk.confirm()
    events = AuditEvent.objects.filter(action__startswith="workflow.").order_by("pk")
    assert [event.action for event in events] == [
        "workflow.started",
        *["workflow.answered"] * 4,
        "workflow.completed",
    ]
    kept = str([*AuditEvent.objects.values()]) + str([*SkillRun.objects.values()])
    assert "Budget" not in kept
    assert "Spend" not in kept


def test_the_person_speaks_chinese(granted: None, talk: Talk, alice: User) -> None:
    talk.say("帮我写会议纪要")
    talk.say("预算会议")
    talk.say("小安、小白")
    assert "预算评审会" in talk.say("把标题改成预算评审会")
    assert session().answers == {"title": "预算评审会", "attendees": ["小安", "小白"]}
    talk.say("稍后")
    assert session().state == "paused"
    talk.say("恢复")
    talk.say("跳过")
    talk.say("上一步")
    talk.say("少花钱；不招人")
    talk.say("跳过")
    assert ActionDraft.objects.get().plan["title"].count("预算评审会") == 1


def test_bad_input_is_asked_again_and_loses_nothing(granted: None, talk: Talk) -> None:
    talk.say("/meeting-notes")
    assert "**Title**" in talk.say("x" * 201)
    talk.say("Budget")
    said = talk.say("skip")
    assert "can’t be left out" in said
    assert "**Attendees**" in said
    assert "too long" in talk.say("A" * 101)
    assert session().answers == {"title": "Budget"}


def test_paused_lets_other_messages_through(
    granted: None, talk: Talk, model: ScriptedClient
) -> None:
    model.script = [says("Four.")]
    talk.say("/meeting-notes")
    talk.say("Budget")
    assert "/resume" in talk.say("pause")
    assert talk.say("What is 2 + 2?") == "Four."
    said = talk.say("resume")
    assert "**Attendees**" in said
    assert session().answers == {"title": "Budget"}


def test_cancelled_it_writes_nothing(granted: None, talk: Talk) -> None:
    draft = talk.until_the_card()
    waiting = talk.run
    assert "cancelled" in talk.say("cancel")
    draft.refresh_from_db()
    assert draft.state == "dismissed"
    assert "cancelled" in talk.answer(go_on(waiting))
    assert session().state == "cancelled"
    assert not Document.objects.exists()
    assert SkillRun.objects.get().status == "cancelled"


def test_a_correction_takes_the_card_back_and_makes_another(granted: None, talk: Talk) -> None:
    first = talk.until_the_card()
    earlier = talk.run
    talk.say("change title to Budget 2028")
    first.refresh_from_db()
    assert first.state == "dismissed"
    assert ActionDraft.objects.get(state="draft").proposed_arguments["title"] == "Budget 2028"
    assert "Nothing was written" in talk.answer(go_on(earlier))
    talk.confirm()
    assert Document.objects.get().title == "Budget 2028"


def test_a_dismissed_card_leaves_the_answers(granted: None, talk: Talk, alice: User) -> None:
    draft = talk.until_the_card()
    dismiss(page(alice), draft.pk)
    said = talk.answer(go_on(talk.run))
    assert "Nothing was written" in said
    assert "write" in said
    assert session().is_open
    talk.say("write")
    talk.confirm()
    assert Document.objects.count() == 1


def test_a_missing_permission_is_said_and_the_answers_wait_for_it(
    guide: Agent, talk: Talk, alice: User
) -> None:
    assert "allow “Write documents”: /skills/#permission-meeting-" in talk.say("/meeting-notes")
    for text in ("Budget", "Ann", "skip"):
        talk.say(text)
    said = talk.say("skip")
    assert "document:write" in said
    assert "/skills/" in said
    assert settle_waiting_runs() == 0
    use = SkillRun.objects.get()
    assert (use.status, use.error_code) == ("waiting", "permission_missing")
    assert use.finished_at is None
    assert talk.run.status == "completed"
    grant_permission(page(alice), WRITE)
    talk.say("write")
    talk.confirm()
    assert Document.objects.get().title == "Budget"


def test_a_permission_that_is_taken_back_before_the_confirmation_writes_nothing(
    granted: None, talk: Talk, alice: User
) -> None:
    talk.until_the_card()
    revoke_permission(page(alice), WRITE)
    with pytest.raises(Exception, match="document:write"):
        talk.confirm()
    said = talk.answer(go_on(talk.run))
    assert "Nothing was written" in said
    assert not Document.objects.exists()
    assert session().is_open
    assert settle_waiting_runs() == 0
    assert SkillRun.objects.get().status == "waiting"


def test_switched_off_midway_it_pauses(granted: None, talk: Talk, alice: User) -> None:
    talk.say("/meeting-notes")
    talk.say("Budget")
    switch_skill(page(alice), "meeting-notes", enabled=False)
    assert "switched off" in talk.say("Ann")
    assert session().state == "paused"
    assert "switched off" in talk.say("resume")
    switch_skill(page(alice), "meeting-notes", enabled=True)
    assert "**Attendees**" in talk.say("resume")


def test_what_nobody_goes_on_with_expires_and_says_so(
    granted: None, talk: Talk, model: ScriptedClient
) -> None:
    model.script = [says("Hello.")]
    talk.say("/meeting-notes")
    WorkflowSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert talk.say("Good morning") == "Hello."
    assert session().state == "expired"
    notice = Message.objects.get(role="notice")
    assert "expired" in notice.text


def test_words_of_the_workflow_can_be_answers(granted: None, talk: Talk) -> None:
    talk.say("/meeting-notes")
    talk.say("/answer later")
    assert session().answers == {"title": "later"}


def test_the_command_of_another_skill_is_no_answer(granted: None, talk: Talk) -> None:
    talk.say("/meeting-notes")
    assert "under way" in talk.say("/weekly-review")
    assert session().answers == {}


def test_while_the_card_waits_other_words_do_not_move_it(granted: None, talk: Talk) -> None:
    talk.until_the_card()
    assert "card above" in talk.say("What now?")
    assert session().state == "active"
    assert ActionDraft.objects.filter(state="draft").count() == 1


def test_confirmed_while_paused_it_is_done(granted: None, talk: Talk) -> None:
    talk.until_the_card()
    waiting = talk.run
    talk.say("pause")
    talk.run = waiting
    assert "is done" in talk.confirm()
    assert session().state == "completed"


def broken(*_args: Any, **_how: Any) -> Any:
    raise LeaseLost


@pytest.mark.parametrize(
    "where",
    ["agents.runs.workflow_step.reply", "agents.runs.drive.say", "agents.runs.finish.complete"],
)
def test_a_process_that_dies_is_followed_by_one_that_says_the_same(
    granted: None, talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    talk.say("/meeting-notes")
    run = start_turn(alice, TurnRequest(text="Budget", conversation_id=talk.conversation_id))
    with monkeypatch.context() as patched:
        patched.setattr(where, broken)
        assert go_on(run).status == "running"
    Run.objects.filter(pk=run.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert "**Attendees**" in talk.answer(go_on(run))
    assert session().answers == {"title": "Budget"}
    assert WorkflowMove.objects.count() == 2


def test_a_process_that_dies_at_the_card_leaves_one_card(
    granted: None, talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("/meeting-notes", "Budget", "Ann", "skip"):
        talk.say(text)
    run = start_turn(alice, TurnRequest(text="skip", conversation_id=talk.conversation_id))
    with monkeypatch.context() as patched:
        patched.setattr("agents.runs.drive.say", broken)
        go_on(run)
    Run.objects.filter(pk=run.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert go_on(run).status == "waiting"
    assert ActionDraft.objects.count() == 1
