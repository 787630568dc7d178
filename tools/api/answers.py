"""What `execute` answers: the outcome of a call, or only the decision about one."""

from config.base.errors import IdempotencyKeyReused
from config.base.models import IdempotencyRecord, User
from config.base.rest.idempotency import forget_old_key
from config.base.storable import storable
from tools.decisions import Decision
from tools.drafts.represent import draft_json
from tools.enums import DraftState
from tools.errors import ToolFailure
from tools.models import ActionDraft, ToolCall
from tools.outcomes import CallError, CallOutcome
from tools.schemas import JSON

_SETTLED_DRAFT = (DraftState.EXECUTED, DraftState.DISMISSED)


def answer_of(outcome: CallOutcome) -> JSON:
    call, result = outcome.call, outcome.result
    metadata: JSON = {"duration_ms": call.duration_ms, "warnings": []}
    if result is not None:
        metadata = {**result.metadata, "duration_ms": call.duration_ms}
        metadata["warnings"] = list(result.warnings)
    if outcome.replayed:
        metadata["replayed"] = True
    return _clean(
        {
            "success": outcome.success,
            "data": result.data if result else None,
            "error": _error_of(outcome),
            "metadata": metadata,
            "decision": call.told_decision,
            "action_draft": draft_json(outcome.draft) if outcome.draft else None,
            "log_id": str(call.pk),
        }
    )


def _error_of(outcome: CallOutcome) -> JSON | None:
    if outcome.error is not None:
        return outcome.error.as_json()
    if outcome.draft is None:
        return None
    decisive = outcome.call.decision or {}
    return {"code": outcome.call.status, "message": decisive.get("reason", "")}


def answer_of_decision(decision: Decision) -> JSON:
    return _only_decided(decision=decision.as_json(), error=None)


def answer_of_failure(failure: ToolFailure) -> JSON:
    return _only_decided(decision=None, error=CallError.of(failure).as_json())


def _only_decided(*, decision: JSON | None, error: JSON | None) -> JSON:
    return _clean(
        {
            "success": False,
            "data": None,
            "error": error,
            "metadata": {"duration_ms": None, "warnings": [], "dry_run": True},
            "decision": decision,
            "action_draft": None,
            "log_id": None,
        }
    )


def _clean(answer: JSON) -> JSON:
    """What a peer sent may hold what no JSON text can."""
    cleaned: JSON = storable(answer)
    return cleaned


def claim_key(user: User, key: str, digest: str) -> IdempotencyRecord:
    """The row of this key, new or with its answer, if that was final.

    Raises `IdempotencyKeyReused` for another body. Unlike an endpoint whose whole effect is in
    the database, this one can't commit answer and effect together: between the two the ledger,
    which knows the call by this row's id, keeps the effect from happening twice.
    """
    forget_old_key(user, key)
    record, _new = IdempotencyRecord.objects.get_or_create(
        user=user, key=key, defaults={"request_digest": digest}
    )
    if record.request_digest != digest:
        raise IdempotencyKeyReused
    return record


def store_answer(record: IdempotencyRecord, call: ToolCall, answer: JSON) -> None:
    """Only what can't change any more: a draft that waits is looked at again."""
    draft = ActionDraft.objects.filter(call=call).only("state").first()
    if call.is_open or (draft is not None and draft.state not in _SETTLED_DRAFT):
        return
    IdempotencyRecord.objects.filter(pk=record.pk, response__isnull=True).update(
        status_code=200, response=answer
    )
