"""What the start page proposes works with the offline model, as it is shipped."""

from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from django.template.loader import render_to_string

from agents.model_clients.rules.texts import TEXTS
from agents.models import Message, MessageRole
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork
from skills.models import SkillRun
from tests.agents.conftest import Turn
from tools.enums import CallStatus
from tools.models import ToolCall

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


@pytest.mark.parametrize("text", suggestions())
def test_it_is_understood_and_done(alice: User, turn: Turn, text: str) -> None:
    run = turn(alice, text)
    answer = Message.objects.get(run=run, role=MessageRole.ASSISTANT).text
    assert HELP not in answer
    if SkillRun.objects.filter(conversation_id=run.conversation_id).exists():
        return  # a workflow has begun, and asks
    calls = list(ToolCall.objects.filter(run_id=run.pk))
    assert calls
    for call in calls:
        assert call.status == CallStatus.SUCCESS or call.tool_type == "fetch", call.error_message
    if calls[0].tool_type != "fetch":
        assert "did not succeed" not in answer
        assert "don't know" not in answer
