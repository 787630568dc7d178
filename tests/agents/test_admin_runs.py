"""The list of runs: found by how they ended, who answered and what they took."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent, Conversation, Run, RunStatus, RunStep
from config.base.models import User
from tests.plans import analyze

pytestmark = pytest.mark.django_db

LIST = reverse("admin:agents_run_changelist")


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def runs(alice: User, bob: User) -> dict[str, Run]:
    guide = Agent.objects.create(slug="guide", name="Guide")
    clerk = Agent.objects.create(slug="clerk", name="Clerk")
    common = {"origin": "chat"}
    return {
        "fine": Run.objects.create(
            **common,
            owner=alice,
            agent=guide,
            status=RunStatus.COMPLETED,
            response_status="COMPLETED",
            model="Office (m)",
            input_tokens=1234,
            output_tokens=56,
            cost_usd=Decimal("0.001230"),
            usage_estimated=True,
        ),
        "down": Run.objects.create(
            **common,
            owner=bob,
            agent=clerk,
            status=RunStatus.FAILED,
            response_status="UNAVAILABLE",
            error_code="model_timeout",
        ),
        "refused": Run.objects.create(
            **common,
            owner=alice,
            agent=clerk,
            status=RunStatus.FAILED,
            response_status="FAILED",
            error_code="model_refused",
        ),
    }


def found(console: Client, runs: dict[str, Run], **query: Any) -> set[str]:
    answer = console.get(LIST, query)
    assert answer.status_code == 200
    keys = {row.pk for row in answer.context["cl"].result_list}
    return {name for name, run in runs.items() if run.pk in keys}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, {"fine", "down", "refused"}),
        ({"status": "failed"}, {"down", "refused"}),
        ({"answer": "UNAVAILABLE"}, {"down"}),
        ({"error": "any"}, {"down", "refused"}),
        ({"error": "model_timeout"}, {"down"}),
        ({"error": "model_failed"}, set()),
        ({"user": "alice"}, {"fine", "refused"}),
        ({"user": "alice", "status": "failed"}, {"refused"}),
        ({"user": "nobody"}, set()),
        ({"agent": "nonsense"}, set()),
        ({"since": "nonsense"}, set()),
    ],
)
def test_runs_are_found_by_how_they_ended(
    query: dict[str, Any], expected: set[str], console: Client, runs: dict[str, Run]
) -> None:
    assert found(console, runs, **query) == expected


def test_runs_are_found_by_agent_and_time(console: Client, runs: dict[str, Run]) -> None:
    down = runs["down"]
    assert found(console, runs, agent=str(down.agent_id)) == {"down", "refused"}
    Run.objects.filter(pk=down.pk).update(created_at=timezone.now() - timedelta(days=3))
    day_ago = (timezone.now() - timedelta(days=1)).isoformat()
    assert found(console, runs, since=day_ago) == {"fine", "refused"}
    assert found(console, runs, until=day_ago) == {"down"}


@pytest.fixture
def history(alice: User, bob: User) -> None:
    common = {"origin": "chat", "status": RunStatus.COMPLETED}
    runs = [Run(owner=bob, **common) for _ in range(2000)]
    runs += [Run(owner=alice, **common) for _ in range(20)]
    runs += [Run(owner=bob, error_code="bug", **common) for _ in range(20)]
    Run.objects.bulk_create(runs)
    analyze(Run)


@pytest.mark.both
@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("query", "index"),
    [
        ({}, "run_newest"),
        ({"error": "bug"}, "run_by_error"),
        ({"error": "any"}, "run_by_error"),
        ({"user": "alice"}, "run_by_owner"),
    ],
)
def test_each_page_is_read_from_an_index(operator: User, query: dict[str, str], index: str) -> None:
    request = RequestFactory().get(LIST, query)
    request.user = operator
    changelist = admin.site.get_model_admin(Run).get_changelist_instance(request)
    assert index in changelist.get_queryset(request)[:50].explain()


def test_a_row_says_who_answered_and_what_it_took(console: Client, runs: dict[str, Run]) -> None:
    text = console.get(LIST).content.decode()
    for words in ("Office (m)", "≈ 1,234 / 56", "≈ 0.00123", "model_timeout"):
        assert words in text


def test_a_run_shows_its_steps_without_what_was_said(
    console: Client, runs: dict[str, Run], alice: User
) -> None:
    run = runs["fine"]
    assert run.agent is not None
    talk = Conversation.objects.create(owner=alice, agent=run.agent)
    for n, estimated in ((1, False), (2, True)):
        RunStep.objects.create(
            run=run,
            conversation=talk,
            n=n,
            replied=True,
            text="xyzzy",
            model="Office (m)",
            input_tokens=600 + n,
            usage_estimated=estimated,
        )
    Run.objects.filter(pk=run.pk).update(warnings=["“Office” did not answer"], tools=["fetch"])
    text = console.get(reverse("admin:agents_run_change", args=[run.pk])).content.decode()
    assert "1. Office (m) · 601 / 0 · –" in text
    assert "2. Office (m) · ≈ 602 / 0 · –" in text
    assert "“Office” did not answer" in text
    assert "xyzzy" not in text
