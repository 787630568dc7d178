"""The test panel of a tool: one call as the operator, or only what somebody else would be told."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from tools.admin.schema.shapes import to_text
from tools.admin.shown import OUTCOME_COLOURS, STATUS_COLOURS, decision_rows
from tools.admin.tool.try_form import TryForm
from tools.api.answers import answer_of
from tools.enums import CallStatus
from tools.errors import ToolFailure
from tools.models import Tool
from tools.outcomes import CallError
from tools.pipeline import call_tool
from tools.preview import preview_decision
from tools.schemas import JSON, CallContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the page shows of a try: `answer` as the API gives it, and where to read on."""

    title: str
    colour: str
    answer: JSON
    links: tuple[tuple[str, str], ...] = ()

    @property
    def rows(self) -> list[JSON]:
        decision = self.answer.get("decision")
        return decision_rows(decision) if decision else []

    @property
    def data(self) -> str:
        data = self.answer.get("data")
        return "" if data is None else to_text(data)


def try_tool(tool: Tool, form: TryForm, request: HttpRequest) -> Trial | None:
    """None, with an error in the form: the request never reached the tool."""
    try:
        trial = (_decide if form.decide_only else _run)(tool, form, request)
        if (trial.answer.get("error") or {}).get("code") == "invalid_arguments":
            form.mark_wrong_arguments()
        return trial
    except GatehouseError as error:
        form.add_error(None, error.message)
        return None


def _run(tool: Tool, form: TryForm, request: HttpRequest) -> Trial:
    """A page that is sent twice is one call: its key is the page's, and random."""
    context = CallContext(
        actor=admin_actor(request),
        idempotency_key=f"admin:{form.cleaned_data['key']}",
        confirm=form.cleaned_data["confirm"],
    )
    outcome = call_tool(tool, form.cleaned_data["arguments"], context)
    links = [(_("In the log"), reverse("admin:tools_toolcall_change", args=[outcome.call.pk]))]
    if outcome.draft is not None:
        links += [
            (_("Decide in your inbox"), reverse("actions:inbox")),
            (_("The draft"), reverse("admin:tools_actiondraft_change", args=[outcome.draft.pk])),
        ]
    status = outcome.call.status
    answer = answer_of(outcome)
    if outcome.error is not None:
        answer["error"]["message"] = _told(outcome.error)
    return Trial(
        title=str(CallStatus(status).label),
        colour=STATUS_COLOURS.get(status, ""),
        answer=answer,
        links=tuple(links),
    )


def _told(error: CallError | ToolFailure) -> str:
    """Who tries a tool may change it: they are told what to change, not to ask for it."""
    return str(error.for_operator or error.message)


def _decide(tool: Tool, form: TryForm, request: HttpRequest) -> Trial:
    person: Any = form.cleaned_data["person"]
    try:
        decision = preview_decision(
            admin_actor(request),
            person,
            tool,
            form.cleaned_data["arguments"],
            confirm=form.cleaned_data["confirm"],
            agent_id=form.agent_id,
        )
    except ToolFailure as failure:
        error = {"code": failure.code, "message": _told(failure)}
        title = _("%(name)s would be refused") % {"name": person}
        return Trial(title=title, colour="danger", answer={"error": error})
    outcome = decision.outcome
    title = _("%(name)s would get: %(outcome)s") % {"name": person, "outcome": outcome.label}
    answer: JSON = {"decision": decision.as_json()}
    return Trial(title=title, colour=OUTCOME_COLOURS[outcome], answer=answer)
