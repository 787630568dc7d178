"""The document tool behind the gates: deleting waits for a person, and happens once."""

from typing import Any

import pytest

from config.base.actor import Actor
from config.base.ids import uuid7
from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from tests.documents.factories import agent_of, events_of, make_document, person
from tools.drafts.confirm import confirm_draft
from tools.enums import CallStatus, DraftState
from tools.errors import TargetChanged
from tools.models import ActionDraft, Tool, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.schemas import CallContext

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def tool() -> Tool:
    return Tool.objects.get(type="document")  # `migrate` made it


def call(tool: Tool, actor: Actor, **arguments: Any) -> CallOutcome:
    context = CallContext(
        actor=actor,
        idempotency_key=f"test:{uuid7()}",
        provenance=frozenset({"untrusted"}),
        tool_set={"document": False} if actor.is_agent else None,
    )
    return call_tool(tool, arguments, context)


def confirm(user: User, draft: ActionDraft, **values: Any) -> ActionDraft:
    return confirm_draft(
        person(user), draft.pk, expected_version=draft.version, idempotency_key="k", **values
    )


def parked(outcome: CallOutcome) -> ActionDraft:
    assert outcome.draft is not None, outcome.error
    return outcome.draft


def test_saving_runs_at_once_marked_and_logged_without_content(tool: Tool, alice: User) -> None:
    outcome = call(tool, agent_of(alice), action="create", title="T", content="secret words")
    assert outcome.success, outcome.error
    document = Document.objects.get()
    assert document.provenance == ["untrusted"]
    assert (outcome.call.receipt or {})["id"] == str(document.pk)
    kept = [str(row.__dict__) for row in ToolCallContent.objects.all()]
    assert "secret words" not in "".join([*kept, str(outcome.call.__dict__)])


def test_deleting_waits_and_then_happens_once(tool: Tool, alice: User) -> None:
    document = make_document(alice)
    draft = parked(call(tool, person(alice), action="delete", id=str(document.pk)))
    assert Document.objects.exists()
    for _again in range(2):
        assert confirm(alice, draft).state == DraftState.EXECUTED
    assert not Document.objects.exists()
    assert events_of(document).count("document.deleted") == 1
    assert DocumentVersion.objects.filter(change="deleted").count() == 1


def test_what_moved_since_it_was_shown_is_shown_again(tool: Tool, alice: User) -> None:
    document = make_document(alice)
    draft = parked(call(tool, person(alice), action="delete", id=str(document.pk)))
    services.update_document(person(alice), document.pk, content="newer")
    with pytest.raises(TargetChanged):
        confirm(alice, draft)
    assert Document.objects.exists()
    draft.refresh_from_db()
    assert draft.plan["preview"]["text"] == "newer"


def test_a_person_may_edit_what_is_saved(tool: Tool, alice: User) -> None:
    tool.config = {"approval_required_actions": ["create"]}
    tool.save()
    draft = parked(call(tool, person(alice), action="create", title="T", content="draft text"))
    confirm(alice, draft, arguments={"content": "edited text"})
    assert Document.objects.get().content == "edited text"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "read", "id": "nonsense"}, "not_found"),
        ({"action": "delete", "id": "nonsense"}, "not_found"),
        ({"action": "create", "title": " ", "content": "c"}, "empty"),
        ({"action": "create", "title": "t", "content": "c" * 50_001}, "too_long"),
        ({"action": "list", "page_size": 21}, "invalid_arguments"),
        ({"action": "read"}, "invalid_arguments"),
    ],
)
def test_a_refusal_is_told_by_code(
    tool: Tool, alice: User, arguments: dict[str, Any], code: str
) -> None:
    outcome = call(tool, agent_of(alice), **arguments)
    assert outcome.call.status == CallStatus.ERROR
    assert outcome.error is not None
    assert outcome.error.code == code


def test_a_stale_revision_is_told_with_the_current_one(tool: Tool, alice: User) -> None:
    document = make_document(alice)
    services.update_document(person(alice), document.pk, title="Moved")
    outcome = call(
        tool,
        agent_of(alice),
        action="update",
        id=str(document.pk),
        content="x",
        expected_revision=1,
    )
    assert outcome.for_model()["error"]["code"] == "stale_revision"
    assert outcome.for_model()["error"]["revision"] == 2
