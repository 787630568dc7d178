"""A conversation as its page shows it: messages, what was done, the cards in between."""

from collections import defaultdict
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from agents.model_clients.rules.texts import says_tools_are_off
from agents.models import Conversation, Message, MessageRole, Run, RunStatus, RunStep
from agents.runs.describe import describe_call
from agents.runs.keys import call_key
from agents.runs.sources import readable_files, told_sources
from agents.selectors import list_conversations, list_messages
from agents.views.addresses import link_in_html, link_in_text
from agents.views.cards import card_of, card_urls
from config.base.models import User
from documents.rendering import render_markdown
from skills.workflows.shown import show_open
from tools.enums import OPEN_STATUSES, CallStatus
from tools.models import ActionDraft, ToolCall
from tools.models.draft import WAITING
from tools.schemas import JSON

type Entry = dict[str, Any]

_SIDEBAR = 40  # conversations listed beside the thread
_SHOWN_MESSAGES = 200  # of a long conversation its end


def thread_context(user: User, conversation: Conversation | None) -> dict[str, Any]:
    """The context of chat/_thread.html, in a number of queries that no length changes."""
    context: dict[str, Any] = {
        "conversation": conversation,
        "conversations": sidebar(user, conversation),
        "shown": 0,
        "entries": [],
        "workflows": [],
        "run": None,
        "active_run_id": "",
        "last_event_id": "",
    }
    if conversation is None:
        return context
    work = _Work(user, conversation)
    context["workflows"] = show_open(user, conversation.pk)
    context["entries"] = entries = _entries(conversation, work)
    shown = (e["message"]["position"] for e in entries if e["kind"] == "message")
    context["shown"] = max(shown, default=0)
    run = work.newest_run
    if run is not None:
        context["run"] = run_status(run, _asked(entries), _said_last(entries))
        context["active_run_id"] = str(run.pk) if work.goes_on(run) else ""
        context["last_event_id"] = run.last_seq
    return context


def sidebar(user: User, opened: Conversation | None = None) -> list[dict[str, Any]]:
    """What is open is being read."""
    rows = list(list_conversations(user)[:_SIDEBAR])
    waiting = set(
        ActionDraft.objects.for_user(user)
        .filter(state__in=WAITING, call__conversation_id__in=[row.pk for row in rows])
        .values_list("call__conversation_id", flat=True)
    )
    return [
        {
            "id": row.pk,
            "title": row.title,
            "unread": 0 if opened and row.pk == opened.pk else row.unread,
            "waiting": row.pk in waiting,
        }
        for row in rows
    ]


def run_status(run: Run, asked: str = "", said: str = "") -> dict[str, Any]:
    """`asked` is the person's message, for asking again what failed; `said` the last answer."""
    error = {"code": run.error_code, "message": run.error_message} if run.error_code else None
    return {
        "id": run.pk,
        "status": run.status,
        "error": error,
        "advice": _advice(run.error_code),
        "retry": asked if run.error_code not in _IN_VAIN else "",
        "enable_tools": run.enable_tools,
        "with_tools": asked if not run.enable_tools and says_tools_are_off(said) else "",
    }


# Where sending the same again would end the same way.
_IN_VAIN = {
    *("budget_exceeded", "agent_gone", "model_context_exceeded", "model_key_refused"),
    *("model_not_found", "model_redirected", "model_refused"),
}


def _advice(code: str) -> str:
    if code == "budget_exceeded":
        return _("What it had done before stays done. Your operator can raise the budget.")
    if code == "model_context_exceeded":
        return _("Begin a new conversation, and say there what matters of this one.")
    if code in _IN_VAIN:
        return _("It will not work until your operator has mended it; tell them the word below.")
    return _("What it had done before stays done and is listed above.")


class _Work:
    """Runs, steps, calls and drafts of one conversation, read once."""

    def __init__(self, user: User, conversation: Conversation) -> None:
        self.runs = list(Run.objects.filter(conversation=conversation).order_by("created_at", "pk"))
        self.steps: dict[UUID, list[RunStep]] = defaultdict(list)
        for step in RunStep.objects.filter(conversation=conversation).order_by("n"):
            self.steps[step.run_id].append(step)
        self.calls = {
            call.idempotency_key: call
            for call in ToolCall.objects.filter(conversation_id=conversation.pk)
        }
        self.calls_of: dict[UUID, list[ToolCall]] = defaultdict(list)
        for call in sorted(self.calls.values(), key=lambda call: (call.created_at, call.pk)):
            if call.run_id:
                self.calls_of[call.run_id].append(call)
        self.readable = readable_files(user, self.calls.values())
        self.drafts: dict[UUID, list[ActionDraft]] = defaultdict(list)
        drafts = ActionDraft.objects.filter(call__conversation_id=conversation.pk)
        for draft in drafts.select_related("call__tool", "owner").order_by("created_at", "pk"):
            if draft.call.run_id:
                self.drafts[draft.call.run_id].append(draft)

    @property
    def newest_run(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    def goes_on(self, run: Run) -> bool:
        """By itself, without the person."""
        if run.status in (RunStatus.QUEUED, RunStatus.RUNNING):
            return True
        opened = {c.status for c in self.calls.values() if c.run_id == run.pk} & set(OPEN_STATUSES)
        return run.status == RunStatus.WAITING and opened <= {CallStatus.RUNNING}

    def sources_of(self, run: Run) -> list[JSON]:
        steps = {step.n: step for step in self.steps[run.pk]}
        return told_sources(self.calls_of[run.pk], steps, self.readable).summary

    def of_run(self, run: Run) -> list[Entry]:
        entries: list[Entry] = []
        lines = [line for step in self.steps[run.pk] for line in self._lines(run, step)]
        if lines:
            steps = {"kind": "steps", "run_id": run.pk, "steps": lines}
            entries.append({**steps, "open": not run.is_finished})
        entries += [
            {"kind": "draft", "draft": card_of(draft), "card_urls": card_urls(draft)}
            for draft in self.drafts[run.pk]
        ]
        return entries

    def _lines(self, run: Run, step: RunStep) -> list[dict[str, Any]]:
        return [
            self._line(
                self.calls.get(call_key(run.pk, step.n, index)),
                call,
                step.results.get(str(index)) or {},
            )
            for index, call in enumerate(step.tool_calls)
        ]

    @staticmethod
    def _line(call: ToolCall | None, asked: JSON, told: JSON) -> dict[str, Any]:
        status = call.status if call else CallStatus.OPEN
        return {
            "tool": asked["name"],
            "title": describe_call(asked["name"], asked["arguments"]),
            "status": "running" if status in (CallStatus.OPEN, CallStatus.RUNNING) else status,
            "status_label": CallStatus(status).label,
            "duration_ms": call.duration_ms if call else None,
            "detail": str(told.get("error", {}).get("message", ""))[:200],
        }


def _entries(conversation: Conversation, work: _Work) -> list[Entry]:
    rows = list(list_messages(conversation).order_by("-position")[:_SHOWN_MESSAGES])[::-1]
    runs = {run.pk: run for run in work.runs}
    entries: list[Entry] = []
    for message in rows:
        shown = message_json(message, runs)
        if message.role == MessageRole.ASSISTANT and message.run_id in runs:
            shown["sources"] = work.sources_of(runs[message.run_id])
        entries.append({"kind": "message", "message": shown})
        if message.role == MessageRole.USER and message.run_id in runs:
            entries += work.of_run(runs[message.run_id])
    return entries


def _asked(entries: list[Entry]) -> str:
    own = [e["message"] for e in entries if e["kind"] == "message"]
    return next((m["text"] for m in reversed(own) if m["role"] == MessageRole.USER), "")


def _said_last(entries: list[Entry]) -> str:
    last = entries[-1] if entries else None
    return str(last["message"]["text"]) if last and last["kind"] == "message" else ""


def message_json(message: Message, runs: dict[UUID, Run]) -> dict[str, Any]:
    by_agent = message.role == MessageRole.ASSISTANT
    run = runs.get(message.run_id) if message.run_id else None
    return {
        "id": message.pk,
        "position": message.position,
        "role": message.role,
        "text": message.text,
        "html": link_in_html(render_markdown(message.text)) if by_agent else "",
        "linked": link_in_text(message.text) if message.role == MessageRole.NOTICE else "",
        "created_at": message.created_at,
        "warnings": [
            link_in_text(warning)
            for warning in (run.warnings if run and by_agent else [])
            if warning not in message.text
        ],
        "model": run.model if run and by_agent else "",
    }
