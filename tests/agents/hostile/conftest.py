"""Alice, her diary, an agent with all tools, an obedient model, and the attacker's hosts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from agents.models import Agent, AgentTool, Conversation, Message, MessageRole, ModelProfile, Run
from agents.runs import drive as driving
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from agents.types.ask_model import tool as asking
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork
from documents.models import Document
from tests.agents.cards import conversation_of
from tests.agents.conftest import go_on
from tests.agents.hostile.attacker import HOSTS, MCP, MCP_TOOL, SECRET, Attacker, shapes_of
from tests.agents.hostile.obedient import Obedient
from tests.agents.hostile.orders import DIARY, OTHER, orders_for
from tests.documents.factories import make_document
from tests.tools.conftest import actor_of
from tools.drafts import dismiss_draft
from tools.enums import DraftState
from tools.mcp.descriptors import descriptor_hash
from tools.models import ActionDraft, Tool

SEARCH_API = "http://search.example/search"
MCP_CONFIG = {
    "url": MCP,
    "remote_tool": MCP_TOOL["name"],
    "descriptor": MCP_TOOL,
    "descriptor_hash": descriptor_hash(MCP_TOOL),
    "trust_read_only": True,
}
TOOLS = ("document", "fetch", "template", "encode", "send_message", "ask_model")


@dataclass
class Scene:
    alice: User
    agent: Agent
    diary: Document
    other: Conversation
    web: Attacker
    network: FakeNetwork
    model: Obedient
    asked: ScriptedClient  # whatever model a tool asks, inside or outside
    cloud: ScriptedClient

    def say(self, text: str, **more: Any) -> Run:
        return go_on(start_turn(self.alice, TurnRequest(text=text, enable_tools=True, **more)))

    def waiting(self) -> list[ActionDraft]:
        return list(ActionDraft.objects.filter(state=DraftState.DRAFT).order_by("pk"))

    def refuse_all(self, run: Run) -> Run:
        """The person says no to every card, and the run goes on."""
        while self.waiting():
            run = self.refuse_waiting(run)
        return run

    def refuse_waiting(self, run: Run) -> Run:
        for draft in self.waiting():
            dismiss_draft(actor_of(self.alice), draft.pk)
        return go_on(run)

    def assert_nothing_left(self) -> None:
        assert self.web.was_told(SECRET) == []
        assert self.web.hosts <= HOSTS
        assert set(self.network.lookups) <= HOSTS
        told = str([request.messages for request in self.cloud.requests])
        assert not [shape for shape in shapes_of(SECRET) if shape in told]

    def assert_nothing_unmarked(self) -> None:
        """Her diary is there, and whatever was written says where it comes from."""
        assert Document.objects.filter(pk=self.diary.pk).exists()
        for document in Document.objects.filter(owner=self.alice):
            if document.pk == self.diary.pk and document.revision == 1:
                continue
            assert {"private", "untrusted"} & {*document.provenance}, document
        for message in Message.objects.exclude(role__in=(MessageRole.USER, MessageRole.NOTICE)):
            told = [shape for shape in shapes_of(SECRET) if shape in message.text]
            assert not told or "private" in message.provenance, message
        assert not Document.objects.exclude(owner=self.alice).exists()


@pytest.fixture
def web() -> Iterator[tuple[Attacker, FakeNetwork]]:
    with Attacker() as server:
        network = FakeNetwork(server.address)
        with use_network(network.network):
            yield server, network


@pytest.fixture
def agent(db: None) -> Agent:
    cloud = ModelProfile.objects.create(
        name="Cloud", model="openai/cloud", base_url="https://cloud.example/v1", external=True
    )
    ModelProfile.objects.create(
        name="Inside", model="inside", base_url="http://127.0.0.1:9/v1", external=False
    )
    agent = Agent.objects.create(slug="guide", name="Guide", max_steps=12)
    rows = list(Tool.objects.filter(slug__in=TOOLS))
    Tool.objects.filter(slug="ask_model").update(config={"model_profile": "Inside"})
    Tool.objects.filter(slug="fetch").update(config={"parse_mode": "markdown"})
    rows.append(_tool("partner", "fetch", allowed_domains=["partner.example"]))
    rows.append(_tool("ask_cloud", "ask_model", model_profile=cloud.name))
    rows.append(_tool("search_web", "web_search", provider="searxng", url=SEARCH_API))
    rows.append(_tool("mcp_search", "mcp", **MCP_CONFIG))
    for row in rows:
        AgentTool.objects.create(agent=agent, tool=row)
    return agent


def _tool(slug: str, type_: str, **config: Any) -> Tool:
    return Tool.objects.create(name=slug, slug=slug, type=type_, config=config)


@pytest.fixture
def scene(
    alice: User,
    agent: Agent,
    web: tuple[Attacker, FakeNetwork],
    monkeypatch: pytest.MonkeyPatch,
) -> Scene:
    diary = make_document(alice, DIARY, f"The code is {SECRET}.")
    model = Obedient(orders_for(str(diary.pk)))
    asked, cloud = ScriptedClient(), ScriptedClient()
    monkeypatch.setattr(driving, "client_for", lambda agent: model)
    monkeypatch.setattr(asking, "client_of", _which(asked, cloud))
    other = conversation_of(alice, agent, title=OTHER)
    return Scene(alice, agent, diary, other, *web, model, asked, cloud)


def _which(asked: ScriptedClient, cloud: ScriptedClient) -> Callable[..., ScriptedClient]:
    return lambda profiles: cloud if profiles[0].leaves else asked
