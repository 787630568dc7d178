"""The `document` tool: what each action needs, gives, risks and refuses."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from pydantic import ValidationError

from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from config.base.models import User
from documents import services
from documents.models import Document
from documents.tool.config import DocumentConfig
from documents.tool.tool import DocumentTool
from tests.documents.factories import agent_of, events_of, make_document, person, tool_context
from tools.enums import LogPayload, Risk
from tools.reach import Reach
from tools.registry import get_tool_type
from tools.schemas import Plan, ToolContext, ToolResult

pytestmark = [pytest.mark.django_db, pytest.mark.both]
TOOL = DocumentTool()
CONFIG = DocumentConfig()


def plan(actor: Actor, config: DocumentConfig = CONFIG, **arguments: Any) -> Plan:
    parsed = TOOL.input_model(config).model_validate(arguments)
    return TOOL.plan(parsed, config, tool_context(actor))


def run(
    actor: Actor,
    config: DocumentConfig = CONFIG,
    context: ToolContext | None = None,
    **arguments: Any,
) -> ToolResult:
    """As the pipeline does: validate, plan, execute, check the output."""
    context = context or tool_context(actor)
    parsed = TOOL.input_model(config).model_validate(arguments)
    result = TOOL.execute(TOOL.plan(parsed, config, context), config, context)
    TOOL.output_model.model_validate(result.data)
    return result


def code_of(actor: Actor, **arguments: Any) -> tuple[str, dict[str, Any]]:
    with pytest.raises(GatehouseError) as caught:
        run(actor, **arguments)
    return caught.value.code, caught.value.details


# --- What it is ---


def test_it_is_registered_and_logs_no_content() -> None:
    assert isinstance(get_tool_type("document"), DocumentTool)
    assert TOOL.log_payload is LogPayload.NONE


@pytest.mark.parametrize(
    ("action", "read_only", "destructive", "risk", "approval"),
    [
        ("read", True, False, Risk.L1, False),
        ("list", True, False, Risk.L1, False),
        ("create", False, False, Risk.L2, False),
        ("update", False, False, Risk.L2, False),
        ("delete", False, True, Risk.L2, True),
        (None, False, True, Risk.L2, True),
    ],
)
def test_what_it_risks_depends_on_the_action(
    action: str | None, read_only: bool, destructive: bool, risk: Risk, approval: bool
) -> None:
    whole = {"action": action, "id": "x", "title": "t", "content": "c", "q": "q"}
    needed = {
        "create": ("action", "title", "content"),
        "read": ("action", "id"),
        "update": ("action", "id", "title"),
        "delete": ("action", "id"),
        "list": ("action", "q"),
    }
    arguments = None
    if action:
        given = {name: whole[name] for name in needed[action]}
        arguments = TOOL.input_model(CONFIG).model_validate(given)
    found = TOOL.annotations(CONFIG, arguments)
    assert (found.read_only, found.destructive, found.risk, found.requires_approval) == (
        read_only,
        destructive,
        risk,
        approval,
    )


def test_an_operator_says_what_waits_for_a_person() -> None:
    config = DocumentConfig(approval_required_actions=("create",))
    create = {"action": "create", "title": "t", "content": "c"}
    delete = {"action": "delete", "id": "x"}
    model = TOOL.input_model(config)
    assert TOOL.annotations(config, model.model_validate(create)).requires_approval
    assert not TOOL.annotations(config, model.model_validate(delete)).requires_approval
    assert not TOOL.annotations(DocumentConfig(approval_required_actions=())).requires_approval


def test_the_description_tells_the_limits() -> None:
    text = TOOL.description(DocumentConfig(token_budget=123, max_page_size=7))
    assert "123 tokens" in text
    assert "at most 7 documents" in text
    assert "confirm: delete" in text


# --- Arguments ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "action"),
        ({"action": "drop"}, "action"),
        ({"action": "create"}, "create needs title and content"),
        ({"action": "create", "title": "t"}, "create needs content"),
        ({"action": "read"}, "read needs id, or q"),
        ({"action": "read", "q": "  "}, "read needs id, or q"),
        ({"action": "update", "title": "t"}, "update needs id"),
        ({"action": "update", "id": "x"}, "at least one of title, content, summary, tags"),
        ({"action": "delete"}, "delete needs id"),
        ({"action": "list", "type": "memory"}, "use `filter_type`"),
        ({"action": "list", "title": "t"}, "`title` does not apply to list"),
        ({"action": "update", "id": "x", "title": "t", "type": "memory"}, "`type` does not apply"),
        ({"action": "list", "page_size": 21}, "less than or equal to 20"),
        ({"action": "list", "page": 0}, "greater than or equal to 1"),
        ({"action": "create", "title": "t", "content": "c", "conversation": "x"}, "conversation"),
        ({"action": "create", "title": "t", "content": "c", "conversation_id": "x"}, "Extra"),
        ({"action": "read", "id": "x", "fullContent": True}, "fullContent"),
        ({"action": "create", "title": "t", "content": "c", "type": "page"}, "memory"),
    ],
)
def test_it_says_what_is_wrong_with_the_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TOOL.input_model(CONFIG).model_validate(arguments)
    assert message in str(caught.value)


def test_what_a_model_leaves_blank_is_not_given() -> None:
    given: dict[str, Any] = {
        "action": "list",
        "id": "",
        "title": None,
        "tags": [],
        "full_content": False,
    }
    TOOL.input_model(CONFIG).model_validate(given)


def test_nobody_is_told_to_sign_in() -> None:
    nobody = Actor(user=AnonymousUser(), origin=Origin.CHAT)  # type: ignore[arg-type]  # on purpose
    assert code_of(nobody, action="list") == ("sign_in_required", {})


# --- create ---


def test_create_answers_with_what_the_model_goes_on_with(alice: User) -> None:
    actor = agent_of(alice)
    result = run(actor, action="create", title="Plan", content="# Do it", tags="a, b")
    document = Document.objects.get()
    assert result.data == {
        "id": str(document.pk),
        "title": "Plan",
        "type": "memory",
        "revision": 1,
        "created_at": result.data["created_at"],
    }
    assert (document.owner, document.tags, document.summary) == (alice, ["a", "b"], "Do it")
    assert document.conversation_id == actor.conversation_id
    assert result.receipt == {"action": "create", "id": str(document.pk), "revision": 1}
    assert events_of(document) == ["document.created"]


def test_create_shows_the_text_and_lets_it_be_edited(alice: User) -> None:
    planned = plan(agent_of(alice), action="create", title="Plan", content="# Do it")
    assert planned.title == "Save the memory “Plan”"
    assert (planned.preview and planned.preview.text, planned.risk) == ("# Do it", Risk.L2)
    assert planned.editable[:2] == ("title", "content")
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"title": " "}, "empty"),
        ({"content": "\n"}, "empty"),
        ({"title": "x" * 256}, "too_long"),
        ({"content": "x" * 50_001}, "too_long"),
        ({"tags": ["x" * 501]}, "too_long"),
        ({"summary": "x" * 2_001}, "too_long"),
        ({"title": "\x00"}, "invalid"),
    ],
)
def test_create_refuses_by_code_before_anything_is_written(
    alice: User, values: dict[str, Any], code: str
) -> None:
    with pytest.raises(GatehouseError) as caught:
        plan(agent_of(alice), **{"action": "create", "title": "t", "content": "c", **values})
    assert caught.value.code == code


def test_what_is_written_inherits_the_taint_of_the_run(alice: User) -> None:
    actor = agent_of(alice)
    context = tool_context(actor, reach=Reach(frozenset({"untrusted", "private"})))
    run(actor, context=context, action="create", title="t", content="c")
    assert Document.objects.get().provenance == ["private", "untrusted"]
    run(actor, action="create", title="clean", content="c")
    assert Document.objects.get(title="clean").provenance == ["own"]


# --- read ---


def test_read_gives_summary_and_facts(alice: User) -> None:
    document = make_document(alice, content="word " * 100, tags="a")
    result = run(agent_of(alice), action="read", id=str(document.pk))
    assert "content" not in result.data
    assert "hint" not in result.data
    assert (result.data["content_length"], result.data["revision"]) == (500, 1)
    assert (result.data["title"], result.data["tags"]) == ("Notes", ["a"])
    assert result.provenance == {"private"}


def test_read_says_how_to_get_what_is_beyond_the_budget(alice: User) -> None:
    document = make_document(alice, content="word " * 9_000)
    result = run(agent_of(alice), action="read", id=str(document.pk))
    assert "content" not in result.data
    assert "full_content=true" in result.data["hint"]


def test_read_gives_the_whole_content_when_asked(alice: User) -> None:
    text = "字" * 50_000
    document = make_document(alice, content=text)
    result = run(agent_of(alice), action="read", id=str(document.pk), full_content=True)
    assert result.data["content"] == text
    assert result.data["has_more_content"] is False


def test_read_gives_a_long_content_in_parts(alice: User) -> None:
    text = "".join(chr(0x4E00 + n) for n in range(1_000))
    document = make_document(alice, content=text)
    parts, offset = [], 0
    while True:
        part: dict[str, Any] = {"full_content": True, "offset": offset, "limit": 300}
        data = run(agent_of(alice), action="read", id=str(document.pk), **part).data
        parts.append(data["content"])
        assert data["content_length"] == 1_000
        if not data["has_more_content"]:
            break
        offset = data["next_offset"]
    assert "".join(parts) == text
    assert len(parts) == 4


def test_read_brings_what_the_document_took_in(alice: User) -> None:
    document = make_document(alice, provenance=["untrusted"])
    result = run(agent_of(alice), action="read", id=str(document.pk))
    assert result.provenance == {"private", "untrusted"}


def test_read_finds_the_best_match_first(alice: User) -> None:
    make_document(alice, "Other", "about cats")
    make_document(alice, "Cats", "x")
    data = run(agent_of(alice), action="read", q="cats").data
    assert [item["title"] for item in data["items"]] == ["Cats", "Other"]
    assert data["total"] == 2


def test_read_by_words_brings_contents_within_the_budget(alice: User) -> None:
    make_document(alice, "Cats", "short")
    make_document(alice, "More cats", "word " * 5_000)
    items = run(agent_of(alice), action="read", q="cats", full_content=True).data["items"]
    assert items[0]["content"] == "short"
    assert "content" not in items[1]
    assert "offset and limit" in items[1]["hint"]
    [single] = run(agent_of(alice), action="read", q="more", full_content=True).data["items"]
    assert len(single["content"]) == 25_000


# --- update ---


def test_update_changes_and_answers(alice: User) -> None:
    document = make_document(alice)
    result = run(
        agent_of(alice), action="update", id=str(document.pk), content="new", expected_revision=1
    )
    document.refresh_from_db()
    assert (document.content, document.revision) == ("new", 2)
    assert result.data["revision"] == 2
    assert result.data["title"] == "Notes"
    assert events_of(document)[-1] == "document.updated"


def test_update_shows_what_changes(alice: User) -> None:
    document = make_document(alice, content="one\ntwo\nthree")
    text = "one\n2\nthree"
    arguments: dict[str, Any] = {"id": str(document.pk), "content": text, "expected_revision": 1}
    planned = plan(agent_of(alice), action="update", **arguments)
    assert planned.preview is not None
    assert planned.preview.kind == "diff"
    assert "-two\n+2" in planned.preview.text
    [target] = planned.targets
    assert (target.type, target.id, target.version, target.title) == (
        "document",
        str(document.pk),
        1,
        "Notes",
    )
    assert planned.editable == ("content",)


def test_an_agent_changes_only_a_content_that_it_has_read(alice: User) -> None:
    document = make_document(alice)
    arguments: dict[str, Any] = {"action": "update", "id": str(document.pk), "content": "new"}
    assert code_of(agent_of(alice), **arguments)[0] == "invalid"
    run(agent_of(alice), action="update", id=str(document.pk), title="Other")
    run(person(alice), **arguments)


def test_update_of_what_moved_on_is_told_the_revision(alice: User) -> None:
    document = make_document(alice)
    services.update_document(person(alice), document.pk, title="Moved")
    arguments = {"id": str(document.pk), "content": "x", "expected_revision": 1}
    told = code_of(agent_of(alice), action="update", **arguments)
    assert told == ("stale_revision", {"revision": 2})


def test_what_moves_between_plan_and_execution_is_not_changed(alice: User) -> None:
    document = make_document(alice)
    moves: list[dict[str, Any]] = [{"action": "update", "title": "x"}, {"action": "delete"}]
    for arguments in moves:
        planned = plan(agent_of(alice), id=str(document.pk), **arguments)
        services.update_document(person(alice), document.pk, title=str(arguments))
        with pytest.raises(GatehouseError) as caught:
            TOOL.execute(planned, CONFIG, tool_context(agent_of(alice)))
        assert caught.value.code == "stale_revision"


def test_an_update_that_changes_nothing_says_so(alice: User) -> None:
    document = make_document(alice)
    result = run(agent_of(alice), action="update", id=str(document.pk), title="Notes")
    assert (result.data["unchanged"], result.data["revision"]) == (True, 1)


# --- delete ---


def test_delete_shows_what_goes_and_deletes_it(alice: User) -> None:
    document = make_document(alice, "Notes", "the text")
    planned = plan(agent_of(alice), action="delete", id=str(document.pk))
    assert planned.title == "Delete the document “Notes”"
    assert (planned.preview and planned.preview.text, planned.reversible) == ("the text", True)
    assert planned.targets[0].version == 1
    result = TOOL.execute(planned, CONFIG, tool_context(agent_of(alice)))
    assert result.data == {"id": str(document.pk), "deleted": True}
    assert not Document.objects.exists()
    assert events_of(document)[-1] == "document.deleted"


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "read"},
        {"action": "read", "full_content": True},
        {"action": "update", "title": "x"},
        {"action": "delete"},
    ],
)
def test_missing_and_not_yours_get_one_answer(
    alice: User, bob: User, arguments: dict[str, Any]
) -> None:
    document = make_document(bob)
    answers = set()
    for key in (str(document.pk), str(uuid.uuid4()), "Notes"):
        with pytest.raises(GatehouseError) as caught:
            run(agent_of(alice), id=key, **arguments)
        answers.add((caught.value.code, caught.value.message))
    assert answers == {("not_found", "The document does not exist, or it is not yours.")}
