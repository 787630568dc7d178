"""A stranger gets nothing: every address of the product, with the ids of what is alice's.

The addresses are read from the resolver, so a new one is tested from its first day; one whose
parameters nobody says how to fill in fails here.
"""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.db.models import Model
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from agents.memories.services import create_memory
from agents.models import (
    Agent,
    Consent,
    Conversation,
    Memory,
    Message,
    MessageRole,
    Run,
    RunEvent,
)
from agents.runs.messages import add_message
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import ApiToken, User
from documents.models import (
    Document,
    DocumentShare,
    DocumentVersion,
    KnowledgeSpace,
    Resource,
    SpaceMember,
)
from jobs.models import Job, JobSeries
from skills.models import WorkflowSession
from tests.agents.cards import conversation_of, parked_delete, run_of
from tests.clients import token_of
from tests.documents.factories import make_deleted, make_document, share_by_link, share_with
from tests.documents.knowledge.rows import make_row
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND, scripted
from tests.skills.factories import make_session
from tools.models import ActionDraft, StandingApproval, ToolCall

pytestmark = pytest.mark.django_db

SECRET = "platypus"
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
PUBLIC = {
    *("healthz", "readyz", "favicon.ico", "api/schema/", "api/docs/", "api/error-codes/"),
    "metrics",  # for operators; tests/jobs/test_metrics.py
    *("accounts/login/", "accounts/logout/"),
    "s/<str:token>/",  # whoever has the link; tests/documents/test_links.py
}
ADMIN = "admin/"  # for staff only, and of a kind of its own
OPERATORS = ("api/agent-tools/", "api/jobs/kinds/<", "api/agents/<")
OPERATED = ("tool_id", "agent_id")  # nobody's own
SEEN_BY_OPERATORS = "api/jobs/"  # that a job is there, not what it is about

# What would be accepted from their owner: else a refusal could be about the body alone.
_CONFIRM = {"expected_version": 1, "idempotency_key": "k"}
BODIES: dict[str, dict[str, Any]] = {
    "api/agent/actions/<uuid:draft_id>/": {"expected_version": 1, "arguments": {}},
    "api/agent/actions/<uuid:draft_id>/confirm/": _CONFIRM,
    "api/agent/actions/<uuid:draft_id>/respond/": {"message": "No"},
    "api/agent/actions/<uuid:draft_id>/resolve/": {"expected_version": 1, "outcome": "done"},
    "api/agent/memories/<uuid:memory_id>/": {"text": "Taken"},
    "api/agent-documents/<str:document_id>/": {"title": "Taken"},
    "api/agent-documents/<str:document_id>/shares/": {"kind": "link"},
    "api/knowledge/spaces/<uuid:space_id>/": {"name": "Taken"},
    "api/knowledge/spaces/<uuid:space_id>/members/": {"username": "alice", "role": "reader"},
    "api/agent-tools/<uuid:tool_id>/execute/": {"input": {"action": "list"}},
    "actions/<uuid:draft_id>/confirm/": _CONFIRM,
    "actions/<uuid:draft_id>/respond/": {"message": "No"},
    "actions/<uuid:draft_id>/resolve/": {"expected_version": 1, "outcome": "done"},
    "memories/<uuid:memory_id>/edit/": {"text": "Taken", "importance": "3"},
    "documents/<uuid:document_id>/share/": {"kind": "link", "days": "7", "row_id": str(uuid7())},
    "documents/<uuid:document_id>/edit/": {"title": "Taken", "content": "Over", "type": "document"},
}

NAMED_BY = {
    "deleted_id": "document_id",
    "kind": "kind",
    **dict.fromkeys(("revision", "before", "after"), "revision"),
}


def routes(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


ROUTES = sorted(set(routes()))
PRIVATE = [route for route in ROUTES if route not in PUBLIC and not route.startswith(ADMIN)]
OF_A_THING = [route for route in PRIVATE if "<" in route]
OF_ONESELF = [route for route in PRIVATE if "<" not in route]


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with scripted():
        yield


@pytest.fixture
def things(alice: User, cara: User) -> dict[str, Model]:
    """By the name of the parameter that stands for it in an address."""
    agent = Agent.objects.create(slug="guide", name="Guide")
    conversation = conversation_of(alice, agent, title=f"About the {SECRET}")
    run = run_of(conversation, error_message=SECRET)
    add_message(conversation, MessageRole.USER, f"My {SECRET}", run=run)
    RunEvent.objects.create(run=run, conversation=conversation, seq=1, type="x", data={"t": SECRET})
    document = make_document(alice, f"The {SECRET}", content=f"A {SECRET} lays eggs")
    facts = {"agent_id": agent.pk, "conversation_id": conversation.pk, "run_id": run.pk}
    gone = make_deleted(alice, f"The gone {SECRET}", content=f"A {SECRET} has a bill")
    version = DocumentVersion.objects.get(document_id=document.pk)
    draft = parked_delete(alice, document, **facts)
    assert draft.call.tool
    return {
        "agent_id": agent,
        "conversation_id": conversation,
        "run_id": run,
        "document_id": document,
        **knowledge_of(alice),
        "deleted_id": DocumentVersion.objects.filter(document_id=gone.pk).latest("revision"),
        "share_id": share_by_link(alice, document).share,
        "shared_id": shared_by(cara, alice),
        **dict.fromkeys(("revision", "before", "after"), version),
        "draft_id": draft,
        "call_id": draft.call,
        "tool_id": draft.call.tool,
        **jobs_of(alice),
        "consent_id": Consent.objects.create(
            conversation=conversation,
            kind="web",
            service=f"{SECRET}.example",
            given_at=timezone.now(),
            until=timezone.now() + timedelta(hours=1),
        ),
        "memory_id": create_memory(Actor(user=alice, origin=Origin.PAGE), f"Likes the {SECRET}."),
        "approval_id": standing_approval(alice, draft),
        "session_id": make_session(alice, answers={"title": SECRET}),
        "token_id": ApiToken.objects.create(user=alice, name=f"For the {SECRET}", digest="x"),
    }


def shared_by(owner: User, reader: User) -> Document:
    document = make_document(owner, f"Another {SECRET}", content=f"A {SECRET} swims")
    share_with(owner, document, reader)
    return document


def knowledge_of(user: User) -> dict[str, Model]:
    resource = make_row(user, f"The {SECRET}")
    space = resource.space
    return {"space_id": space, "resource_id": resource, "member_id": space.members.get()}


def standing_approval(user: User, draft: ActionDraft) -> StandingApproval:
    return StandingApproval.objects.create(
        owner=user,
        tool=draft.call.tool,
        tool_slug=draft.call.tool_slug,
        annotations={},
        reasons=[],
        draft=draft,
        expires_at=draft.expires_at,
    )


def jobs_of(user: User) -> dict[str, Model]:
    about = {"text": f"Feed the {SECRET}"}
    series = JobSeries.objects.create(owner=user, kind=KIND, payload=about, cron="0 8 * * *")
    job = JobFactory.create(future=True, owner=user, payload=about, result=about)
    reminder = JobFactory.create(
        future=True, owner=user, kind=CHECK_IN, payload={"note": about["text"]}
    )
    return {"job_id": job, "kind": job, "series_id": series, "skill_job_id": reminder}


def address(route: str, things: dict[str, Model]) -> str:
    def fill(match: re.Match[str]) -> str:
        name = match[2]
        assert name in things, f"Say in `things` what of alice's stands for {name} in {route}"
        return str(getattr(things[name], NAMED_BY.get(name, "pk")))

    return "/" + re.sub(r"<(\w+):(\w+)>", fill, route)


def ask(client: Client, method: str, route: str, things: dict[str, Model]) -> Any:
    body: Any = BODIES.get(route, {})
    url = address(route, things)
    if route.startswith("api/"):
        return client.generic(method, url, json.dumps(body), content_type="application/json")
    if method == "POST":
        return client.post(url, body)
    return client.generic(method, url)


def state(things: dict[str, Model]) -> list[Any]:
    """All of it, to see that nothing was changed."""
    rows = [type(thing)._default_manager.get(pk=thing.pk) for thing in things.values()]
    documents = (Document, DocumentVersion, DocumentShare)
    kinds = (Consent, Conversation, Message, Run, *documents, Job, JobSeries, Memory)
    counts = [model._default_manager.count() for model in kinds]
    return [*(model_to_dict(row) for row in rows), *counts]


def secrets_of(things: dict[str, Model]) -> list[str]:
    private = {name: thing for name, thing in things.items() if name not in OPERATED}
    return [SECRET, *(str(thing.pk) for thing in private.values())]


def says_nothing(response: Any, things: dict[str, Model], *, but: str = "") -> bool:
    """`but`: what the asker said themselves, such as the address in a redirect."""
    told = response.content.decode() + str(response.headers)
    told = told.replace(but, "") if but else told
    return not any(secret in told for secret in secrets_of(things))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def by_token(user: User) -> Client:
    return Client(headers={"Authorization": f"Bearer {token_of(user)}"})


def clients_of(user: User, route: str) -> list[Client]:
    return [signed_in(user), by_token(user)] if route.startswith("api/") else [signed_in(user)]


# --- Nobody ---


@pytest.mark.parametrize("route", PRIVATE)
def test_nobody_is_asked_to_sign_in(route: str, things: dict[str, Model]) -> None:
    before = state(things)
    for method in METHODS:
        response = ask(Client(), method, route, things)
        url = address(route, things)
        if route.startswith("api/"):
            assert response.status_code == 401, (method, response)
            assert response.headers["Content-Type"].startswith("application/json")
        elif response.status_code != 405:
            assert response.status_code == 302, (method, response)
            assert urlsplit(response.headers["Location"]).path == "/accounts/login/"
        assert says_nothing(response, things, but=url), method
    assert state(things) == before


@pytest.mark.parametrize("route", PRIVATE)
def test_somebody_who_was_shut_out_is_nobody(
    route: str, alice: User, things: dict[str, Model]
) -> None:
    clients = clients_of(alice, route)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    for client in clients:
        response = ask(client, "GET", route, things)
        assert response.status_code in (302, 401, 405)


# --- Others ---


@pytest.mark.parametrize("route", OF_A_THING)
def test_what_is_alices_is_not_there_for_others(
    route: str, stranger: User, bob: User, sam: User, operator: User, things: dict[str, Model]
) -> None:
    """Not for staff either; but configuration, logs and jobs are what operators are for."""
    is_theirs = route.startswith((*OPERATORS, SEEN_BY_OPERATORS))
    others = [stranger, bob, sam, *([] if is_theirs else [operator])]
    refusals = {403, 405} if route.startswith(OPERATORS) else {404, 405}
    before = state(things)
    for user in others:
        for client in clients_of(user, route):
            for method in METHODS:
                response = ask(client, method, route, things)
                says_what_there_is = method == "OPTIONS" and response.status_code in (200, 403)
                assert says_what_there_is or response.status_code in refusals, (method, response)
                assert says_nothing(response, things, but=address(route, things)), method
    assert state(things) == before


@pytest.mark.parametrize("route", [r for r in PRIVATE if r.startswith(SEEN_BY_OPERATORS)])
def test_what_a_job_is_about_is_its_owners_alone(
    route: str, operator: User, things: dict[str, Model]
) -> None:
    response = ask(signed_in(operator), "GET", route, things)
    assert response.status_code in (200, 405)
    assert SECRET not in response.content.decode()


@pytest.mark.parametrize("route", OF_ONESELF)
def test_no_list_and_no_form_shows_what_is_alices(
    route: str, stranger: User, bob: User, things: dict[str, Model]
) -> None:
    before = state(things)
    for client in (signed_in(stranger), signed_in(bob)):
        for method in METHODS:
            response = ask(client, method, route, things)
            assert response.status_code < 500
            assert says_nothing(response, things), method
            if route.startswith(OPERATORS) and method != "OPTIONS":
                assert response.status_code in (403, 405)
        for query in (f"q={SECRET}", "page_size=100", "tab=decided", "state=draft"):
            response = client.get(f"{address(route, things)}?{query}")
            assert says_nothing(response, things, but=SECRET if SECRET in query else "")
    assert state(things)[: len(things)] == before[: len(things)]


@pytest.mark.parametrize("field", ["conversation_id"])
@pytest.mark.parametrize("route", ["api/agent/messages/", "chat/send/"])
def test_no_id_in_a_body_opens_what_is_alices(
    route: str, field: str, bob: User, things: dict[str, Model]
) -> None:
    before = state(things)
    body = {"text": "let me in", field: str(things[field].pk)}
    kind = {"content_type": "application/json"} if route.startswith("api/") else {}
    response = signed_in(bob).post(f"/{route}", body, **kind)  # type: ignore[arg-type]  # one keyword
    assert response.status_code == 404
    assert SECRET not in response.content.decode()
    assert state(things) == before


# --- The admin ---


@pytest.mark.parametrize(
    "route",
    [r for r in ROUTES if r.startswith(ADMIN) and not re.search(r"log(in|out)/$|jsi18n/$", r)],
)
def test_the_admin_is_for_staff(route: str, alice: User) -> None:
    url = "/" + re.sub(r"<(path|uuid|str|slug):\w+>", str(alice.pk), route)
    url = re.sub(r"<int:\w+>", "1", url)
    url = re.sub(r"\(\?P<\w+>[^)]*\)", "agents", url).replace("$", "").replace("^", "")
    for client in (Client(), signed_in(alice)):
        for method in ("GET", "POST"):
            response = client.generic(method, url)
            assert response.status_code == 302, (url, response)
            assert urlsplit(response.headers["Location"]).path == "/admin/login/"


# --- The addresses are real: their owner gets what others do not ---


@pytest.mark.parametrize("route", OF_A_THING)
def test_their_owner_gets_them(
    route: str, alice: User, operator: User, things: dict[str, Model]
) -> None:
    client = signed_in(operator if route.startswith(OPERATORS) else alice)
    answers = {method: ask(client, method, route, things) for method in ("GET", "POST")}
    codes = {method: response.status_code for method, response in answers.items()}
    for response in answers.values():
        response.close()
    assert 404 not in codes.values(), codes
    assert {200, 202, 302, 409} & set(codes.values()), codes


def test_every_id_that_stands_in_an_address_is_of_a_row(things: dict[str, Model]) -> None:
    assert {type(thing) for thing in things.values()} == {
        Agent,
        Consent,
        Conversation,
        Run,
        Document,
        DocumentShare,
        DocumentVersion,
        Memory,
        SpaceMember,
        Resource,
        KnowledgeSpace,
        ActionDraft,
        StandingApproval,
        ToolCall,
        ApiToken,
        Job,
        JobSeries,
        WorkflowSession,
        type(things["tool_id"]),
    }
    assert all(isinstance(thing.pk, UUID) for thing in things.values())
    assert len(OF_A_THING) > 20
