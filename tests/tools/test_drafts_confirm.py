"""Confirming: exactly what was shown, once, or a refusal that says what has moved."""

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from config.base.actor import Origin
from config.base.errors import GatehouseError, InvalidInput, NotFound
from config.base.models import Project, User
from tests.skills.audit import Thread
from tests.tools.conftest import Make, actor_of, context_for, parked, run
from tools.drafts import confirm_draft, revise_draft
from tools.enums import CallStatus, DraftState
from tools.errors import (
    AlreadyDecided,
    CallDenied,
    ConditionsChanged,
    DraftExpired,
    StaleVersion,
    TargetChanged,
)
from tools.models import ActionDraft, Tool, ToolCall
from tools.pipeline import call_tool
from tools.testing import EXPLODE, REFUSE, RISKY, SLOW, FakeDirectory, Peer, events_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

type Confirm = Callable[..., ActionDraft]


def confirm(draft: ActionDraft, by: User, *, version: int = 1, key: str = "k", **edits: Any) -> Any:
    return confirm_draft(
        actor_of(by), draft.pk, expected_version=version, idempotency_key=key, arguments=edits
    )


@pytest.fixture
def rename(make: Make) -> Tool:
    return make("rename", slug="rename", needs_approval=True)


@pytest.fixture
def draft(rename: Tool, alice: User) -> ActionDraft:
    """Of renaming the project `demo` from Demo to Atlas."""
    return parked(rename, alice, "Atlas")


def names() -> list[str]:
    return list(Project.objects.values_list("name", flat=True))


def refreshed(draft: ActionDraft) -> ActionDraft:
    return ActionDraft.objects.select_related("call").get(pk=draft.pk)


# --- It is done ---


def test_confirming_does_what_was_shown(draft: ActionDraft, alice: User) -> None:
    done = confirm(draft, alice)
    assert names() == ["Atlas"]
    assert (done.state, done.decided_by) == (DraftState.EXECUTED, alice)
    assert done.receipt == {"project": draft.plan["targets"][0]["id"]}
    now = refreshed(draft)
    assert now.decided_at is not None
    assert now.executed_arguments == {"project": "demo", "name": "Atlas"}
    assert now.edited_arguments is None
    assert now.call.status == CallStatus.SUCCESS
    assert now.call.receipt == now.receipt
    assert now.call.duration_ms is not None
    assert events_of(draft.pk) == ["draft.confirmed"]
    assert events_of(draft.call_id) == ["policy.decided"] * 2 + ["tool.call.succeeded"]


@pytest.mark.parametrize("kind", ["echo", "open_echo", "send"])
def test_reads_and_sends_are_confirmed_too(make: Make, alice: User, peer: Peer, kind: str) -> None:
    done = confirm(parked(make(kind, needs_approval=True), alice), alice)
    assert done.state == DraftState.EXECUTED
    assert peer.executed + peer.texts == ["hello"]


@pytest.mark.parametrize(
    ("kind", "inside"), [("echo", False), ("open_echo", False), ("rename", True)]
)
def test_only_what_writes_here_runs_within_the_deciding_transaction(
    make: Make, alice: User, monkeypatch: pytest.MonkeyPatch, kind: str, inside: bool
) -> None:
    """SQLite has one writer: a computation of seconds would keep everybody else waiting."""
    draft = parked(make(kind, needs_approval=True), alice, "Atlas")
    depths: list[int] = []
    monkeypatch.setattr(
        "tools.testing.fail_by", lambda _word: depths.append(len(connection.savepoint_ids))
    )
    outer = len(connection.savepoint_ids)
    confirm(draft, alice)
    assert [depth > outer for depth in depths] == [inside]


def test_a_persons_values_for_editable_fields_count(draft: ActionDraft, alice: User) -> None:
    done = confirm(draft, alice, name="Bolt")
    assert names() == ["Bolt"]
    assert done.proposed_arguments["name"] == "Atlas"
    assert done.edited_arguments["name"] == "Bolt"
    assert done.executed_arguments["name"] == "Bolt"


def test_the_model_is_told_what_the_person_changed(
    rename: Tool, alice: User, project: Project
) -> None:
    draft = parked(rename, alice, "Atlas", idempotency_key="test:one")
    confirm(draft, alice, name="Bolt")
    told = run(rename, alice, "Atlas", idempotency_key="test:one").for_model()
    assert told["success"]
    assert "'Atlas' to 'Bolt'" in told["warnings"][0]


def test_an_edit_that_changes_nothing_is_no_edit(draft: ActionDraft, alice: User) -> None:
    assert confirm(draft, alice, name="Atlas").edited_arguments is None


@pytest.mark.parametrize("gates", [["tools.testing.ConsentGate"], None])
def test_confirming_a_consent_draft_gives_consent(
    make: Make, alice: User, settings: Any, gates: list[str] | None
) -> None:
    settings.TOOL_GATES = gates or [*settings.TOOL_GATES, "tools.testing.ConsentGate"]
    draft = parked(make("echo"), alice)
    assert draft.kind == "consent"
    assert confirm(draft, alice).state == DraftState.EXECUTED


# --- It is done once ---


def test_the_same_key_again_gets_the_same_receipt(draft: ActionDraft, alice: User) -> None:
    first = confirm(draft, alice)
    Project.objects.update(name="Later")
    again = confirm(draft, alice)
    assert (again.state, again.receipt) == (first.state, first.receipt)
    assert names() == ["Later"]
    assert events_of(draft.pk) == ["draft.confirmed"]


def test_another_key_is_told_that_it_was_decided(draft: ActionDraft, alice: User) -> None:
    confirm(draft, alice)
    with pytest.raises(AlreadyDecided) as refused:
        confirm(draft, alice, key="other")
    assert refused.value.details["draft"].state == DraftState.EXECUTED


@pytest.mark.parametrize("word", [REFUSE, EXPLODE, SLOW])
def test_a_failure_is_told_again_to_the_same_key(
    rename: Tool, alice: User, project: Project, word: str
) -> None:
    draft = parked(rename, alice, word)
    for _ in range(2):
        assert confirm(draft, alice).state == DraftState.FAILED
    assert names() == ["Demo"]
    now = refreshed(draft)
    assert now.error_code in {"refused", "tool_error", "timeout"}
    assert now.call.status in {"error", "timeout"}
    assert events_of(draft.call_id).count("tool.call.failed") == 1


def test_what_failed_can_be_edited_and_tried_again(
    rename: Tool, alice: User, project: Project
) -> None:
    draft = parked(rename, alice, REFUSE)
    confirm(draft, alice)
    revise_draft(actor_of(alice), draft.pk, expected_version=1, arguments={"name": "Bolt"})
    done = confirm(draft, alice, version=2, key="k2")
    assert done.state == DraftState.EXECUTED
    assert (done.error_code, names()) == ("", ["Bolt"])
    assert refreshed(draft).call.status == CallStatus.SUCCESS


def racing(count: int, work: Callable[[int], object]) -> list[object]:
    """The outcomes of `count` threads that begin at once: a value, or the error's code."""
    barrier, outcomes = threading.Barrier(count), [None] * count

    def one(number: int) -> Callable[[], None]:
        def go() -> None:
            barrier.wait(10)
            try:
                outcomes[number] = work(number)  # type: ignore[call-overload]  # filled here
            except GatehouseError as error:
                outcomes[number] = error.code  # type: ignore[call-overload]  # as above

        return go

    threads = [Thread(one(number)) for number in range(count)]
    for thread in threads:
        thread.finish()
    return list(outcomes)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["rename", "send"])
@pytest.mark.parametrize("same_key", [True, False])
def test_two_tabs_that_confirm_at_once_have_one_effect(
    make: Make, alice: User, peer: Peer, kind: str, same_key: bool
) -> None:
    draft = parked(make(kind, needs_approval=True), alice)

    def tab(number: int) -> str:
        done: ActionDraft = confirm(draft, alice, key="k" if same_key else f"k{number}")
        return done.state

    outcomes = racing(2, tab)
    assert len(peer.executed) + len(peer.received) == 1
    assert refreshed(draft).state == DraftState.EXECUTED
    assert events_of(draft.pk) == ["draft.confirmed"]
    if same_key:
        assert set(outcomes) <= {"executed", "confirmed"}
    else:
        assert sorted(map(str, outcomes)) == ["already_decided", "executed"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["rename", "send"])
def test_two_equal_calls_at_once_have_one_effect(
    make: Make, alice: User, project: Project, peer: Peer, kind: str
) -> None:
    tool = make(kind)

    def call(_number: int) -> bool:
        return run(tool, alice, idempotency_key="test:one").success

    outcomes = racing(2, call)
    assert len(peer.executed) + len(peer.received) == 1
    assert True in outcomes
    assert set(outcomes) <= {True, "in_progress", "lease_lost"}
    assert ToolCall.objects.get().status == CallStatus.SUCCESS


@pytest.mark.django_db(transaction=True)
def test_two_equal_calls_at_once_wait_as_one_draft(
    make: Make, alice: User, project: Project
) -> None:
    tool = make("rename", needs_approval=True)
    drafts = racing(2, lambda _number: parked(tool, alice, idempotency_key="test:one").pk)
    assert set(drafts) == {ActionDraft.objects.get().pk}


# --- Who ---


@pytest.mark.parametrize("who", ["bob", "operator", "stranger"])
def test_nobody_but_the_owner_confirms(
    draft: ActionDraft, request: pytest.FixtureRequest, who: str
) -> None:
    with pytest.raises(NotFound):
        confirm(draft, request.getfixturevalue(who))
    assert refreshed(draft).state == DraftState.DRAFT
    assert names() == ["Demo"]


def test_a_draft_that_does_not_exist_is_not_found(alice: User) -> None:
    with pytest.raises(NotFound):
        confirm(ActionDraft(pk=uuid.uuid4()), alice)


# --- What is refused, and changes nothing ---


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ({"project": "other"}, "not_editable"),
        ({"colour": "red"}, "not_editable"),
        ({"name": 5}, "invalid_arguments"),
        ({"name": "\0"}, "invalid_arguments"),
        ({"name": "unplannable"}, "tool_error"),
    ],
)
def test_an_edit_that_does_not_fit_changes_nothing(
    draft: ActionDraft, alice: User, edits: dict[str, Any], code: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        confirm(draft, alice, **edits)
    assert refused.value.code == code
    now = refreshed(draft)
    assert (now.state, now.version, now.edited_arguments) == (DraftState.DRAFT, 1, None)


def test_it_needs_a_key(draft: ActionDraft, alice: User) -> None:
    with pytest.raises(InvalidInput):
        confirm(draft, alice, key="")


@pytest.mark.parametrize("version", [0, 2])
def test_another_version_than_the_present_one_is_stale(
    draft: ActionDraft, alice: User, version: int
) -> None:
    with pytest.raises(StaleVersion) as refused:
        confirm(draft, alice, version=version)
    assert refused.value.details["draft"].version == 1
    assert names() == ["Demo"]


def test_what_lacks_a_field_says_which(rename: Tool, alice: User, project: Project) -> None:
    draft = call_tool(rename, {"project": "demo"}, context_for(alice)).draft
    assert draft is not None
    with pytest.raises(InvalidInput, match="name") as refused:
        confirm(draft, alice)
    assert refused.value.code == "needs_input"


def test_an_expired_draft_is_gone_and_closes_its_call(draft: ActionDraft, alice: User) -> None:
    ActionDraft.objects.update(expires_at=Now())
    for _ in range(2):
        with pytest.raises(DraftExpired):
            confirm(draft, alice)
    now = refreshed(draft)
    assert (now.state, now.reason, now.call.status) == ("dismissed", "expired", "expired")
    assert events_of(draft.pk) == ["draft.dismissed"]
    assert names() == ["Demo"]


# --- What has moved since it was shown ---


def test_a_target_that_moved_makes_a_fresh_draft(draft: ActionDraft, alice: User) -> None:
    Project.objects.update(name="Demo 2")
    with pytest.raises(TargetChanged) as refused:
        confirm(draft, alice)
    fresh = refused.value.details["draft"]
    assert (fresh.pk, fresh.version, fresh.state) == (draft.pk, 2, DraftState.DRAFT)
    assert fresh.plan["targets"][0]["version"] == "Demo 2"
    assert fresh.hash != draft.hash
    assert names() == ["Demo 2"]
    kept = fresh.versions.get()
    assert (kept.version, kept.plan, kept.hash) == (1, draft.plan, draft.hash)
    assert confirm(draft, alice, version=2).state == DraftState.EXECUTED
    assert names() == ["Atlas"]


def test_an_edit_of_what_moved_is_kept_in_the_fresh_draft(draft: ActionDraft, alice: User) -> None:
    Project.objects.update(name="Demo 2")
    with pytest.raises(TargetChanged) as refused:
        confirm(draft, alice, name="Bolt")
    fresh = refused.value.details["draft"]
    assert fresh.arguments["name"] == "Bolt"
    assert "Bolt" in fresh.plan["preview"]["text"]


def test_an_edit_that_raises_the_risk_has_to_be_seen_first(draft: ActionDraft, alice: User) -> None:
    with pytest.raises(ConditionsChanged) as refused:
        confirm(draft, alice, name=RISKY)
    fresh = refused.value.details["draft"]
    assert (fresh.version, fresh.plan["risk"]) == (2, "L3")
    assert names() == ["Demo"]
    confirm(draft, alice, version=2)
    assert names() == [RISKY]


@pytest.mark.parametrize(
    "change",
    [{"config": {"idempotent": True}}, {"config": {"risk": 1}}, {"needs_approval": False}],
)
def test_conditions_that_changed_make_a_fresh_draft(
    draft: ActionDraft, rename: Tool, alice: User, change: dict[str, Any]
) -> None:
    Tool.objects.filter(pk=rename.pk).update(**change)
    with pytest.raises(ConditionsChanged) as refused:
        confirm(draft, alice)
    assert refused.value.details["draft"].version == 2
    assert names() == ["Demo"]
    assert confirm(draft, alice, version=2).state == DraftState.EXECUTED


def test_other_gates_than_those_of_the_card_make_a_fresh_draft(
    draft: ActionDraft, alice: User, settings: Any
) -> None:
    settings.TOOL_GATES = [*settings.TOOL_GATES, "tools.testing.ConsentGate"]
    with pytest.raises(ConditionsChanged) as refused:
        confirm(draft, alice)
    assert refused.value.details["draft"].kind == "consent"
    assert confirm(draft, alice, version=2).state == DraftState.EXECUTED


@pytest.mark.parametrize("gate", ["Denying", "Raising"])
def test_a_gate_that_refuses_by_now_ends_the_draft(
    draft: ActionDraft, alice: User, settings: Any, gate: str
) -> None:
    settings.TOOL_GATES = [*settings.TOOL_GATES, f"tools.testing.{gate}Gate"]
    with pytest.raises(CallDenied) as refused:
        confirm(draft, alice)
    assert refused.value.details["decision"]["outcome"] == "deny"
    assert_denied(draft)


def test_a_tool_that_was_switched_off_ends_the_draft(
    draft: ActionDraft, rename: Tool, alice: User
) -> None:
    Tool.objects.filter(pk=rename.pk).update(enabled=False)
    with pytest.raises(CallDenied):
        confirm(draft, alice)
    assert_denied(draft)


def assert_denied(draft: ActionDraft) -> None:
    now = refreshed(draft)
    assert (now.state, now.reason, now.call.status) == ("dismissed", "denied", "denied")
    assert names() == ["Demo"]
    assert events_of(draft.pk) == ["draft.dismissed"]


def test_a_tool_that_was_taken_from_the_agent_ends_the_draft(
    make: Make, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = uuid.uuid4()
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    monkeypatch.setattr(FakeDirectory, "tool_sets", {agent_id: {"it": True}})
    actor = actor_of(alice, Origin.CHAT, agent_id=agent_id)
    draft = parked(make("rename", slug="it"), alice, actor=actor, tool_set={"it": True})
    FakeDirectory.tool_sets[agent_id] = {}
    with pytest.raises(CallDenied):
        confirm(draft, alice)
    assert_denied(draft)


def test_what_rose_to_the_highest_risk_is_refused_to_an_agent(
    make: Make, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = uuid.uuid4()
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    monkeypatch.setattr(FakeDirectory, "tool_sets", {agent_id: {"it": True}})
    actor = actor_of(alice, Origin.CHAT, agent_id=agent_id)
    tool = make("rename", slug="it")
    draft = parked(tool, alice, actor=actor, tool_set={"it": True})
    Tool.objects.filter(pk=tool.pk).update(config={"risk": 4})
    with pytest.raises(CallDenied):
        confirm(draft, alice)
    assert_denied(draft)


def test_a_target_that_is_gone_ends_in_failure(
    draft: ActionDraft, alice: User, project: Project
) -> None:
    project.delete()
    with pytest.raises(TargetChanged):
        confirm(draft, alice)
    now = refreshed(draft)
    assert (now.state, now.error_code, now.call.status) == ("failed", "not_found", "error")


@pytest.mark.parametrize("kind", ["rename", "send"])
@pytest.mark.parametrize("edited", [True, False])
@pytest.mark.parametrize(("gone", "code"), [("tool", "unknown_tool"), ("type", "unknown_type")])
def test_a_tool_that_is_gone_ends_in_failure_whatever_is_edited(
    make: Make, alice: User, project: Project, peer: Peer, kind: str, edited: bool, gone: str,
    code: str,
) -> None:  # fmt: skip
    tool = make(kind, needs_approval=True)
    draft = parked(tool, alice)
    if gone == "tool":
        tool.delete()
    else:
        Tool.objects.filter(pk=tool.pk).update(type="vanished")
    edits: dict[str, Any] = {"name" if kind == "rename" else "text": "Bolt"} if edited else {}
    with pytest.raises(ConditionsChanged):
        confirm(draft, alice, **edits)
    now = refreshed(draft)
    assert (now.state, now.error_code, now.call.status) == ("failed", code, "error")
    assert (names(), peer.received) == (["Demo"], [])
    with pytest.raises(InvalidInput) as refused:
        revise_draft(actor_of(alice), draft.pk, expected_version=now.version, arguments=edits)
    assert refused.value.code == code
    with pytest.raises(AlreadyDecided):
        confirm(draft, alice, key="k2")
