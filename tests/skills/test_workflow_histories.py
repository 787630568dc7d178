"""Whatever is said, repeated, confirmed, switched and waited for, in whatever order: no answer is
lost, one workflow is active, and nothing is written that nobody has confirmed."""

from collections import Counter
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from config.base.errors import GatehouseError
from config.base.models import User
from documents.models import Document
from skills.bindings import switch_skill
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, WorkflowMove
from skills.workflows.moving import Change
from skills.workflows.services import cancel_session, expire_session, pause_session, resume_session
from tests.skills.workflow_talk import ALL, START, Talk
from tools.models import ActionDraft

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents")]

WRITE = Permission(skill_id="meeting-notes", code="document:write")
WORDS = (
    *("Budget", "Ann, Bob", "Spend less", "x" * 300, START, "/weekly-review", "Hello"),
    *("pause", "resume", "/cancel", "back", "skip", "write", "/answer cancel"),
    *("change title to Other", "change attendees to Cy", "/change nothing: x", "把决定改成不花钱"),
)
ACTS = {"pause": pause_session, "resume": resume_session, "cancel": cancel_session}

acts = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(WORDS)),
        st.tuples(st.just("say"), st.sampled_from(ALL)),
        st.tuples(st.just("again"), st.integers(1, 4)),
        st.tuples(st.just("card"), st.sampled_from(("confirm", "dismiss"))),
        st.tuples(st.just("act"), st.sampled_from(sorted(ACTS))),
        st.tuples(st.just("wait"), st.sampled_from((1, 80))),
        st.tuples(st.just("sweep"), st.just(0)),
        st.tuples(st.just("grant"), st.booleans()),
        st.tuples(st.just("switch"), st.booleans()),
    ),
    max_size=25,
)


class History(Talk):
    """`confirmed`: how many cards were confirmed, which is how many documents there may be."""

    confirmed = 0

    def do(self, what: str, how: Any) -> None:
        try:
            with transaction.atomic():
                getattr(self, f"do_{what}")(how)
        except GatehouseError:
            pass  # refused: what that may leave behind is checked like all else

    def do_say(self, text: str) -> None:
        self.say(text)

    def do_again(self, back: int) -> None:
        if len(self.heard) < back:
            return
        before = counts(self)
        repeated = WorkflowMove.objects.filter(message_id=self.heard[-back][0]).exists()
        self.again(back)
        moves, cards, documents = counts(self)
        completed = documents if self.confirmed else 0
        if repeated:
            assert moves - before[0] <= completed
            assert documents == before[2]
        assert cards - before[1] <= 1

    def do_card(self, how: str) -> None:
        draft = self.card()
        if draft is None:
            return
        if how == "dismiss":
            self.dismiss(draft)
            return
        self.confirm(draft)
        self.confirmed += 1

    def do_act(self, name: str) -> None:
        for session in self.sessions()[-1:]:
            ACTS[name](Change(self.actor, session.pk, self.now))

    def do_wait(self, hours: int) -> None:
        self.wait(hours=hours)

    def do_sweep(self, _how: Any) -> None:
        for session in self.sessions():
            expire_session(Change(self.actor, session.pk, self.now))

    def do_grant(self, on: bool) -> None:
        (grant_permission if on else revoke_permission)(self.actor, WRITE)

    def do_switch(self, on: bool) -> None:
        switch_skill(self.actor, WRITE.skill_id, enabled=on)


def counts(talk: Talk) -> tuple[int, int, int]:
    return WorkflowMove.objects.count(), ActionDraft.objects.count(), Document.objects.count()


def check(history: History, before: dict[Any, dict[str, Any]]) -> None:
    sessions = history.sessions()
    states = Counter(session.state for session in sessions)
    assert states["active"] <= 1
    assert Document.objects.count() == history.confirmed
    assert ActionDraft.objects.waiting().count() <= 1
    for session in sessions:
        moves = list(session.moves.all())
        assert [move.n for move in moves] == list(range(1, session.revision + 1))
        check_answers(before.get(session.pk, {}), session.answers, moves)
        if session.finished_at:
            assert session.state not in ("active", "paused")
    card = history.card()
    if card is not None:
        session = next(s for s in sessions if str(s.pk) in card.call.idempotency_key)
        assert session.is_open
        assert card.proposed_arguments["title"] == session.answers["title"]
    events = AuditEvent.objects.filter(action__startswith="workflow.")
    assert events.count() == WorkflowMove.objects.count()


def check_answers(before: dict[str, Any], after: dict[str, Any], moves: list[Any]) -> None:
    """None is lost, and of those that there were only the one that was moved may be another."""
    assert set(before) <= set(after)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= ({moves[-1].step} if moves[-1].kind in ("answered", "corrected") else set())


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(history=acts)
@example(
    history=[("grant", True), *(("say", text) for text in ALL), ("card", "confirm"), ("again", 1)]
)
@example(
    history=[
        ("grant", True),
        *(("say", text) for text in ALL),
        *(("say", "change title to Other"), ("card", "confirm"), ("again", 1), ("again", 2)),
    ]
)
@example(
    history=[
        ("grant", True),
        *(("say", text) for text in ALL),
        *(("say", "pause"), ("say", START), ("act", "cancel"), ("card", "confirm"), ("again", 3)),
    ]
)
@example(
    history=[*(("say", text) for text in ALL), ("grant", True), ("say", "write"), ("wait", 80)]
)
def test_nothing_is_lost_and_nothing_unconfirmed_is_written(
    alice: User, history: list[tuple[str, Any]]
) -> None:
    with transaction.atomic():
        talk = History(alice)
        for what, how in history:
            before = {session.pk: session.answers for session in talk.sessions()}
            talk.do(what, how)
            check(talk, before)
        transaction.set_rollback(True)
