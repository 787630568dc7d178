"""The operator's page of a model profile: what can't work is said, and a model can be tried."""

import threading
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from agents.admin.profile_form import ModelProfileForm
from agents.model_clients import probe as probing
from agents.model_clients.profiles import check_connection
from agents.models import Agent, ModelProfile
from agents.testing import Drop, Hang, HttpError, Raw, ServerScript, scripted_server
from agents.testing.script import Line
from agents.testing.server import rules_script
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.hostile_servers import LONG
from tests.factories import UserFactory

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore"),  # what litellm's own code warns of
]

KEY = "sk-very-secret"
LIST = reverse("admin:agents_modelprofile_changelist")
FIELDS: dict[str, Any] = {
    "name": "New",
    "model": "m",
    "base_url": "https://models.example/v1",
    "sort_order": 0,
    "timeout_seconds": 60,
    "connect_timeout_seconds": 10,
    "first_byte_timeout_seconds": 60,
    "idle_timeout_seconds": 30,
    "retries": 2,
    "context_tokens": 32000,
    "stream": "on",
}


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def actor(operator: User) -> Actor:
    return Actor(user=operator, origin=Origin.ADMIN, role="operator")


def make(**fields: Any) -> ModelProfile:
    return ModelProfile.objects.create(**{"name": "Local", "model": "m", **fields})


def page(profile: ModelProfile, name: str) -> str:
    address = reverse("admin:agents_modelprofile_change", args=[profile.pk])
    return address.replace("/change/", f"/{name}/")


# --- What can be written ---


@pytest.mark.parametrize(
    ("field", "change", "code"),
    [
        ("model", {"base_url": "", "model": "nonsense"}, "unknown_model"),
        ("model", {"base_url": "", "model": "nobody/gpt"}, "unknown_model"),
        ("model", {"model": "rules"}, "no_address"),
        ("base_url", {"base_url": "ftp://models.example/"}, "scheme"),
        ("base_url", {"base_url": "https://me:pass@models.example/v1"}, "secret"),
        ("base_url", {"base_url": "https://models.example/v1?key=1"}, "address"),
        ("base_url", {"base_url": "http://models.example/v1", "external": "on"}, "not_https"),
        ("api_key_env", {"api_key_env": "GATEHOUSE_SECRET_KEY"}, "name"),
        ("api_key_env", {"api_key_env": "DATABASE_URL"}, "name"),
        ("api_key_env", {"api_key_env": "HOME"}, "name"),
        ("api_key_env", {"api_key_env": "sk-abc"}, "name"),
        ("timeout_seconds", {"timeout_seconds": 0}, "min_value"),
        ("retries", {"retries": 99}, "max_value"),
        ("input_price_usd", {"input_price_usd": "-1"}, "min_value"),
        ("context_tokens", {"context_tokens": 5}, "min_value"),
    ],
)
def test_what_can_not_work_is_refused(field: str, change: dict[str, Any], code: str) -> None:
    form = ModelProfileForm(FIELDS | change)
    assert not form.is_valid()
    assert [error.code for error in form.errors.as_data()[field]] == [code]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"base_url": "", "model": "openai/gpt-4o", "external": "on"},
        {"base_url": "", "model": "rules"},
        {"base_url": "http://localhost:8080/v1"},
        {"base_url": "http://localhost:8080/v1", "model": "openai/rules"},
        {"api_key_env": "GATEHOUSE_MODEL_API_KEY"},
        {"api_key_env": "HF_TOKEN", "input_price_usd": "0.15", "output_price_usd": "0"},
    ],
)
def test_what_can_work_is_saved(change: dict[str, Any]) -> None:
    form = ModelProfileForm(FIELDS | change)
    assert form.is_valid(), form.errors
    form.save()


def test_the_offline_model_is_never_external() -> None:
    form = ModelProfileForm(FIELDS | {"base_url": "", "model": "rules", "external": "on"})
    assert form.is_valid(), form.errors
    assert form.save().external is False


def test_a_fallback_outside_needs_leave() -> None:
    cloud = make(name="Cloud", external=True)
    inside = FIELDS | {"fallback": cloud.pk}
    form = ModelProfileForm(inside)
    assert "“Cloud” is external, and content of “New” stays inside." in str(form.errors["fallback"])
    assert ModelProfileForm(inside | {"fallback_may_leave": "on"}).is_valid()
    assert ModelProfileForm(inside | {"external": "on"}).is_valid()


def test_leave_is_needed_all_along_the_chain() -> None:
    cloud = make(name="Cloud", external=True)
    address = "http://127.0.0.1:1/v1"
    spare = make(name="Spare", external=False, fallback=cloud, base_url=address)
    form = ModelProfileForm(FIELDS | {"fallback": spare.pk, "fallback_may_leave": "on"})
    assert "content of “Spare” stays inside" in str(form.errors["fallback"])


def test_fallbacks_make_no_circle_and_no_long_chain() -> None:
    first = make(name="A")
    second = make(name="B", fallback=first)
    outside = FIELDS | {"external": "on"}
    form = ModelProfileForm(outside | {"name": "A", "fallback": second.pk}, instance=first)
    assert "A → B → A" in str(form.errors["fallback"])
    itself = ModelProfileForm(FIELDS | {"fallback": first.pk}, instance=first)
    assert not itself.is_valid()
    chain = second
    for name in ("C", "D"):
        chain = make(name=name, fallback=chain)
    assert "At most three" in str(
        ModelProfileForm(outside | {"fallback": chain.pk}).errors["fallback"]
    )


def test_a_variable_that_is_not_set_is_said_and_its_value_never(
    console: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_MODEL_KEY", raising=False)
    body = FIELDS | {"api_key_env": "MY_MODEL_KEY"}
    told = console.post(reverse("admin:agents_modelprofile_add"), body, follow=True)
    assert "MY_MODEL_KEY is not set where Gatehouse runs" in told.content.decode()
    assert "not set" in console.get(LIST).content.decode()
    monkeypatch.setenv("MY_MODEL_KEY", KEY)
    profile = ModelProfile.objects.get()
    for address in (LIST, page(profile, "change"), page(profile, "check")):
        text = console.get(address).content.decode()
        assert "is not set" not in text
        assert KEY not in text


# --- Test connection ---


def test_a_model_that_answers_shows_how_fast_and_what_it_can(console: Client) -> None:
    with scripted_server(rules_script()) as (base_url, script):
        profile = make(base_url=base_url, input_price_usd=1)
        before = console.get(page(profile, "check"))
        assert script.bodies == []  # looking sends nothing
        after = console.post(page(profile, "check")).content.decode()
    assert "What stands here" not in before.content.decode()
    for words in ("It answers", "Local (m)", "Calls functions", "yes"):
        assert words in after
    assert len(script.bodies) == 1
    event = AuditEvent.objects.get(action="model_profile.tested")
    assert (event.outcome, event.target_id) == ("succeeded", str(profile.pk))
    assert event.metadata["calls_tools"] is True


def test_one_that_only_talks_is_said_to(console: Client) -> None:
    with scripted_server(ServerScript(["42!"], usage=False)) as (base_url, _script):
        text = console.post(page(make(base_url=base_url), "check")).content.decode()
    assert "It did not call the function" in text
    assert "estimated: the server does not say" in text
    assert "42!" in text


FAILURES: list[tuple[Line, str, str]] = [
    (HttpError(401, f"Incorrect key: {KEY}"), "model_key_refused", "Is the key in MY_MODEL_KEY"),
    (HttpError(404, "no model m"), "model_not_found", "/models"),
    (HttpError(429), "model_rate_limited", "balance"),
    (HttpError(400, "tools are not supported"), "model_refused", "stands above"),
    (Drop(LONG, pieces=0), "model_unreachable", "container"),
    (Raw([b"<html>"], content_type="text/html"), "model_answer_invalid", "usually ends in /v1"),
    (Raw(status=301, headers={"Location": "/v2"}), "model_redirected", "into the base URL"),
]


@pytest.mark.parametrize(("line", "code", "hint"), FAILURES, ids=lambda value: str(value)[:30])
def test_one_that_fails_shows_what_it_said_and_what_helps(
    line: Line, code: str, hint: str, console: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_MODEL_KEY", KEY)
    with scripted_server([line, "never"]) as (base_url, script):
        profile = make(base_url=base_url, api_key_env="MY_MODEL_KEY", retries=3)
        text = console.post(page(profile, "check")).content.decode()
    assert len(script.bodies) == 1  # no retries: somebody waits
    assert code in text
    if code == "model_redirected":
        assert "301 to /v2" in text
    assert hint in text
    assert KEY not in text
    event = AuditEvent.objects.get(action="model_profile.tested")
    assert (event.outcome, event.reason_code) == ("failed", code)
    assert KEY not in str(event.metadata)


def test_a_key_that_comes_back_in_the_answer_is_not_shown(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_MODEL_KEY", KEY)
    with scripted_server([f"You are {KEY}, I think."]) as (base_url, _script):
        profile = make(name=f"Local {KEY}", base_url=base_url, api_key_env="MY_MODEL_KEY")
        result = check_connection(actor, profile)
    assert result.text == "You are ***, I think."
    assert result.model == "Local *** (m)"


def test_a_model_that_hangs_is_given_up(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server([Hang()]) as (base_url, _script):
        result = check_connection(actor, make(base_url=base_url, timeout_seconds=1))
    assert result.error is not None
    assert result.error.code == "model_timeout"


def test_the_test_has_a_deadline_of_its_own() -> None:
    hold = threading.Event()

    class Sleepy:
        def stream(self, request: object) -> Any:
            hold.wait(20)
            yield from ()

    result = probing.probe(Sleepy(), seconds=0.1)  # type: ignore[arg-type]  # half a client
    hold.set()
    assert result.error is not None
    assert result.error.code == "model_timeout"


def test_only_the_profile_itself_is_tested(actor: Actor) -> None:
    with scripted_server([HttpError(500)]) as (down, _), scripted_server() as (up, other):
        profile = make(base_url=down, fallback=make(name="Spare", base_url=up))
        assert not check_connection(actor, profile).ok
    assert other.bodies == []


# --- Duplicate ---


def test_a_profile_is_duplicated_under_a_name_of_its_own(console: Client) -> None:
    profile = make(base_url="https://models.example/v1", retries=5)
    assert console.get(page(profile, "duplicate")).status_code == 200
    assert ModelProfile.objects.count() == 1
    for name in ("Local (copy)", "Local (copy 2)"):
        answer = console.post(page(profile, "duplicate"))
        copy = ModelProfile.objects.get(name=name)
        assert answer.headers["Location"] == page(copy, "change")
        assert (copy.base_url, copy.retries) == (profile.base_url, 5)
    event = AuditEvent.objects.filter(reason_code="duplicated").first()
    assert event is not None
    assert event.metadata["source"] == str(profile.pk)


# --- Who may ---


@pytest.mark.parametrize("name", ["check", "duplicate"])
def test_whoever_may_only_look_can_not_act(name: str, client: Client) -> None:
    looker = UserFactory.create(is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_modelprofile"))
    client.force_login(looker)
    with scripted_server() as (base_url, script):
        profile = make(base_url=base_url)
        assert client.get(page(profile, "change")).status_code == 200
        for answer in (client.get(page(profile, name)), client.post(page(profile, name))):
            assert answer.status_code == 403
    assert script.bodies == []
    assert ModelProfile.objects.count() == 1


# --- Lists ---


def test_lists_say_who_is_asked_in_which_order(console: Client) -> None:
    spare = make(name="Spare", external=False)
    local = make(name="Desk", external=False, fallback=spare)
    Agent.objects.create(slug="guide", name="Guide", model_profile=local)
    assert "Spare" in console.get(LIST).content.decode()
    agents = console.get(reverse("admin:agents_agent_changelist")).content.decode()
    assert "Desk → Spare" in agents


def test_an_agent_without_a_profile_says_what_it_speaks_with(console: Client) -> None:
    Agent.objects.create(slug="guide", name="Guide")
    agents = console.get(reverse("admin:agents_agent_changelist")).content.decode()
    assert "offline (rules)" in agents
