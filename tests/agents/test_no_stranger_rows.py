"""Whatever is written, given away, taken back, over, told, forgotten or uploaded, and whoever comes
and goes, in whatever order: by no door does anybody read a row that they may not read then.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.memories.recall import recall
from agents.memories.selectors import search_memories
from agents.models import Run
from agents.runs.response import build_response
from agents.testing import ScriptedClient
from config.base.errors import NotFound
from config.base.models import Role
from documents.knowledge.searching import search_passages
from documents.knowledge.selectors import list_passages, list_resources
from documents.selectors import list_documents, search_documents
from documents.shares import get_readable_document, list_shared_documents
from tests.agents import readable_world as world_of
from tests.agents.conftest import Turn, asks, call, says
from tests.agents.readable_world import AGENTS, PEOPLE, PROJECTS, SPACES, WORD, World
from tests.tools.conftest import context_for
from tools.models import Tool
from tools.pipeline import call_tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]

who, which = st.sampled_from(PEOPLE), st.integers(0, 5)
project, space = st.sampled_from(PROJECTS), st.sampled_from(SPACES)
minutes = st.one_of(st.none(), st.integers(1, 20))
any_agent, any_project = st.sampled_from((None, *AGENTS)), st.sampled_from((None, *PROJECTS))
step = st.one_of(
    st.tuples(st.just("write"), who),
    st.tuples(st.just("lend"), which, who, minutes),
    st.tuples(st.just("open_to"), which, project, minutes),
    st.tuples(st.just("link"), which, st.integers(1, 20)),
    st.tuples(st.sampled_from(("revoke", "delete", "restore")), which),
    st.tuples(st.just("join"), who, project, st.sampled_from(Role.values)),
    st.tuples(st.just("leave"), who, project),
    st.tuples(st.just("shut"), who, st.booleans()),
    st.tuples(st.just("wait"), st.integers(1, 10)),
    st.tuples(st.just("remember"), who, any_agent, any_project),
    st.tuples(st.just("judge"), which, st.sampled_from((True, True, False))),
    st.tuples(st.sampled_from(("archive", "take_back", "forget")), which),
    st.tuples(st.just("show"), which, any_project),
    st.tuples(st.sampled_from(("let_in", "send_away")), who, space),
    st.tuples(st.just("open_to_newcomers"), st.booleans()),
    st.tuples(st.just("upload"), space),
    st.tuples(st.just("drop"), which),
    st.tuples(st.just("ask"), who),
)
# At first there is something of each; the last steps take the most of it away again.
BEGINNING: tuple[tuple[Any, ...], ...] = (
    ("join", 0, 0, Role.EMPLOYEE),
    ("join", 1, 0, Role.SUPERVISOR),
    ("join", 2, 1, Role.CANDIDATE),
    *(("write", n) for n in PEOPLE),
    ("open_to", 0, 0, None),
    ("lend", 1, 2, 5),
    ("remember", 0, None, 0),
    ("judge", 0, True),
    ("remember", 1, 1, None),
    *(("upload", n) for n in SPACES),
    ("let_in", 0, 0),
)
HISTORY: tuple[tuple[Any, ...], ...] = (
    ("link", 2, 4),
    ("ask", 0),
    ("ask", 1),
    ("open_to_newcomers", True),
    ("ask", 2),
    ("send_away", 0, 0),
    ("wait", 4),
    ("leave", 1, 0),
    ("open_to_newcomers", False),
    ("wait", 1),
    ("show", 0, None),
    ("leave", 0, 0),
    ("forget", 0),
)

type Doors = Callable[[World, int], Asked]
type Asked = Iterator[tuple[str, Iterable[UUID], set[UUID]]]  # a door, what it gave, what it may


def at_services(world: World, number: int) -> Asked:
    user, now = world.people[number], world.now
    own, shared = world.own_documents(number), world.shared_documents(number)
    yield "list", keys(list_documents(user, q=WORD)), own
    yield "search", keys(search_documents(user, WORD)), own
    yield "shared", keys(list_shared_documents(user, now)), shared
    everything = [one.row.pk for one in world.documents]
    yield "one", (key for key in everything if can_read(user, key, now)), own | shared
    for agent, place, question in ((0, 0, WORD), (1, 1, WORD), (1, None, ""), (None, 0, "")):
        agent_id = None if agent is None else world.agents[agent].pk
        project_id = None if place is None else world.projects[place].pk
        told = recall(user, agent_id, question, project_id=project_id, limit=50)
        yield "recall", (one.id for one in told), world.told(number, agent, place)
    yield "memories", keys(search_memories(user, WORD)), world.own_memories(number)
    files = world.readable_files(number)
    yield "files", keys(list_resources(user)), files
    found = search_passages(user, WORD, limit=100)
    yield "passages", (one.resource.pk for one in found.cited), files
    of_files = [file.pk for file, _space in world.files]
    yield "of file", (key for key in of_files if list_passages(user, key).exists()), files


def at_tools(world: World, number: int) -> Asked:
    """As an agent asks, in a conversation of each project; they give no more than so many."""
    for agent, place in ((0, 0), (1, 1), (1, None)):
        given = use(world, number, agent, place, "memory_search", query=WORD)["memories"]
        yield "memory_search", ids(given, "id"), world.told(number, agent, place)
    own, files = world.own_documents(number), world.readable_files(number)
    for action in ("read", "list"):
        given = use(world, number, 0, None, "document", action=action, q=WORD)["items"]
        yield f"document {action}", ids(given, "id"), own
    cited = use(world, number, 0, None, "knowledge_search", query=WORD)["citations"]
    yield "knowledge_search", ids(cited, "resource_id"), files
    for arguments in ({"query": WORD}, {"earlier": True}):
        given = use(world, number, 0, None, "knowledge_resource", **arguments)["resources"]
        yield "knowledge_resource", ids(given, "resource_id"), files


def over_http(world: World, number: int) -> Asked:
    if number in world.shut_out:
        return
    client = Client()
    client.force_login(world.people[number])
    own, shared = world.own_documents(number), world.shared_documents(number)
    files = world.readable_files(number)
    lists = (
        (f"agent-documents/?q={WORD}&", own, "id"),
        ("agent-documents/shared/?", shared, "id"),
        (f"agent/memories/?q={WORD}&", world.own_memories(number), "id"),
        ("knowledge/resources/?", files, "id"),
        (f"knowledge/search/?q={WORD}&limit=20", files, "resource_id"),
    )
    for address, may, name in lists:
        more = "" if "limit" in address else "page_size=100"
        yield address, ids(client.get(f"/api/{address}{more}").json()["results"], name), may
    everything = [one.row.pk for one in world.documents]
    yield "page", seen(client, "/documents/{}/", everything), own | shared
    of_files = [file.pk for file, _space in world.files]
    yield "/passages/", seen(client, "/api/knowledge/resources/{}/passages/", of_files), files
    yield "/download/", seen(client, "/api/knowledge/resources/{}/download/", of_files), files
    own_runs = {run.pk for asker, run in world.runs if asker == number}
    all_runs = [run.pk for _asker, run in world.runs]
    yield "runs", seen(client, "/api/agent/runs/{}/", all_runs), own_runs


def cited_in_answers(world: World, number: int) -> Asked:
    """What was cited is cited as long as it may be read, and no longer."""
    for asker, run in world.runs:
        if asker == number:
            cited = ids(build_response(run)["citations"], "resource_id")
            yield "cited", cited, world.readable_files(number)


def check_links(world: World) -> None:
    for one in world.given:
        if one.token:
            status = Client().get(f"/s/{one.token}/").status_code
            assert status == (200 if world.in_force(one) else 404)


AT_MOST = {"cited": 0}  # all others give everything that may be read, as far as they go


def check(world: World, doors: Doors, number: int, opened: set[str]) -> None:
    for door, gave, may in doors(world, number):
        got = set(gave)
        assert got <= may, f"{door} gave person {number} what they may not read"
        if len(may) <= AT_MOST.get(door, 3):
            assert got == may, f"{door} kept from person {number} what they may read"
        if got:
            opened.add(door)


def check_all(world: World, opened: set[str], *, asking: Iterable[int]) -> None:
    """The quick doors for everybody."""
    for number in PEOPLE:
        check(world, at_services, number, opened)
        check(world, cited_in_answers, number, opened)
    for number in asking:
        check(world, at_tools, number, opened)
        check(world, over_http, number, opened)
    check_links(world)


def keys(rows: Iterable[Any]) -> Iterator[UUID]:
    return (row.pk for row in rows)


def ids(rows: Iterable[dict[str, Any]], name: str) -> Iterator[UUID]:
    return (UUID(one[name]) for one in rows)


def can_read(user: Any, key: UUID, now: Any) -> bool:
    try:
        return get_readable_document(user, key, now).pk == key
    except NotFound:
        return False


def seen(client: Client, address: str, all_keys: Iterable[UUID]) -> Iterator[UUID]:
    for key in all_keys:
        status = client.get(address.format(key)).status_code
        assert status in (200, 404), address
        if status == 200:
            yield key


def use(
    world: World, number: int, agent: int, place: int | None, slug: str, **arguments: Any
) -> dict[str, Any]:
    actor = world.agent_of(number, agent, place)
    tool = Tool.objects.get(slug=slug)
    outcome = call_tool(tool, arguments, context_for(world.people[number], actor=actor))
    assert outcome.result is not None, outcome.error
    return outcome.result.data


def ask(world: World, number: int, turn: Turn, model: ScriptedClient) -> None:
    """A turn whose answer cites what was found."""
    if number in world.shut_out:
        return
    model.script = [asks(call("knowledge_search", {"query": WORD})), says("So it says.")]
    works_in = [place for person, place in world.roles if person == number]
    slug = world.projects[works_in[0]].slug if works_in else ""
    run: Run = turn(world.people[number], WORD, agent=world.agents[0].slug, project=slug)
    world.runs.append((number, run))


@pytest.fixture(autouse=True)
def knowledge_dir(settings: Any, tmp_path: Path) -> None:
    settings.KNOWLEDGE_DIR = tmp_path / "knowledge"


@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(step, min_size=4, max_size=8))
@example(history=HISTORY)
def test_nobody_reads_what_they_may_not_read_then(
    turn: Turn, model: ScriptedClient, history: Any
) -> None:
    opened: set[str] = set()
    with pytest.MonkeyPatch.context() as patched, transaction.atomic():
        world = world_of.new_world(patched, world_of.agents_with_tools())
        for name, *arguments in BEGINNING:
            getattr(world, name)(*arguments)
        for count, (name, *arguments) in enumerate(history):
            if name == "ask":
                ask(world, arguments[0], turn, model)
            else:
                getattr(world, name)(*arguments)
            check_all(world, opened, asking=[count % len(PEOPLE)])
        check_all(world, opened, asking=PEOPLE)
        transaction.set_rollback(True)
    if history == HISTORY:
        assert opened >= {"cited", "recall", "memory_search", "knowledge_resource", "/download/"}
