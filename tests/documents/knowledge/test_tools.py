"""`knowledge_search` and `knowledge_resource`: cited, or said that there is nothing."""

from typing import Any
from uuid import uuid4

import pytest

from config.base.models import User
from documents.enums import SpaceRole
from documents.knowledge.searching import search_passages
from documents.knowledge.tools.resource import KnowledgeResourceType
from documents.knowledge.tools.search import KnowledgeSearchType
from documents.models import KnowledgeSpace, SpaceMember
from tests.documents.factories import agent_of
from tests.documents.knowledge import pdfs
from tests.documents.knowledge.factories import join, make_resource, make_space
from tests.tools.conftest import context_for
from tools.models import Tool, ToolCall, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool

pytestmark = pytest.mark.django_db
MANUAL = pdfs.text_pdf(["Cover", "The pump is checked every 90 days.\n水泵每九十天检查一次。"])


def call(user: User, slug: str, conversation: Any = None, **arguments: Any) -> CallOutcome:
    actor = agent_of(user, conversation_id=conversation or uuid4())
    return call_tool(Tool.objects.get(slug=slug), arguments, context_for(user, actor=actor))


def data_of(outcome: CallOutcome) -> Any:
    assert outcome.result is not None, outcome.error
    return outcome.result.data


@pytest.mark.both
@pytest.mark.parametrize("question", ["How often is the pump checked?", "水泵多久检查一次？"])
def test_an_answer_is_cited_with_its_page(
    question: str, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, MANUAL, "Pump manual.pdf")
    outcome = call(alice, "knowledge_search", query=question)
    data = data_of(outcome)
    assert data["status"] == "COMPLETED"
    cited = data["citations"][0]
    assert cited["resource_id"] == str(resource.pk)
    assert (cited["title"], cited["page"], cited["passage"]) == ("Pump manual", 2, 1)
    assert "every 90 days" in cited["quote"]
    assert cited["url"] == f"/knowledge/resources/{resource.pk}/?passage=1#passage-1"
    assert outcome.result is not None
    assert outcome.result.provenance == {"private", "untrusted"}


def test_a_page_quotes_below_the_heading_that_it_shows(alice: User, space: KnowledgeSpace) -> None:
    make_resource(alice, space, "# Pumps\n\nEach is checked in May.\n\n# Sheds", "manual.md")
    (found,) = search_passages(alice, "when are the pumps checked").shown
    assert (found.passage.heading, found.quote) == ("Pumps", "Each is checked in May.")


@pytest.mark.both
def test_nothing_that_answers_is_no_evidence(alice: User, space: KnowledgeSpace) -> None:
    make_resource(alice, space, MANUAL, "manual.pdf")
    outcome = call(alice, "knowledge_search", query="quantum chromodynamics lattice")
    assert data_of(outcome)["status"] == "NO_EVIDENCE"
    assert data_of(outcome)["citations"] == []
    assert "make no source up" in data_of(outcome)["note"]


def test_of_what_one_may_not_read_there_is_nothing(
    alice: User, bob: User, operator: User, space: KnowledgeSpace
) -> None:
    make_resource(alice, space, MANUAL, "manual.pdf")
    for other in (bob, operator):
        found = data_of(call(other, "knowledge_search", query="pump checked"))
        assert found["status"] == "NO_EVIDENCE"
        file = data_of(call(other, "knowledge_resource", query="manual"))
        assert file["status"] == "NO_EVIDENCE"


def test_a_named_space_or_file_is_the_only_one_searched(alice: User) -> None:
    for name in ("Halls", "Yards"):
        space = make_space(alice, name)
        make_resource(alice, space, f"The pump of the {name} is checked.", f"{name} rules.txt")
    in_space = data_of(call(alice, "knowledge_search", query="pump", space="yards"))
    assert [one["space"] for one in in_space["citations"]] == ["Yards"]
    in_file = data_of(call(alice, "knowledge_search", query="pump", resource="halls rules"))
    assert [one["title"] for one in in_file["citations"]] == ["Halls rules"]
    for arguments in ({"space": "Cellars"}, {"resource": "Cellars"}):
        none = call(alice, "knowledge_search", query="pump", **arguments)
        assert none.error is not None
        assert none.error.code == "not_found"


def test_neither_question_nor_passage_is_logged(alice: User, space: KnowledgeSpace) -> None:
    make_resource(alice, space, MANUAL, "manual.pdf")
    call(alice, "knowledge_search", query="pump checked")
    kept = ToolCallContent.objects.all()
    assert not any(one.input or one.output for one in kept)
    assert "pump" not in str(ToolCall.objects.get().receipt)


def test_a_file_is_given_by_an_address_and_not_by_its_place(
    alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, MANUAL, "Pump manual.pdf")
    found = data_of(call(alice, "knowledge_resource", query="pump manual"))
    assert found["status"] == "COMPLETED"
    (file,) = found["resources"]
    assert file["download_url"] == f"/knowledge/resources/{resource.pk}/download/"
    assert (file["type"], file["size_bytes"]) == ("application/pdf", len(MANUAL))
    assert resource.stored_name not in str(found)
    by_id = data_of(call(alice, "knowledge_resource", resource_id=str(resource.pk)))
    assert by_id["resources"] == found["resources"]
    about = data_of(call(alice, "knowledge_resource", query="水泵检查"))
    assert about["resources"] == found["resources"]


def test_of_several_the_person_is_asked(alice: User, space: KnowledgeSpace) -> None:
    for year in (2025, 2026):
        make_resource(alice, space, f"Rules of {year}.", f"Rules {year}.txt")
    found = data_of(call(alice, "knowledge_resource", query="rules"))
    assert found["status"] == "NEEDS_INPUT"
    assert len(found["resources"]) == 2


@pytest.mark.both
def test_the_file_from_before_is_the_one_this_conversation_was_about(
    alice: User, bob: User, space: KnowledgeSpace
) -> None:
    here, elsewhere = uuid4(), uuid4()
    manual = make_resource(alice, space, MANUAL, "Pump manual.pdf")
    make_resource(alice, space, "Bread is baked at night.", "Bakery.txt")
    call(alice, "knowledge_search", here, query="How often is the pump checked?")
    call(alice, "knowledge_search", here, query="quantum chromodynamics lattice")
    call(alice, "knowledge_search", elsewhere, query="When is bread baked?")
    before = data_of(call(alice, "knowledge_resource", here, earlier=True))
    assert [one["resource_id"] for one in before["resources"]] == [str(manual.pk)]
    new = data_of(call(alice, "knowledge_resource", uuid4(), earlier=True))
    assert new["status"] == "NO_EVIDENCE"
    join(space, bob)
    assert data_of(call(bob, "knowledge_resource", here, earlier=True))["resources"] == []


def test_the_file_from_before_is_gone_for_who_was_taken_out(
    alice: User, bob: User, space: KnowledgeSpace
) -> None:
    here = uuid4()
    manual = make_resource(alice, space, MANUAL, "Pump manual.pdf")
    join(space, bob, SpaceRole.READER)
    call(bob, "knowledge_search", here, query="How often is the pump checked?")
    SpaceMember.objects.filter(user=bob).delete()
    before = data_of(call(bob, "knowledge_resource", here, earlier=True))
    assert before["status"] == "NO_EVIDENCE"
    by_id = call(bob, "knowledge_resource", here, resource_id=str(manual.pk))
    none = call(bob, "knowledge_resource", here, resource_id=str(uuid4()))
    assert by_id.error is not None
    assert none.error is not None
    assert (by_id.error.code, by_id.error.message) == (none.error.code, none.error.message)


@pytest.mark.parametrize(
    "arguments", [{}, {"query": "a", "earlier": True}, {"query": "a", "resource_id": "b"}]
)
def test_a_file_is_named_in_one_way(arguments: dict[str, Any], alice: User) -> None:
    refused = call(alice, "knowledge_resource", **arguments)
    assert refused.error is not None
    assert refused.error.code == "invalid"


def test_both_only_read() -> None:
    for tool_type in (KnowledgeSearchType(), KnowledgeResourceType()):
        known = tool_type.annotations(tool_type.config_model())  # type: ignore[arg-type]  # its own
        assert known.read_only
        assert not known.open_world
