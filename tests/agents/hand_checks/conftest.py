"""Alice, at the API with a token and on the chat page; the offline model answers her."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone

from agents.models import Agent, Run
from config.base.models import Scope, User
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from tests.tools.api import Api

RECALL, READ_MEMORIES = "memory-recall", "memory:read"
CHECK_IN, REMIND = "goal-check-in-reminder", "proactive_message:write"
JOBS = "/api/skills/background-jobs/"


@dataclass
class Person:
    """What she does, each by one request; whatever is not accepted fails the test."""

    user: User
    agent: Agent
    api: Api
    page: Client

    def asks(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        answered, told = self.api(method, path, body)
        assert answered == status, told
        return told

    def results(self, path: str) -> list[Any]:
        found: list[Any] = self.asks("GET", path)["results"]
        return found

    def says(self, text: str) -> str:
        """To the API; the agent's answer."""
        told: str = self.asks("POST", "/api/agent/messages/", {"text": text})["answer"]
        return told

    def types(self, text: str) -> str:
        """On the page; what its thread shows then, her own words included."""
        response = self.page.post("/chat/send/", {"text": text}, follow=True)
        thread = BeautifulSoup(response.content, "html.parser").select_one("#thread")
        assert thread is not None
        for link in thread.select("a"):
            link.append(f" ({link['href']})")
        return " ".join(thread.get_text(" ").split())

    def permits(self, skill_id: str, code: str, *, granted: bool = True) -> None:
        body = {"skill_id": skill_id, "code": code, "scope": "user", "granted": granted}
        self.asks("PATCH", "/api/skills/permissions/", body)

    def switches(self, skill_id: str, *, enabled: bool) -> None:
        body = {"skill_id": skill_id, "enabled": enabled}
        self.asks("PATCH", "/api/skills/bindings/", body)

    def orders(self, *, status: int = 201, note: str = "The first chapter") -> Any:
        """A reminder in a few minutes."""
        due = (timezone.now() + timedelta(minutes=3)).isoformat()
        body = {"skill_id": CHECK_IN, "agent": str(self.agent.pk), "scheduled_at": due}
        return self.asks("POST", JOBS, {**body, "note": note}, status=status)

    def job(self, job_id: str) -> Any:
        return self.asks("GET", f"{JOBS}{job_id}/")

    def reminders(self) -> list[Any]:
        """In all of her conversations."""
        told = []
        for conversation in self.results("/api/agent/conversations/"):
            url = f"/api/agent/conversations/{conversation['id']}/messages/"
            told += [one for one in self.results(url) if one["role"] == "reminder"]
        return told

    def unread(self) -> int:
        return sum(one["unread"] for one in self.results("/api/agent/conversations/"))


@pytest.fixture
def person_of(guide: Agent, inline_runs: None) -> Callable[[User], Person]:
    def make(user: User) -> Person:
        page = Client()
        page.force_login(user)
        scopes = [Scope.AGENT.value, Scope.SKILLS.value]
        return Person(user, guide, Api(user, scopes), page)

    return make


@pytest.fixture
def her(person_of: Callable[[User], Person], alice: User) -> Person:
    return person_of(alice)


def time_passes(job_id: str) -> list[Job]:
    """The reminder's time, or that of its next attempt, has come, and a worker sweeps."""
    make_due(Job.objects.get(pk=job_id))
    return run_due_jobs()


def last_run() -> Run:
    return Run.objects.latest("created_at")
