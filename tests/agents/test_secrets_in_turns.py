"""A whole turn, from question to answer, with a secret in its tool: nothing holds the value."""

import base64
import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from agents.model_clients.profiles import check_connection
from agents.models import Agent, AgentTool, ModelProfile, Run
from agents.testing import HttpError, ScriptedClient, scripted_server
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, http_answer
from skills.sealer import seal_once
from tests.agents.conftest import Turn, asks, call, go_on
from tests.skills.audit import NOW
from tests.tools.api import Api
from tests.tools.secrets import VALUE, make_secret, operator_actor
from tests.tools.test_fetch import Peer, moved
from tools.models import ActionDraft, Secret, Tool, ToolCall
from tools.secrets.errors import SecretInUse
from tools.secrets.known import forget_all
from tools.secrets.services import change_secret, delete_secret
from tools.services import create_tool

pytestmark = [pytest.mark.both, pytest.mark.django_db]

TOKEN = VALUE.partition(" ")[2]
KEY = "sk-model-51d2c6e7"
SPELLINGS = [
    TOKEN,
    quote(TOKEN, safe=""),
    base64.b64encode(TOKEN.encode()).decode(),
    base64.b64encode(VALUE.encode()).decode(),
    TOKEN.encode().hex(),
    json.dumps(TOKEN).replace("/", "\\/")[1:-1],
]


@pytest.fixture
def peer() -> Iterator[Peer]:
    forget_all()
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server
    forget_all()


@pytest.fixture
def api_tool(operator: User, guide: Agent) -> Tool:
    make_secret(operator)
    tool = create_tool(
        operator_actor(operator), name="API", slug="api_call", type="fetch",
        config={"default_headers": {"authorization": {"secret": "api"}}, "parse_mode": "raw"},
    )  # fmt: skip
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


def whole_database() -> str:
    """Every column of every table, as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [f"{table} {row!r}" for row in cursor.fetchall()]
    return "\n".join(found)


def everything_answered(run: Run, alice: User, operator: User, *tools: Tool) -> str:
    """All that the API tells her, and the operator; and the operator's pages."""
    calls = list(ToolCall.objects.values_list("pk", flat=True))
    drafts = list(ActionDraft.objects.values_list("pk", flat=True))
    talk = run.conversation_id
    hers = ["runs/", f"runs/{run.pk}/", f"conversations/{talk}/", f"conversations/{talk}/messages/"]
    hers += ["actions/", *(f"actions/{key}/" for key in drafts)]
    theirs = ["", "types/", "logs/", *(f"{tool.pk}/" for tool in tools)]
    theirs += [f"logs/{key}/" for key in calls]
    told = [Api(alice)("GET", f"/api/agent/{path}") for path in hers]
    told += [Api(operator)("GET", f"/api/agent-tools/{path}") for path in theirs]
    assert {status for status, _body in told} == {200}
    console = Client()
    console.force_login(operator)
    rows = {"secret": Secret.objects.all(), "tool": tools}
    pages = [
        *(reverse(f"admin:tools_{name}_changelist") for name in ("secret", "tool", "toolcall")),
        *(
            reverse(f"admin:tools_{name}_change", args=[row.pk])
            for name in rows
            for row in rows[name]
        ),
        *(reverse("admin:tools_toolcall_change", args=[key]) for key in calls),
        *(reverse("admin:tools_actiondraft_change", args=[key]) for key in drafts),
    ]
    shown = [console.get(address) for address in pages]
    assert {answer.status_code for answer in shown} == {200}
    return str(told) + "".join(answer.content.decode() for answer in shown)


def test_a_whole_turn_leaves_the_value_nowhere(
    alice: User, operator: User, api_tool: Tool, turn: Turn, model: ScriptedClient, peer: Peer,
    caplog: pytest.LogCaptureFixture, inline_runs: None,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    everything = json.dumps({"you sent": VALUE, "and": SPELLINGS}).encode()
    peer.answers = [
        http_answer(everything, headers={"Content-Type": "application/json", "X-Echo": VALUE}),
        moved(f"http://b.example/?t={quote(TOKEN, safe='')}"),
        http_answer(b"Denied for " + VALUE.encode(), status="401 No"),
        http_answer(b"Stored for " + VALUE.encode()),
    ]
    urls = ["http://a.example/echo", "http://a.example/away", "http://a.example/no"]
    model.script = [
        asks(*(call("api_call", {"url": url}, id_=str(n)) for n, url in enumerate(urls))),
        asks(call("api_call", {"url": "http://a.example/new", "method": "POST", "body": "x"})),
        lambda request: f"It said: {request.messages[-1].content}",
    ]
    run = turn(alice, "Ask the API")
    draft = ActionDraft.objects.get(state="draft")
    answer = Api(alice)(
        "POST",
        f"/api/agent/actions/{draft.pk}/confirm/",
        {"expected_version": draft.version, "idempotency_key": "k"},
    )
    assert answer[0] in {200, 202}
    run = go_on(run)
    assert run.status == "completed"
    assert len(peer.requests) == 4
    assert all(VALUE.encode() in request for request in peer.requests)
    seal_once(NOW)

    places = {
        "database": whole_database(),
        "answers": everything_answered(run, alice, operator, api_tool) + str(answer),
        "prompts": str(model.requests),
        "logs": caplog.text,
    }
    found = [(place, text) for place, held in places.items() for text in SPELLINGS if text in held]
    assert found == []
    assert "you sent" in places["database"]
    assert "Stored for ***" in places["database"]


def test_the_grep_would_find_it(alice: User, operator: User) -> None:
    """The same look at the database, with the value in one column of it."""
    make_secret(operator, note=f"written into the note: {TOKEN}")
    assert TOKEN in whole_database()


# --- The key of a model ---


@pytest.fixture
def key(operator: User) -> Secret:
    return make_secret(operator, "model-key", value=KEY, allowed_hosts=["127.0.0.1"])


def profile_of(secret: Secret, base_url: str, **values: Any) -> ModelProfile:
    values = {"name": "Local", "model": "m", "retries": 0, "external": False, **values}
    return ModelProfile.objects.create(base_url=base_url, api_key_secret=secret, **values)


@pytest.mark.filterwarnings("ignore")
def test_a_model_gets_its_key_and_nobody_else(
    alice: User, operator: User, guide: Agent, key: Secret, turn: Turn,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    with scripted_server([HttpError(500, f"bad key {KEY}"), "Hello!"]) as (base_url, script):
        guide.model_profile = profile_of(key, base_url, retries=1)
        guide.save()
        run = turn(alice, "Hello", tools=False)
    assert run.status == "completed"
    assert {headers["authorization"] for headers in script.headers} == {f"Bearer {KEY}"}
    assert Secret.objects.get().last_used_at is not None
    assert KEY not in whole_database()
    assert KEY not in caplog.text
    assert KEY not in str(script.bodies)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"allowed_hosts": ["models.example"]}, "secret_host_not_allowed"),
        ({"allow_http": False}, "secret_needs_https"),
    ],
)
def test_a_key_goes_to_its_hosts_only(
    operator: User, key: Secret, change: dict[str, Any], why: str
) -> None:
    change_secret(operator_actor(operator), key.pk, **change)
    with scripted_server(["never"]) as (base_url, script):
        result = check_connection(operator_actor(operator), profile_of(key, base_url))
    assert script.bodies == []
    assert result.error is not None
    assert (result.error.code, result.error.raw) == ("model_key_unusable", why)


@pytest.mark.filterwarnings("ignore")
def test_without_a_base_url_the_library_s_own_host_is_judged(operator: User, key: Secret) -> None:
    """Nothing is looked up or dialled: the request ends where it would leave."""
    profile = profile_of(key, "", model="openai/gpt-4o", external=True)
    result = check_connection(operator_actor(operator), profile)
    assert result.error is not None
    assert (result.error.code, result.error.raw) == (
        "model_key_unusable",
        "secret_host_not_allowed",
    )


@pytest.mark.filterwarnings("ignore")
def test_when_the_key_is_lost_another_model_stands_in(
    alice: User, guide: Agent, key: Secret, turn: Turn, settings: Any
) -> None:
    spare = ModelProfile.objects.create(name="Spare", model="rules", external=False)
    guide.model_profile = profile_of(key, "http://127.0.0.1:9/v1", fallback=spare)
    guide.save()
    settings.SECRETS_KEYS = ["z" * 40]
    run = turn(alice, "What is 2 + 2?")
    assert run.status == "completed"
    ModelProfile.objects.update(fallback=None)
    run = turn(alice, "And 3 + 3?")
    assert (run.status, run.error_code) == ("failed", "model_key_unusable")


def test_a_key_in_use_stays(operator: User, key: Secret) -> None:
    profile = profile_of(key, "http://127.0.0.1:9/v1")
    with pytest.raises(SecretInUse, match="model profile “Local”"):
        delete_secret(operator_actor(operator), key.pk)
    profile.delete()
    delete_secret(operator_actor(operator), key.pk)
    assert not Secret.objects.exists()
