"""A draft as its card shows it: `templates/partials/_draft_card.html` documents the shape."""

import json
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.errors import GatehouseError
from config.base.ids import uuid7
from tools.approvals.offer import is_offered
from tools.approvals.terms import MAX_USES
from tools.drafts.represent import answer_json, names_of
from tools.enums import DismissReason, DraftState, Effect, Risk
from tools.models import ActionDraft
from tools.registry import find_tool_type
from tools.tool_type import Choice

type Card = dict[str, Any]

_LONG = 80  # characters from which a value gets a box of several lines
_ARGUMENT = "argument-"
USUAL_USES = 5
CAPTURE = "memory_capture"


def card_of(
    draft: ActionDraft, *, error: GatehouseError | None = None, remembered: bool = False
) -> Card:
    denied = draft.reason == DismissReason.DENIED  # the card itself says why
    return {
        **_planned(draft),
        **_decided(draft),
        "idempotency_key": str(uuid7()),
        "conflict": error.message if error and error.http_status == 409 else "",
        "notice": error.message if error and error.http_status != 409 and not denied else "",
        "rememberable": is_offered(draft),
        "in_conversation": draft.call.conversation_id is not None,
        "usual_uses": USUAL_USES,
        "most_uses": MAX_USES,
        "remembered": remembered,
    }


def _planned(draft: ActionDraft) -> Card:
    """What is asked for."""
    plan, names = draft.plan, names_of(draft.call)
    return {
        "id": draft.pk,
        "kind": draft.kind,
        "version": draft.version,
        "tool": names.tool,
        "tool_type": names.type,
        "title": plan["title"],
        "scope": plan["scope"],
        "preview": plan["preview"],
        "fields": fields_of(draft),
        "missing_fields": plan["missing_fields"],
        "targets": [_target(target, draft) for target in plan["targets"]],
        "sources": plan["sources"],
        "reversible": plan["reversible"],
        "changes_nothing": plan["reversible"] and draft.call.effect == Effect.NONE,
        "risk": plan["risk"],
        "risk_label": Risk[plan["risk"]].label,
        "expires_at": draft.expires_at,
    }


def _decided(draft: ActionDraft) -> Card:
    """How far it is, and what came of it."""
    return {
        "state": draft.state,
        "state_label": _state_label(draft),
        "unrepeatable": _why_not_again(draft),
        "decision": draft.call.told_decision or {},
        "receipt": receipt_facts(draft.receipt or {}),
        "answer": _answer_of(draft),
        "log_id": draft.call_id,
        "decided_at": draft.decided_at,
        "decided_label": _decided_label(draft),
        "dismiss_reason": draft.reason,
        "dismiss_note": draft.reason_text,
        "error": {"code": draft.error_code, "message": draft.error_message},
        "result_url": _result_url(draft),
        "result_label": _result_label(draft),
    }


def _why_not_again(draft: ActionDraft) -> str:
    """Of one that failed: why trying it again would be refused, as far as its tool tells."""
    tool = draft.call.tool
    if draft.state != DraftState.FAILED:
        return ""
    if tool is None or find_tool_type(tool.type) is None:
        return _("Its tool is gone, so it can’t be tried again.")
    return "" if tool.enabled else _("Its tool is switched off, so it can’t be tried again now.")


def _target(target: dict[str, Any], draft: ActionDraft) -> dict[str, Any]:
    """A link to look at it first, while it is there to be looked at."""
    if target["type"] != "document" or not target["id"] or not draft.is_waiting:
        return target
    return {**target, "url": reverse("documents:detail", args=[target["id"]])}


def _result_url(draft: ActionDraft) -> str:
    """Where the effect can be seen, if it left something behind."""
    receipt = draft.receipt or {}
    if draft.call.tool_type == CAPTURE and "id" in receipt:
        return reverse("memories:detail", args=[receipt["id"]])
    if draft.call.tool_type != "document" or "id" not in receipt:
        return ""
    if _has_deleted(draft):
        return reverse("documents:trash")
    return reverse("documents:detail", args=[receipt["id"]])


def _result_label(draft: ActionDraft) -> str:
    if draft.call.tool_type == CAPTURE:
        return _("Open the memory")
    return _("Open the trash") if _has_deleted(draft) else _("Open the document")


def _has_deleted(draft: ActionDraft) -> bool:
    return (draft.receipt or {}).get("action") == "delete"


def _answer_of(draft: ActionDraft) -> Card | None:
    """Where no agent tells it: what the tool answered, if the receipt does not say all of it."""
    answer = None if draft.call.conversation_id else answer_json(draft)
    if answer is None or answer["data"] == (draft.receipt or {}):
        return None
    data, truncated = answer["data"], answer["truncated"]
    text = data["cut"] if truncated else json.dumps(data, indent=2, ensure_ascii=False)
    return {"text": text, "truncated": truncated, "warnings": answer["warnings"]}


def receipt_facts(receipt: dict[str, Any]) -> dict[str, Any]:
    """The receipt in words; what a tool calls its own way is shown as it is."""
    labels = {
        "action": _("Action"),
        "id": _("ID"),
        "revision": _("Revision"),
        "resolved_by_person": _("Done, as you found out"),
    }
    values: dict[str | bool, str] = {
        "create": _("created"),
        "update": _("changed"),
        "delete": _("deleted"),
        True: _("yes"),
        False: _("no"),
    }
    return {
        labels.get(name, name.replace("_", " ")): _worded(value, values)
        for name, value in receipt.items()
    }


def _worded(value: Any, words: dict[str | bool, str]) -> Any:
    return words.get(value, value) if isinstance(value, str | bool) else value


def _decided_label(draft: ActionDraft) -> str:
    """Only its owner sees a draft, and nobody else decides it."""
    if draft.decided_by_id is None or draft.decided_by_id != draft.owner_id:
        return ""
    if draft.state != DraftState.DISMISSED:
        return _("Confirmed by you")
    labels = {
        DismissReason.REFUSED: _("Dismissed by you"),
        DismissReason.REPLACED: _("Corrected by you"),
        DismissReason.TAKEN_BACK: _("Taken back by you"),
        DismissReason.ANSWERED: _("Answered by you"),
        DismissReason.RUN_CANCELLED: _("Stopped by you"),
        DismissReason.DENIED: _("Confirmed by you, and refused"),
    }
    return labels.get(DismissReason(draft.reason), "")


def card_urls(draft: ActionDraft) -> dict[str, str]:
    acts = ("confirm", "dismiss", "respond", "resolve")
    return {act: reverse(f"actions:{act}", args=[draft.pk]) for act in acts}


def fields_of(draft: ActionDraft) -> list[Card]:
    editable = set(draft.plan["editable"]) | set(draft.plan["missing_fields"])
    missing = draft.plan["missing_fields"]  # first: they are what the person is asked
    names = [*missing, *(name for name in draft.arguments if name not in missing)]
    tool_type = find_tool_type(draft.call.tool_type)
    choices = tool_type.choices if tool_type else {}
    labels = tool_type.argument_labels if tool_type else {}
    return [
        _field(name, draft.arguments.get(name, ""), name in editable, choices.get(name))
        | ({"label": labels[name]} if name in labels else {})
        for name in names
    ]


def _field(name: str, value: Any, editable: bool, choice: Choice | None) -> Card:
    is_made_of_others = isinstance(value, dict | list)
    indent = 2 if is_made_of_others else None
    shown = (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=indent)
    )
    return {
        "name": name,
        "label": choice.label if choice else name.replace("_", " "),
        "value": shown,
        "editable": editable,
        "multiline": is_made_of_others or "\n" in shown or len(shown) > _LONG,
        "options": _options(choice, value) if choice else [],
        "shown": choice.options.get(value, value) if choice else shown,
    }


def _options(choice: Choice, value: Any) -> list[Card]:
    return [
        {"value": one, "label": label, "chosen": one == value}
        for one, label in choice.options.items()
    ]


def edits_from(draft: ActionDraft, posted: dict[str, str]) -> dict[str, Any]:
    """The editable values that the person changed, typed as the arguments were.

    A browser sends line ends as CRLF whatever the text had, so that alone is no change.
    """
    edits: dict[str, Any] = {}
    for field in fields_of(draft):
        text = posted.get(_ARGUMENT + field["name"])
        if not field["editable"] or text is None:
            continue
        if text.replace("\r\n", "\n") != field["value"].replace("\r\n", "\n"):
            edits[field["name"]] = _typed(draft.arguments.get(field["name"]), text)
    return edits


def _typed(present: Any, text: str) -> Any:
    if present is None or isinstance(present, str):
        return text.replace("\r\n", "\n")
    try:
        return json.loads(text)
    except ValueError:
        return text  # the tool's own validation says what is wrong with it


def _state_label(draft: ActionDraft) -> str:
    labels = {
        DismissReason.EXPIRED: _("expired"),
        DismissReason.DENIED: _("refused"),
        DismissReason.REPLACED: _("replaced"),
        DismissReason.TAKEN_BACK: _("taken back"),
        DismissReason.SKILL_GONE: _("ended"),
    }
    label = labels.get(DismissReason(draft.reason)) if draft.reason else None
    return label or str(DraftState(draft.state).label)
