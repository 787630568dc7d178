"""A conversation with a workflow below the agents: messages in, replies out, cards decided."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.models import User
from skills.calls import Caller
from skills.context import SkillContext
from skills.models import WorkflowSession
from skills.workflows.turns import Taken, reply, take
from skills.workflows.writing import Reply
from tests.skills.conftest import AGENT
from tools.drafts import confirm_draft, dismiss_draft
from tools.models import ActionDraft

START = "/meeting-notes"
ALL = (START, "Budget", "Ann, Bob", "Spend less", "Ann: cut costs")


class Talk:
    """One conversation, with a clock of its own."""

    def __init__(self, user: User, conversation_id: UUID | None = None) -> None:
        self.user, self.conversation_id = user, conversation_id or uuid4()
        self.now = timezone.now()
        self.heard: list[tuple[UUID, str]] = []
        self.notices: list[str] = []

    @property
    def actor(self) -> Actor:
        return Actor(
            user=self.user,
            origin=Origin.CHAT,
            agent_id=AGENT,
            conversation_id=self.conversation_id,
        )

    def say(self, text: str) -> Reply | None:
        """None for a message that no workflow takes."""
        self.heard.append((uuid4(), text))
        return self.hear(*self.heard[-1])

    def again(self, back: int = 1) -> Reply | None:
        """A message that came before comes again."""
        return self.hear(*self.heard[-back], looks_back=True)

    def hear(self, message_id: UUID, text: str, *, looks_back: bool = False) -> Reply | None:
        context = SkillContext(actor=self.actor, text=text, message_id=message_id)
        taken = self.take(context, looks_back=looks_back)
        return None if taken is None else reply(taken, context, Caller(), now=self.now)

    @transaction.atomic
    def take(self, context: SkillContext, *, looks_back: bool) -> Taken | None:
        met = take(context, now=self.now, looks_back=looks_back)
        self.notices += met.notices
        return met.taken

    def until_the_card(self) -> ActionDraft:
        last = [self.say(text) for text in ALL][-1]
        assert last is not None
        assert last.draft is not None
        return last.draft

    def wait(self, **how_long: int) -> datetime:
        self.now += timedelta(**how_long)
        return self.now

    def card(self) -> ActionDraft | None:
        return ActionDraft.objects.waiting().filter(owner=self.user).first()

    def confirm(self, draft: ActionDraft) -> None:
        confirm_draft(
            self.actor, draft.pk, expected_version=draft.version, idempotency_key=str(uuid4())
        )

    def dismiss(self, draft: ActionDraft) -> None:
        dismiss_draft(self.actor, draft.pk)

    def sessions(self) -> list[WorkflowSession]:
        rows = WorkflowSession.objects.filter(conversation_id=self.conversation_id)
        return list(rows.order_by("created_at", "pk"))

    def session(self) -> WorkflowSession:
        return self.sessions()[-1]
