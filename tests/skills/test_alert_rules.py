"""When a rule raises an alert, and that it does so once."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.models import User
from jobs.models import Job
from skills import sealer
from skills.alerts import evaluation, host
from skills.alerts.evaluation import raise_alerts
from skills.alerts.models import Alert, AlertRule
from skills.alerts.services import save_rule
from skills.models import AuditEvent
from skills.selectors import list_denials
from skills.subjects import subject_of
from tests.plans import analyze, assert_uses_index
from tests.skills.alerts import evaluate, make_rule, refuse
from tests.skills.audit import Thread, record, seal_all
from tests.tools.secrets import operator_actor

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def test_who_is_refused_too_often_raises_an_alert(operator: User, alice: User) -> None:
    rule = make_rule(operator)
    refuse(alice, 3)
    (alert,) = evaluate()
    assert (alert.rule, alert.subject, alert.denials) == (rule, subject_of(alice), 3)
    event = AuditEvent.objects.get(action="alert.raised")
    assert (event.target_type, event.target_id) == ("alert", str(alert.pk))
    assert event.metadata["subject"] == str(subject_of(alice))
    assert event.metadata["denials"] == 3
    assert event.metadata["rule"] == str(rule.pk)
    assert not Job.objects.exists()  # it has no webhook


def test_two_of_three_raise_none(operator: User, alice: User, bob: User) -> None:
    make_rule(operator)
    refuse(alice, 2)
    refuse(bob, 2)
    assert evaluate() == []


def test_the_third_may_come_after_an_evaluation(operator: User, alice: User) -> None:
    make_rule(operator)
    refuse(alice, 2)
    assert evaluate() == []
    refuse(alice)
    assert len(evaluate()) == 1


def test_one_user_and_window_raise_one(operator: User, alice: User, bob: User) -> None:
    make_rule(operator)
    refuse(alice, 7)
    refuse(bob, 3)
    assert len(evaluate()) == 2
    refuse(alice, 5)
    assert evaluate() == []


def test_a_later_window_raises_another(operator: User, alice: User) -> None:
    rule = make_rule(operator)
    refuse(alice, 3)
    (alert,) = evaluate()
    long_ago = timezone.now() - timedelta(minutes=11)
    Alert.objects.filter(pk=alert.pk).update(first_at=long_ago, last_at=long_ago)
    AlertRule.objects.filter(pk=rule.pk).update(created_at=long_ago)
    refuse(alice)
    # The three of before lie within ten minutes of the new one, and after the earlier window.
    assert len(evaluate()) == 1


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"tool": "fetch"}, 1),
        ({"tool": "other"}, 0),
        ({"skill": "memory-recall"}, 1),
        ({"skill": "other"}, 0),
        ({"reason_code": "grant_missing"}, 1),
        ({"reason_code": "other"}, 0),
        ({"tool": "fetch", "reason_code": "other"}, 0),
    ],
)
def test_a_rule_looks_at_what_it_names(
    operator: User, alice: User, wanted: dict[str, str], count: int
) -> None:
    make_rule(operator, **wanted)
    refuse(alice, 3, skill="memory-recall", reason_code="grant_missing")
    assert len(evaluate()) == count


def test_each_rule_judges_for_itself(operator: User, alice: User) -> None:
    make_rule(operator, name="three")
    make_rule(operator, name="five", denials=5)
    refuse(alice, 4)
    assert [alert.rule.name for alert in evaluate()] == ["three"]
    refuse(alice)
    assert [alert.rule.name for alert in evaluate()] == ["five"]


def test_it_judges_no_past(operator: User, alice: User) -> None:
    refuse(alice, 3)
    make_rule(operator)
    refuse(alice, 2)
    assert evaluate() == []
    refuse(alice)
    assert len(evaluate()) == 1


def test_one_that_is_off_raises_none_and_judges_no_past_when_it_is_on_again(
    operator: User, alice: User
) -> None:
    rule = make_rule(operator, enabled=False)
    refuse(alice, 3)
    assert evaluate() == []
    rule.enabled = True
    save_rule(operator_actor(operator), rule, ["enabled"])
    assert evaluate() == []


@pytest.mark.parametrize("denials", [1, 2])
def test_nor_does_what_happened_while_it_was_off_count_towards_its_first_alert(
    operator: User, alice: User, denials: int
) -> None:
    rule = make_rule(operator, enabled=False)
    refuse(alice, 3)
    rule.enabled = True
    save_rule(operator_actor(operator), rule, ["enabled"])
    refuse(alice, denials)
    assert evaluate() == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"tool": "nosuch"}, {"tool": ""}),
        ({"skill": "nosuch"}, {"skill": ""}),
        ({"reason_code": "nosuch"}, {"reason_code": ""}),
        ({"denials": 100}, {"denials": 3}),
        ({"denials": 100, "minutes": 1}, {"denials": 3, "minutes": 10}),
    ],
)
@pytest.mark.parametrize("was_evaluated", [True, False])
def test_one_that_judges_differently_judges_no_past(
    operator: User,
    alice: User,
    before: dict[str, Any],
    after: dict[str, Any],
    was_evaluated: bool,
) -> None:
    rule = make_rule(operator, **before)
    refuse(alice, 5)
    if was_evaluated:
        assert evaluate() == []
        rule.refresh_from_db()
    for name, value in after.items():
        setattr(rule, name, value)
    save_rule(operator_actor(operator), rule, list(after))
    assert evaluate() == []
    refuse(alice, 2)
    assert evaluate() == []
    refuse(alice)
    assert len(evaluate()) == 1


def test_a_form_writes_only_what_it_changed(operator: User, alice: User) -> None:
    """And so undoes nothing of what was evaluated since it was opened."""
    opened = make_rule(operator)
    refuse(alice, 3)
    assert len(evaluate()) == 1
    AlertRule.objects.update(minutes=20)
    opened.name = "another name"
    save_rule(operator_actor(operator), opened, ["name"])
    rule = AlertRule.objects.get()
    assert (rule.name, rule.minutes) == ("another name", 20)
    assert rule.evaluated_through > 0
    assert evaluate() == []


def _seen_before(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """An operator is quicker: between the list of the rules and the lock of the first."""
    judge = evaluation.evaluate_rule
    changes = [change]

    def late(*args: Any, **kwargs: Any) -> Any:
        for one in changes:
            one()
        changes.clear()
        return judge(*args, **kwargs)

    monkeypatch.setattr(evaluation, "evaluate_rule", late)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda rule: rule.update(tool="nosuch"), id="narrowed"),
        pytest.param(lambda rule: rule.update(enabled=False), id="switched off"),
        pytest.param(lambda rule: rule.delete(), id="deleted"),
    ],
)
def test_one_that_is_changed_meanwhile_holds_up_no_other(
    operator: User,
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[QuerySet[AlertRule]], object],
) -> None:
    first, second = make_rule(operator, name="a"), make_rule(operator, name="b")
    refuse(alice, 3)
    _seen_before(monkeypatch, lambda: change(AlertRule.objects.filter(pk=first.pk)))
    assert [alert.rule for alert in evaluate()] == [second]


def test_what_nobody_did_and_what_was_allowed_is_no_denial(operator: User, alice: User) -> None:
    make_rule(operator, denials=1)
    refuse(None, 3)
    record("tool.call.succeeded", tool="fetch")
    assert evaluate() == []


def test_what_is_not_sealed_yet_waits(operator: User, alice: User) -> None:
    make_rule(operator, denials=1)
    seal_all(timezone.now())
    refuse(alice)
    assert raise_alerts(timezone.now()) == []
    assert len(evaluate()) == 1


def test_many_denials_are_looked_at_in_pieces(
    operator: User, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "MOST", 2)
    make_rule(operator)
    for _ in range(3):
        refuse(alice)
        refuse(bob)
    assert len(evaluate()) == 2


def test_where_nobody_was_refused_nothing_is_written(operator: User) -> None:
    make_rule(operator)
    record("tool.call.succeeded")
    seal_all(timezone.now())
    with CaptureQueriesContext(connection) as queries:
        raise_alerts(timezone.now())
    assert len(queries) == 3  # the seal, the rules, whether there is a denial
    assert not [query for query in queries if not query["sql"].startswith("SELECT")]


@pytest.mark.django_db(transaction=True)
def test_two_at_once_raise_one(operator: User, alice: User) -> None:
    make_rule(operator)
    refuse(alice, 4)
    seal_all(timezone.now())
    together = threading.Barrier(4)

    def work() -> None:
        together.wait()
        raise_alerts(timezone.now())

    for thread in [Thread(work) for _ in range(4)]:
        thread.finish()
    assert Alert.objects.count() == 1
    assert AuditEvent.objects.filter(action="alert.raised").count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_host_raises_them(operator: User, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "TICK_SECONDS", 0.01)
    make_rule(operator)
    refuse(alice, 3)
    seal_all(timezone.now())
    running = host.AlertHost()
    running.start()
    deadline = timezone.now() + timedelta(seconds=20)
    while not Alert.objects.exists() and timezone.now() < deadline:
        pass
    running.stop()
    assert Alert.objects.count() == 1


def test_denials_are_found_by_their_indexes(
    operator: User, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealer, "BATCH", 5000)
    copies = [record("tool.call.succeeded", tool="fetch") for _ in range(3)]
    refuse(alice, 3)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            action="tool.call.succeeded",
            outcome="succeeded",
            subject=subject_of(alice),
            recorded_at=copies[0].recorded_at,
            row_hash="",
        )
        for _ in range(3000)
    )
    analyze(AuditEvent)
    first = copies[0].pk  # PostgreSQL counts on through all tests
    new = list_denials().filter(pk__gt=first + 5, pk__lte=first + 9000).order_by("pk")
    assert_uses_index(new, "audit_by_outcome")
    earlier = list_denials(subject=subject_of(alice)).filter(pk__lt=first + 9000).order_by("-pk")
    assert_uses_index(earlier, "audit_denials")
