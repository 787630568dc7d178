import uuid

import pytest
from django.contrib import admin
from django.contrib.admin.utils import get_deleted_objects
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.base.actor import Actor, Origin
from config.base.audit import Outcome
from config.base.models import User
from skills.models import AuditEvent, AuditSeal
from tests.factories import UserFactory
from tests.skills.audit import record, record_many, seal_all

pytestmark = [pytest.mark.both, pytest.mark.django_db]

EVENTS = "admin:skills_auditevent_changelist"
SEALS = "admin:skills_auditseal_changelist"
RUN = uuid.UUID("018f3b5e-0000-7000-8000-0000000000a1")
NOBODY = "018f3b5e-0000-7000-8000-0000000000ff"


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def page(console: Client, name: str, *arguments: object, **query: str) -> str:
    response = console.get(reverse(name, args=arguments), query)
    assert response.status_code == 200
    return response.content.decode()


def shown(console: Client, **query: str) -> set[str]:
    response = console.get(reverse(EVENTS), query)
    assert response.status_code == 200
    return {event.action for event in response.context["cl"].result_list}


@pytest.fixture
def denied(alice: User) -> AuditEvent:
    return record(
        "tool.call.denied",
        outcome=Outcome.DENIED,
        actor=Actor(user=alice, origin=Origin.CHAT, run_id=RUN),
        tool="fetch",
        target=("page", "target-7"),
        reason_code="grant_missing",
        metadata={"gates": ["<b>grant</b>"]},
    )


def test_the_list_says_who_did_what(console: Client, denied: AuditEvent) -> None:
    text = page(console, EVENTS)
    for word in ("tool.call.denied", "alice", "fetch", "target-7", "grant_missing"):
        assert word in text


def test_an_erased_person_is_not_named(console: Client, denied: AuditEvent, alice: User) -> None:
    alice.delete()
    text = page(console, EVENTS)
    assert "erased" in text
    assert "alice" not in text


def test_the_list_costs_the_same_for_one_event_and_for_many(console: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(console, EVENTS)
        return len(queries)

    record(actor=Actor(user=UserFactory.create(), origin=Origin.API))
    cost()  # warms what is cached once
    few = cost()
    for _ in range(10):
        record(actor=Actor(user=UserFactory.create(), origin=Origin.API))
    assert cost() == few


@pytest.mark.parametrize(
    "term", ["target-7", "fetch", "tool.call.d", "alice", str(RUN), RUN.hex, "fetch alice"]
)
def test_the_search_finds_it(console: Client, denied: AuditEvent, term: str) -> None:
    record("other.event")
    assert shown(console, q=term) == {"tool.call.denied"}


@pytest.mark.parametrize("term", ["nothing", NOBODY, "bob", "fetch bob", "%"])
def test_the_search_finds_nothing_else(console: Client, denied: AuditEvent, term: str) -> None:
    assert shown(console, q=term) == set()


@pytest.mark.parametrize(
    "query",
    [
        {"outcome__exact": "denied"},
        {"action": "tool.call.denied"},
        {"origin__exact": "chat"},
        {"actor__exact": "user"},
    ],
)
def test_the_list_is_filtered(console: Client, denied: AuditEvent, query: dict[str, str]) -> None:
    record("other.event", actor=None)
    assert shown(console, **query) == {"tool.call.denied"}


def test_the_detail_shows_everything_escaped(console: Client, denied: AuditEvent) -> None:
    seal_all()
    text = page(console, "admin:skills_auditevent_change", denied.pk)
    for word in ("alice", str(RUN), "&lt;b&gt;grant&lt;/b&gt;", denied.row_hash):
        assert word in text
    assert AuditSeal.objects.get().head in text


def test_the_detail_of_an_unsealed_event_says_so(console: Client, denied: AuditEvent) -> None:
    assert "not sealed yet" in page(console, "admin:skills_auditevent_change", denied.pk)


def test_seals_are_listed_and_shown(console: Client) -> None:
    record_many(3)
    (seal,) = seal_all()
    assert seal.hmac[:16] in page(console, SEALS)
    assert seal.hmac in page(console, "admin:skills_auditseal_change", seal.pk)


@pytest.mark.parametrize("model", ["auditevent", "auditseal"])
def test_nothing_can_be_added_changed_or_deleted(console: Client, model: str) -> None:
    record_many(1)
    seal_all()
    row = (AuditEvent if model == "auditevent" else AuditSeal).objects.latest("pk")
    assert console.get(reverse(f"admin:skills_{model}_add")).status_code == 403
    assert console.post(reverse(f"admin:skills_{model}_delete", args=[row.pk])).status_code == 403
    change = reverse(f"admin:skills_{model}_change", args=[row.pk])
    assert console.post(change, {"action": "changed"}).status_code == 403
    assert (
        b"delete_selected" not in console.get(reverse(f"admin:skills_{model}_changelist")).content
    )


@pytest.mark.parametrize("name", [EVENTS, SEALS])
def test_somebody_who_is_not_staff_gets_nothing(client: Client, alice: User, name: str) -> None:
    client.force_login(alice)
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert "login" in response.headers["Location"]


def test_the_audit_does_not_stand_in_the_way_of_deleting_a_person(
    rf: RequestFactory, operator: User, denied: AuditEvent, alice: User
) -> None:
    request = rf.get("/")
    request.user = operator
    _, _, forbidden, protected = get_deleted_objects([alice], request, admin.site)
    assert not forbidden
    assert not protected


# --- What the gates said ---


@pytest.fixture
def decisions() -> None:
    """What waits for a person was not denied, so its outcome is `allowed`: see `tools.ledger`."""
    for said in ("allow", "needs_confirmation", "needs_consent", "deny"):
        outcome = Outcome.DENIED if said == "deny" else Outcome.ALLOWED
        facts = {"metadata": {"decision": said}, "reason_code": f"code_{said}"}
        record("policy.decided", outcome=outcome, **facts)
    record("other.event", metadata={"decision": "deny"})


@pytest.mark.parametrize("said", ["allow", "needs_confirmation", "needs_consent", "deny"])
def test_the_list_is_narrowed_to_a_decision(console: Client, decisions: None, said: str) -> None:
    response = console.get(reverse(EVENTS), {"decision": said})
    codes = [event.reason_code for event in response.context["cl"].result_list]
    assert codes == [f"code_{said}"]


def test_no_decision_is_called_so_finds_nothing(console: Client, decisions: None) -> None:
    assert shown(console, decision="maybe") == set()


def test_what_waits_for_a_person_does_not_look_allowed(console: Client, decisions: None) -> None:
    waiting = AuditEvent.objects.get(reason_code="code_needs_confirmation")
    assert ">needs confirmation<" in page(console, EVENTS, decision="needs_confirmation")
    detail = page(console, "admin:skills_auditevent_change", waiting.pk)
    assert "needs confirmation" in detail
    assert "allowed" in detail
