"""The response to a turn: one shape for text and stream (seed 3), from the rows."""

from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from agents.models import MessageRole, ResponseStatus, Run, RunStatus
from agents.runs.fence import stored_key
from agents.runs.sources import Sources, sources_of
from tools.drafts.represent import draft_json
from tools.enums import DraftKind, DraftState
from tools.models import ActionDraft, ToolCall

type JSON = dict[str, Any]

_ANSWER = "SELECT text FROM agents_message WHERE run_id = %s AND role = %s"


def build_response(run: Run) -> JSON:
    """As the run stands now; a finished run's response no longer changes but for its drafts."""
    has_called = _has_called(run)
    drafts = waiting_drafts(run) if has_called else []
    shown = [draft_json(draft) for draft in drafts]
    sources = sources_of(run) if has_called else Sources()
    response: JSON = {
        **_empty(),
        "run_id": str(run.pk),
        "conversation_id": str(run.conversation_id) if run.conversation_id else None,
        "context_version": run.context_version,
        "intent": run.intent,
        "status": response_status(run, drafts),
        "answer": _answer(run),
        "source_summary": sources.summary,
        "citations": sources.citations,
        "resources": sources.resources,
        "data": {"decisions": _denials(run) if has_called else []},
        "action_draft": shown[0] if shown else None,
        "error": _error(run),
        "warnings": run.warnings,
        "usage": {
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost_usd": str(run.cost_usd) if run.cost_usd is not None else None,
            "estimated": run.usage_estimated,
        },
    }
    if len(shown) > 1:
        response["action_drafts"] = shown
    return response


def ask_for_project(question: str, choices: list[JSON]) -> JSON:
    """Before there is a run: it can't begin until the person has said in which project."""
    field = {
        "name": "project",
        "label": _("Project"),
        "kind": "choice",
        "choices": [{"value": one["slug"], "label": one["name"]} for one in choices],
    }
    return {
        **_empty(),
        "status": ResponseStatus.NEEDS_INPUT,
        "clarification": {"question": question, "fields": [field]},
    }


def _empty() -> JSON:
    return {
        "run_id": None,
        "conversation_id": None,
        "context_version": 0,
        "intent": "",
        "status": "",
        "answer": "",
        "source_summary": [],
        "citations": [],
        "resources": [],
        "data": {"decisions": []},
        "action_draft": None,
        "clarification": None,
        "next_actions": [],
        "error": None,
        "warnings": [],
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": None, "estimated": False},
    }


def waiting_drafts(run: Run) -> list[ActionDraft]:
    drafts = ActionDraft.objects.waiting().filter(call__run_id=run.pk)
    return list(drafts.select_related("call__tool", "owner").order_by("created_at", "pk"))


def response_status(run: Run, drafts: list[ActionDraft]) -> str:
    if run.is_finished:
        return run.response_status
    if run.status != RunStatus.WAITING or not drafts:
        return ResponseStatus.RUNNING
    if any(draft.kind == DraftKind.CONSENT for draft in drafts):
        return ResponseStatus.NEEDS_CONSENT
    if all(draft.state == DraftState.NEEDS_INPUT for draft in drafts):
        return ResponseStatus.NEEDS_INPUT
    return ResponseStatus.NEEDS_CONFIRMATION


def _answer(run: Run) -> str:
    """Read twice in each turn, so not composed anew."""
    with connection.cursor() as cursor:
        cursor.execute(_ANSWER, [stored_key(run.pk), MessageRole.ASSISTANT.value])
        row = cursor.fetchone()
    return row[0] if row else ""


def _error(run: Run) -> JSON | None:
    if not run.error_code:
        return None
    return {"code": run.error_code, "message": run.error_message}


def _has_called(run: Run) -> bool:
    """Asked of each turn, and most have not: then there are no drafts and no decisions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM tools_toolcall WHERE run_id = %s LIMIT 1", [stored_key(run.pk)]
        )
        return cursor.fetchone() is not None


def _denials(run: Run) -> list[JSON]:
    denied = ToolCall.objects.filter(run_id=run.pk, status="denied").order_by("created_at", "pk")
    return [{"tool": call.tool_slug, **(call.told_decision or {})} for call in denied]
