"""What one audit event costs its writer, and the explorer its reader, beside a million others.

`python -m bench.appends ROWS` works on a database of its own (DATABASE_URL: on that one) and prints
one line of JSON.
"""

import json
import sys
import time
from typing import Any

from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

import tests.isolation  # noqa: F401  (first: a home of its own)
from bench.audit_rows import fill_audit
from bench.decisions import measure_decisions
from bench.figures import median, p95
from config.base import audit
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from skills.models import AuditEvent, AuditSubject
from tests.processes.people import person

ROUNDS, WARM_UP, LOOKS = 1000, 100, 3


def main() -> None:
    call_command("migrate", verbosity=0)
    fill_audit(int(sys.argv[1]))
    user, _token = person("bench", staff=True)
    actor = Actor(user=user, origin=Origin.CHAT, run_id=uuid7(), conversation_id=uuid7())
    times = [_append(actor) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
    print(
        json.dumps(
            {
                "append": {"median": median(times), "p95": p95(times)},
                "decision": measure_decisions(),
                "explorer": _explorer(user),
            }
        )
    )


def _append(actor: Actor) -> float:
    """With its transaction: BEGIN, the insert, COMMIT."""
    started = time.perf_counter()
    with transaction.atomic():
        audit.record(
            "tool.call.succeeded",
            audit.Outcome.SUCCEEDED,
            actor=actor,
            target=("tool_call", uuid7()),
            tool="document",
            metadata={"input_sha256": "0" * 64, "effect": "inside"},
        )
    return (time.perf_counter() - started) * 1000


def _explorer(user: Any) -> dict[str, float]:
    """Milliseconds of the list, for each way to narrow it: the median of some looks."""
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    event = AuditEvent.objects.filter(outcome="denied").latest("pk")
    subject = AuditSubject.objects.get(pk=str(event.subject))
    asked: dict[str, dict[str, str]] = {
        "all": {},
        "outcome": {"outcome__exact": "denied"},
        "rare_outcome": {"outcome__exact": "failed"},
        "decision": {"decision": "needs_consent"},
        "user": {"user": subject.user.username},
        "user_denied": {"user": subject.user.username, "outcome__exact": "denied"},
        "tool": {"tool": "fetch"},
        "skill": {"skill": "memory-recall"},
        "no_skill": {"skill": "no-such"},
        "target": {"target": event.target_id},
        "reason": {"reason_code": "quota_exceeded"},
        "action": {"action": "tool.call.denied"},
        "month": {"within": "30d"},
        "day": {"within": "24h"},
        "search_word": {"q": "quota_exceeded"},
        "search_id": {"q": str(event.run_id)},
        "search_nothing": {"q": "nothing"},
    }
    return {name: _look(client, query) for name, query in asked.items()}


def _look(client: Client, query: dict[str, str]) -> float:
    times = []
    for _ in range(LOOKS):
        started = time.perf_counter()
        response = client.get(reverse("admin:skills_auditevent_changelist"), query)
        times.append((time.perf_counter() - started) * 1000)
        if response.status_code != 200:
            raise SystemExit(f"the list answered {response.status_code}")
    return median(times)


if __name__ == "__main__":
    main()
