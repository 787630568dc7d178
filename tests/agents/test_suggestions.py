"""What the start page proposes works with the offline model, as it is shipped."""

from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from django.template.loader import render_to_string

from agents.demo import GUIDE_TOOLS
from agents.model_clients.rules.texts import TEXTS
from agents.models import Agent, AgentTool, Message, MessageRole
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork
from skills.models import SkillRun
from tests.agents.conftest import Turn
from tools.enums import CallStatus
from tools.models import Tool, ToolCall

pytestmark = pytest.mark.django_db

HELP = TEXTS["help"].english[:60]


def suggestions() -> list[str]:
    page = BeautifulSoup(render_to_string("chat/_welcome.html"), "html.parser")
    return [str(button["data-suggest"]) for button in page.select("[data-suggest]")]


def test_there_are_some() -> None:
    assert len(suggestions()) >= 4


@pytest.fixture(autouse=True)
def no_names() -> Iterator[None]:
    """There is no network: a fetch ends with a name that nobody knows."""
    with use_network(FakeNetwork(default=()).network):
        yield


@pytest.fixture(autouse=True)
def guide_of_the_demo(guide: Agent) -> None:
    """It has what the shipped one has."""
    for tool in Tool.objects.filter(slug__in=GUIDE_TOOLS):
        AgentTool.objects.get_or_create(agent=guide, tool=tool)


@pytest.mark.parametrize("text", suggestions())
def test_it_is_understood_and_done(alice: User, turn: Turn, text: str) -> None:
    run = turn(alice, text)
    calls = list(ToolCall.objects.filter(run_id=run.pk))
    if calls and calls[0].tool_type == "memory_capture":  # nothing is remembered before a yes
        assert calls[0].status == CallStatus.NEEDS_CONFIRMATION
        return
    answer = Message.objects.get(run=run, role=MessageRole.ASSISTANT).text
    assert HELP not in answer
    if SkillRun.objects.filter(conversation_id=run.conversation_id).exists():
        return  # a workflow has begun, and asks
    assert calls
    for call in calls:
        assert call.status == CallStatus.SUCCESS or call.tool_type == "fetch", call.error_message
    if calls[0].tool_type != "fetch":
        assert "did not succeed" not in answer
        assert "don't know" not in answer
