"""Preparing and running one call: the only place that calls a tool type's `plan` and `execute`."""

import logging
import time
from dataclasses import replace

from django.db import DatabaseError
from django.utils import translation
from django.utils.translation import gettext as _

from config.base.actor import Actor
from config.base.errors import GatehouseError, LeaseLost
from config.base.transactions import savepoint
from tools.errors import ToolFailure
from tools.gates import PreparedCall
from tools.models import Tool, ToolCall
from tools.schemas import JSON, CallContext, ToolContext, ToolResult
from tools.secrets.known import hide
from tools.validation import validate_call

log = logging.getLogger(__name__)


def tool_context(
    call: ToolCall,
    context: CallContext,
    *,
    seconds: float,
    approved: bool = False,
    peer_key: str = "",
) -> ToolContext:
    return ToolContext(
        actor=context.actor,
        tool_id=call.tool_id,
        tool_slug=call.tool_slug,
        idempotency_key=peer_key or str(call.pk),
        deadline=time.monotonic() + seconds,
        approved=approved,
        call_id=call.pk,
        reach=context.reach,
        look_up=context.look_up,
    )


def prepare(tool: Tool, arguments: JSON, call: ToolCall, context: CallContext) -> PreparedCall:
    """Validate and plan. Raises `ToolFailure` with the code that the caller is told."""
    tool_type, config, parsed = validate_call(tool, arguments)
    seconds = tool_type.timeout_seconds(config)
    try:
        with _language_of(context.actor), savepoint():
            plan = tool_type.plan(parsed, config, tool_context(call, context, seconds=seconds))
    except Exception as error:
        raise _as_failure(error, tool.slug) from error
    if not plan.title:
        plan = replace(plan, title=tool.name)
    return PreparedCall(
        tool=tool,
        tool_type=tool_type,
        config=config,
        arguments=parsed,
        annotations=tool_type.annotations(config, parsed),
        plan=plan,
        row=call,
    )


def run_executor(prepared: PreparedCall, context: ToolContext) -> ToolResult:
    """Execute and check the output. Raises `ToolFailure` and nothing else but `LeaseLost`."""
    try:
        with _language_of(context.actor):
            result = prepared.tool_type.execute(prepared.plan, prepared.config, context)
        result = _without_secrets(result)
        prepared.tool_type.output_model.model_validate(result.data)
    except Exception as error:
        raise _told_safely(_as_failure(error, prepared.tool.slug)) from error
    return result


def _without_secrets(result: ToolResult) -> ToolResult:
    """What a call carried may be echoed: it goes neither to a model nor into the log."""
    return ToolResult(
        data=hide(result.data),
        receipt=hide(result.receipt),
        metadata=hide(result.metadata),
        warnings=hide(result.warnings),
        provenance=result.provenance,
    )


def _told_safely(error: Exception) -> Exception:
    if isinstance(error, ToolFailure):
        error.message, error.details = hide(error.message), hide(error.details)
        error.for_operator, error.args = hide(str(error.for_operator)), (error.message,)
    return error


def _language_of(actor: Actor) -> translation.override:
    return translation.override(actor.user.language)


def _as_failure(error: Exception, slug: str) -> Exception:
    """The one translation of errors to what a model is told: no traceback, no internals."""
    if isinstance(error, ToolFailure | LeaseLost):
        return error
    if isinstance(error, GatehouseError) and error.http_status < 500:
        return ToolFailure.of(error)
    if isinstance(error, DatabaseError):
        log.error("the database failed under the tool %s", slug, exc_info=error)
        return ToolFailure(_("The database is busy; try again."), code="tool_error")
    log.error("the tool %s raised", slug, exc_info=error)
    return ToolFailure(_("The tool failed."), code="tool_error")
