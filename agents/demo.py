"""The demo: people, a project, a handbook and the agent `guide`, for the first `make run`.

Only on the embedded database with DEBUG on: its passwords lie in a file. Anywhere else what that
file opens is closed by `suspend_demo`, until the demo is loaded again.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Model
from pydantic import TypeAdapter

from agents.demo_knowledge import load_knowledge
from agents.memories.services import create_memory
from agents.models import Agent, AgentTool, Memory
from config.base import audit
from config.base.actor import Actor, Origin
from config.base.errors import NotPermitted
from config.base.models import ApiToken, Membership, Project, Role, Scope, User
from config.base.tokens import create_token, find_token, revoke_token
from tools.models import Tool

OPERATOR = "operator"
PEOPLE = {
    "alice": Role.EMPLOYEE,
    "bob": Role.EMPLOYEE,
    "sam": Role.SUPERVISOR,
    "cara": Role.CANDIDATE,
}
SUSPENDED = "suspended"  # in the file: it was us who switched this person off
# What alice let all agents remember, with its importance.
MEMORIES = {
    "Her goal for this quarter: a first draft of the customer handbook.": 5,
    "Prefers green tea to coffee.": 3,
    "Works from Hamburg; on Fridays she is not to be called.": 4,
    "喜欢简短、分点的回答。": 4,
}
GUIDE_TOOLS = (
    *("fetch", "calculator", "datetime", "document", "memory_capture", "memory_search"),
    *("knowledge_search", "knowledge_resource"),
)

type SignIns = dict[str, dict[str, str]]
_SIGN_INS: TypeAdapter[SignIns] = TypeAdapter(SignIns)


class DemoRefused(NotPermitted):
    """Demo users exist only with DEBUG on and without DATABASE_URL."""

    code = "demo_refused"


def demo_file() -> Path:
    home: Path = settings.HOME
    return home / "demo.json"


def is_demo_allowed() -> bool:
    return bool(settings.DEBUG and not settings.DATABASE_URL)


def load_demo() -> SignIns:
    """Make what is missing; a second time changes nothing. Raises `DemoRefused`."""
    if not is_demo_allowed():
        raise DemoRefused
    known = _read()
    with transaction.atomic():
        signins = {OPERATOR: _person(OPERATOR, known, staff=True)}
        project, new = Project.objects.get_or_create(slug="demo", defaults={"name": "Demo"})
        if new:
            _record_made(project)
        for name, role in PEOPLE.items():
            signins[name] = _person(name, known, staff=False)
            user = User.objects.get(username=name)
            membership, new = Membership.objects.get_or_create(
                user=user, project=project, defaults={"role": role}
            )
            if new:
                _record_made(membership)
        alice, bob = (User.objects.get(username=name) for name in ("alice", "bob"))
        _memories(alice, _guide())
        load_knowledge(alice, bob)
        if signins != known:
            _write(signins)
    return signins


def _record_made(row: Model) -> None:
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=None,
        target=(str(row._meta.model_name), str(row.pk)),
        reason_code="demo_loaded",
        metadata={"fields": ["created"]},
    )


def suspend_demo() -> list[str]:
    """Switch off everybody whom the file lets in; their names. A second time changes nothing.

    Goes by what the file opens, not by its names: here an `alice` may be somebody else. Who has
    changed their password keeps the account and loses the token that lies in the file.
    """
    known = _read()
    found: list[str] = []
    with transaction.atomic():
        for user in User.objects.filter(username__in=known, is_active=True).order_by("username"):
            signin = known[user.username]
            token = find_token(signin.get("token", ""))
            if user.check_password(signin.get("password", "")):
                _switch(user, active=False)
                signin[SUSPENDED] = "1"
                found.append(user.username)
            elif token is not None and token.user == user:
                revoke_token(token, actor=Actor(user=user, origin=Origin.ADMIN))
        if found:
            _write(known)
    return found


def _switch(user: User, *, active: bool) -> None:
    User.objects.filter(pk=user.pk).update(is_active=active)
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=None,
        target=("user", user.pk),
        reason_code="demo_loaded" if active else "demo_suspended",
        metadata={"fields": ["is_active"]},
    )


def _read() -> SignIns:
    try:
        return _SIGN_INS.validate_json(demo_file().read_bytes())
    except (FileNotFoundError, ValueError):
        return {}


def _write(signins: SignIns) -> None:
    """In one step, readable by the owner only."""
    scratch = demo_file().with_suffix(f".{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(signins, file, indent=2)
    scratch.replace(demo_file())


def _person(name: str, known: SignIns, *, staff: bool) -> dict[str, str]:
    """What the file says, or a new password and token.

    A password that the file knows is not tried: five hashes would take longer than all the rest of
    starting, and one that somebody has changed since is theirs.
    """
    user, created = User.objects.get_or_create(
        username=name, defaults={"is_staff": staff, "is_superuser": staff}
    )
    old: dict[str, Any] = dict(known.get(name, {}))
    if old.pop(SUSPENDED, "") and not user.is_active:
        _switch(user, active=True)
    if not created and old.get("password"):
        if find_token(old.get("token", "")):
            return old
        return {"password": old["password"], "token": _token(user)}
    if created:
        _record_made(user)
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    return {"password": password, "token": _token(user)}


def _token(user: User) -> str:
    actor = Actor(user=user, origin=Origin.ADMIN)
    for old in ApiToken.objects.filter(user=user, name="demo", revoked_at=None):
        revoke_token(old, actor=actor)
    return create_token(user, actor=actor, name="demo", scopes=Scope.values)[1]


def _guide() -> Agent:
    guide, created = Agent.objects.get_or_create(
        slug="guide",
        defaults={
            "name": "Guide",
            "instructions": "Help the user with pages, arithmetic, dates, their documents and "
            "what the files of the knowledge say.",
        },
    )
    if not created:
        return guide  # an operator's changes stay
    _record_made(guide)
    for tool in Tool.objects.filter(slug__in=GUIDE_TOOLS):
        _record_made(AgentTool.objects.create(agent=guide, tool=tool))
    return guide


def _memories(user: User, guide: Agent) -> None:
    """Once: what was forgotten since stays forgotten."""
    if Memory.objects.for_user(user).exists():
        return
    actor = Actor(user=user, origin=Origin.ADMIN)
    for text, importance in MEMORIES.items():
        create_memory(actor, text, importance=importance)
    create_memory(actor, "Wants dates with the weekday.", agent_id=guide.pk)
