"""One run through every type that takes a secret, at peers that echo it: nothing holds a value."""

import base64
import json
import logging
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from agents.model_clients.protocol import ToolRequest
from agents.models import Agent, AgentTool, ModelProfile, Run
from agents.testing import HttpError, ScriptedClient, ServerScript, scripted_server
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, http_answer
from skills.sealer import seal_once
from tests.agents.conftest import Turn, asks, call, go_on
from tests.agents.test_secrets_in_turns import everything_answered, whole_database
from tests.agents.tool_types.configs import DESCRIPTOR
from tests.skills.audit import NOW
from tests.tools.api import Api
from tests.tools.mcp_servers import ScriptedMcp, Told, error, json_answer, result
from tests.tools.search_servers import FOUND, answer_json, brave, tavily
from tests.tools.secrets import make_secret, operator_actor
from tools.mcp.descriptors import descriptor_hash
from tools.mcp.links import forget_links
from tools.models import ActionDraft, Tool
from tools.registry import list_tool_types
from tools.secrets.known import forget_all
from tools.secrets.refs import secret_names
from tools.services import create_tool

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore"),  # what litellm's own code warns of
]

OPERATION = {"base_url": "http://a.example", "path": "/it"}
PINNED = {
    "url": "http://a.example/mcp",
    "remote_tool": "search",
    "descriptor": DESCRIPTOR,
    "descriptor_hash": descriptor_hash(DESCRIPTOR),
    "trust_read_only": True,
}


def ref(name: str) -> dict[str, str]:
    return {"secret": name}


def credential(kind: str, **where: str) -> dict[str, Any]:
    return {**OPERATION, "security": [{"kind": kind, "value": ref(where.pop("secret")), **where}]}


# The slug of each tool is the name of its secret.
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "fetched": ("fetch", {"default_headers": {"x-api-key": ref("fetched")}}),
    "bearer": ("http_api", credential("bearer", secret="bearer")),
    "basic": ("http_api", credential("basic", secret="basic")),
    "header": ("http_api", credential("api_key", secret="header", name="X-Key")),
    "query": ("http_api", {**credential("api_key", secret="query", name="key", **{"in": "query"})}),
    "cookie": ("http_api", credential("api_key", secret="cookie", name="k", **{"in": "cookie"})),
    "listed": ("mcp", {**PINNED, "headers": {"authorization": ref("listed")}}),
    "brave": ("web_search", {"provider": "brave", "url": "http://a.example/brave",
                             "api_key": ref("brave")}),
    "tavily": ("web_search", {"provider": "tavily", "url": "http://a.example/tavily",
                              "api_key": ref("tavily")}),
}  # fmt: skip
MODEL = "model"
VALUES = {
    name: f"{'user:' if name == 'basic' else ''}sk-{name}/51d2+c6/e7==" for name in (*TOOLS, MODEL)
}


def spellings_of(value: str) -> list[str]:
    inner = value.partition(":")[2] or value
    return [
        value,
        inner,
        quote(value, safe=""),
        base64.b64encode(value.encode()).decode(),
        base64.b64encode(f"Bearer {value}".encode()).decode(),
        value.encode().hex(),
        json.dumps(inner).replace("/", "\\/")[1:-1],
    ]


def said_of(sent: str) -> str:
    """A peer knows what it was sent, and spells it in every way."""
    values = [value for value in VALUES.values() if any(one in sent for one in spellings_of(value))]
    return "You sent " + " and ".join(one for value in values for one in spellings_of(value))


class Echo(ScriptedMcp):
    """Tells each caller its secret: with success at first, in failures when `fails` is set."""

    def __init__(self) -> None:
        self.fails = False
        self.mcp_says = ""
        super().__init__([DESCRIPTOR], tools_call=self._call)

    def _respond_to(self, request: bytes, peer: socket.socket) -> None:
        target = request.split(b" ", 2)[1].decode()
        echo = said_of(request.decode())
        rows = [{**FOUND[0], "title": echo[:300], "text": echo}]
        if target.startswith("/mcp"):
            self.mcp_says = echo
            super()._respond_to(request, peer)
        elif self.fails:
            peer.sendall(http_answer(echo.encode(), status="403 No", headers={"X-Echo": echo}))
        elif target.startswith("/brave"):
            peer.sendall(answer_json(brave(rows)))
        elif target.startswith("/tavily"):
            peer.sendall(answer_json(tavily(rows)))
        else:
            peer.sendall(answer_json({"you": echo}))

    def _call(self, message: Told, _peer: socket.socket) -> bytes:
        if self.fails:
            return json_answer(error(message, -32000, self.mcp_says))
        content = [{"type": "text", "text": self.mcp_says}]
        return json_answer(
            result(message, content=content, structuredContent={"you": self.mcp_says})
        )


@pytest.fixture
def echo() -> Iterator[Echo]:
    forget_all()
    forget_links()
    with Echo() as server, use_network(FakeNetwork(server.address).network):
        yield server
    forget_all()
    forget_links()


@pytest.fixture
def asked() -> Iterator[tuple[str, ServerScript]]:
    echo = said_of(VALUES[MODEL])
    with scripted_server([echo, HttpError(401, echo)]) as server:
        yield server


@pytest.fixture
def tools(operator: User, guide: Agent, asked: tuple[str, ServerScript]) -> list[Tool]:
    made = [_tool(operator, guide, slug, *how) for slug, how in TOOLS.items()]
    key = make_secret(operator, MODEL, value=VALUES[MODEL], allowed_hosts=["127.0.0.1"])
    ModelProfile.objects.create(
        name="Keyed", model="m", base_url=asked[0], api_key_secret=key, external=False, retries=0
    )
    config = {"model_profile": "Keyed"}
    return [*made, _add(operator, guide, MODEL, "ask_model", config)]


def _tool(operator: User, guide: Agent, slug: str, kind: str, config: dict[str, Any]) -> Tool:
    make_secret(operator, slug, value=VALUES[slug])
    return _add(operator, guide, slug, kind, config)


def _add(operator: User, guide: Agent, slug: str, kind: str, config: dict[str, Any]) -> Tool:
    actor = operator_actor(operator)
    tool = create_tool(actor, name=slug, slug=f"use_{slug}", type=kind, config=config)
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


def requests_of(tools: list[Tool]) -> list[ToolRequest]:
    arguments: dict[str, dict[str, Any]] = {
        "fetch": {"url": "http://a.example/page"},
        "web_search": {"query": "eggs"},
        "ask_model": {"task": "Which key is this?"},
    }
    return [
        call(tool.slug, arguments.get(tool.type, {}), id_=str(n)) for n, tool in enumerate(tools)
    ]


def confirm_all(run: Run, user: User) -> tuple[Run, str]:
    """A person says yes to whatever waits; what the API answers them."""
    answers = []
    while run.status == "waiting":
        for draft in ActionDraft.objects.waiting():
            path = f"/api/agent/actions/{draft.pk}/confirm/"
            body = {"expected_version": draft.version, "idempotency_key": str(draft.pk)}
            answers.append(Api(user)("POST", path, body))
        run = go_on(run)
    return run, str(answers)


def test_each_type_that_takes_a_secret_is_here() -> None:
    takes = {
        tool_type.name
        for tool_type in list_tool_types()
        if "SecretRef" in tool_type.config_model.model_json_schema().get("$defs", {})
    }
    assert takes == {kind for kind, config in TOOLS.values() if secret_names(config)}


def test_a_run_through_all_of_them_leaves_no_value_anywhere(
    alice: User, operator: User, tools: list[Tool], asked: tuple[str, ServerScript], echo: Echo,
    turn: Turn, model: ScriptedClient, caplog: pytest.LogCaptureFixture, inline_runs: None,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)

    def fail_now(_request: Any) -> Any:
        echo.fails = True
        return asks(*requests_of(tools))

    model.script = [
        asks(*requests_of(tools)),
        fail_now,
        lambda request: f"They said: {[message.content for message in request.messages]}",
    ]
    run, answers = confirm_all(turn(alice, "Use all your tools."), alice)
    assert run.status == "completed"
    results = [list(step.results.values()) for step in run.steps.order_by("n")]
    assert [len(one) for one in results] == [len(tools), len(tools), 0]
    assert {told["success"] for told in results[0]} == {True}
    seal_once(NOW)

    sent = b"".join(echo.requests).decode() + str(asked[1].headers)
    arrived = [name for name, value in VALUES.items()
               if any(one in sent for one in spellings_of(value))]  # fmt: skip
    assert arrived == list(VALUES)
    places = {
        "database": whole_database(),
        "answers": everything_answered(run, alice, operator, *tools) + answers,
        "prompts": str(model.requests) + str(asked[1].bodies),
        "logs": caplog.text,
    }
    found = [
        (place, one)
        for place, held in places.items()
        for value in VALUES.values()
        for one in spellings_of(value)
        if one in held
    ]
    assert found == []
    assert "You sent ***" in places["database"]
    assert "You sent ***" in places["prompts"]
