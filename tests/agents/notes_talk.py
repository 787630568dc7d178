"""Meeting notes in a conversation of somebody's; each message is driven as far as it goes."""

from typing import Any
from uuid import UUID

from agents.actions import confirm
from agents.models import Message, Run
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.grants import Permission
from skills.models import SkillRun, WorkflowSession
from tests.agents.conftest import Turn, go_on
from tools.models import ActionDraft

WRITE = Permission(skill_id="meeting-notes", code="document:write")


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


class Talk:
    def __init__(self, turn: Turn, user: User) -> None:
        self.turn, self.user = turn, user
        self.conversation_id: UUID | None = None
        self.run = Run()

    def say(self, text: str, **more: Any) -> str:
        self.run = self.turn(self.user, text, conversation_id=self.conversation_id, **more)
        self.conversation_id = self.run.conversation_id
        return self.answer(self.run)

    def answer(self, run: Run) -> str:
        found = Message.objects.filter(run=run, role="assistant").first()
        return found.text if found else ""

    def confirm(self) -> str:
        self.decide("c")
        return self.answer(go_on(self.run))

    def decide(self, key: str) -> ActionDraft:
        """She confirms; the run has not gone on yet."""
        draft = ActionDraft.objects.get(state="draft")
        return confirm(
            page(self.user), draft.pk, expected_version=draft.version, idempotency_key=key
        )

    def until_the_card(self) -> ActionDraft:
        for text in ("/meeting-notes", "Budget 2027", "Ann, Bob", "Spend less", "Ann: cut costs"):
            self.say(text)
        assert self.run.status == "waiting"
        return ActionDraft.objects.get(state="draft")


def session() -> WorkflowSession:
    return WorkflowSession.objects.get()


def use() -> SkillRun:
    return SkillRun.objects.get()
