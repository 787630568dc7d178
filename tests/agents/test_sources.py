"""Where an answer has it from: in the response and under it, as the person may see it now."""

from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from agents.models import Agent, AgentTool, Run
from agents.runs.response import build_response
from agents.testing import ScriptedClient
from config.base.models import User
from documents.enums import SpaceRole
from documents.models import Resource, SpaceMember
from tests.agents.conftest import Turn, asks, call, says
from tests.documents.knowledge import pdfs
from tests.documents.knowledge.factories import join, make_resource, make_space
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture(autouse=True)
def knowledge_dir(settings: Any, tmp_path: Path) -> None:
    settings.KNOWLEDGE_DIR = tmp_path / "knowledge"


@pytest.fixture
def manual(alice: User, bob: User, guide: Agent) -> Resource:
    """Bob reads it, and the guide finds it for him."""
    for slug in ("knowledge_search", "knowledge_resource"):
        AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug=slug))
    space = make_space(alice)
    join(space, bob, SpaceRole.READER)
    text = pdfs.text_pdf(["Cover", "The pump is checked every 90 days."])
    return make_resource(alice, space, text, "Pump manual.pdf")


def ask(turn: Turn, model: ScriptedClient, user: User, **more: Any) -> Run:
    model.script = [
        asks(
            call("knowledge_search", {"query": "How often is the pump checked?"}),
            call("knowledge_resource", {"query": "Pump manual"}, id_="2"),
        ),
        says("Every 90 days [Elsewhere, p. 1](https://example.org/)."),
    ]
    return turn(user, "How often is the pump checked?", **more)


def test_the_response_says_what_was_read(
    turn: Turn, model: ScriptedClient, bob: User, manual: Resource
) -> None:
    response = build_response(ask(turn, model, bob))
    (cited,) = response["citations"]
    assert cited["resource_id"] == str(manual.pk)
    assert (cited["title"], cited["page"]) == ("Pump manual", 2)
    assert "every 90 days" in cited["quote"]
    (found,) = response["resources"]
    assert found["resource_id"] == str(manual.pk)
    (source,) = response["source_summary"]  # one file, though two calls read of it
    assert (source["type"], source["label"]) == ("knowledge", "Pump manual")
    assert source["verified_at"]
    assert source["url"] == cited["url"]


def test_who_has_lost_the_space_is_shown_none_of_it(
    turn: Turn, model: ScriptedClient, bob: User, manual: Resource
) -> None:
    run = ask(turn, model, bob)
    SpaceMember.objects.filter(user=bob).delete()
    response = build_response(run)
    assert (response["citations"], response["resources"], response["source_summary"]) == (
        [],
        [],
        [],
    )
    assert "Pump manual" not in strip_of(bob, run)


def test_the_thread_shows_them_under_the_answer(
    turn: Turn, model: ScriptedClient, bob: User, manual: Resource, django_assert_num_queries: Any
) -> None:
    run = ask(turn, model, bob)
    assert strip_of(bob, run) == ["Pump manual"]
    client = signed_in(bob)
    address = reverse("chat:thread", args=[run.conversation_id])
    client.get(address)
    with django_assert_num_queries(QUERIES):
        client.get(address)
    ask(turn, model, bob, conversation_id=run.conversation_id)
    assert strip_of(bob, run) == ["Pump manual", "Pump manual"]
    with django_assert_num_queries(QUERIES):
        client.get(address)


def test_an_answer_without_sources_names_none(
    turn: Turn, model: ScriptedClient, bob: User, guide: Agent
) -> None:
    model.script = [asks(call("calculator", {"expression": "1+1"})), says("2, says the handbook.")]
    response = build_response(turn(bob, "What is 1+1?"))
    assert (response["citations"], response["source_summary"]) == ([], [])


QUERIES = 14  # however many answers there are, and files they read


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def strip_of(user: User, run: Run) -> list[str]:
    page = signed_in(user).get(reverse("chat:thread", args=[run.conversation_id]))
    strip = BeautifulSoup(page.content, "html.parser").select(".source-strip .tag")
    return [one.get_text(strip=True) for one in strip]
