"""The tool type: which action does what, and what each may do at worst."""

from collections.abc import Callable
from typing import Any, get_args

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.tool import reading, writing
from documents.tool.config import Action, DocumentConfig
from documents.tool.inputs import DocumentInput, input_model
from documents.tool.outputs import DocumentOutput
from tools.enums import LogPayload, Risk
from tools.errors import ToolFailure
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import USES_APART, ToolType

type Planner = Callable[[DocumentInput, DocumentConfig, ToolContext], dict[str, Any]]
type Reader = Callable[[DocumentInput, DocumentConfig, ToolContext], ToolResult]
type Writer = Callable[[DocumentInput, DocumentConfig, ToolContext, Plan], ToolResult]

_READS: dict[str, Reader] = {"read": reading.read, "list": reading.list_page}
_PLANS: dict[str, Planner] = {
    "create": writing.plan_create,
    "update": writing.plan_update,
    "delete": writing.plan_delete,
}
_WRITES: dict[str, Writer] = {
    "create": writing.create,
    "update": writing.update,
    "delete": writing.delete,
}


class DocumentTool(ToolType[DocumentConfig, DocumentInput]):
    name = "document"
    label = gettext_lazy("Documents")
    config_model = DocumentConfig
    output_model = DocumentOutput
    log_payload = LogPayload.NONE  # what people write is nobody's log

    def input_model(self, config: DocumentConfig) -> type[DocumentInput]:
        return input_model(config)

    def description(self, config: DocumentConfig) -> str:
        waits = ", ".join(config.approval_required_actions) or "none"
        return (
            "Keeps documents of the person you work for, across conversations."
            " Actions: create, read, update, delete, list."
            " Types: memory (your own notes: decisions, facts, intermediate results) and document"
            " (something for people: a report, minutes)."
            f" read and list answer within about {config.token_budget} tokens: summaries first;"
            " read with full_content=true gives the text, offset and limit a part of it."
            f" A list has at most {config.max_page_size} documents a page; ask for next_page while"
            " has_more. To change a content, give the expected_revision that read or list told you."
            f" Content has at most {config.max_content_length} characters."
            f" Actions that a person has to confirm: {waits}."
            " Error codes: not_found (there is none, or it is not theirs), empty, too_long,"
            " invalid, stale_revision (it has changed since: read it again), sign_in_required."
        )

    def annotations(
        self, config: DocumentConfig, arguments: DocumentInput | None = None
    ) -> Annotations:
        if arguments is None:
            return Annotations(
                read_only=False,
                destructive=True,
                risk=Risk.L2,
                requires_approval=bool(config.approval_required_actions),
            )
        reads = arguments.action in _READS
        return Annotations(
            read_only=reads,
            idempotent=reads,
            destructive=arguments.action == "delete",
            risk=Risk.L1 if reads else Risk.L2,
            requires_approval=arguments.action in config.approval_required_actions,
        )

    def uses(self, config: DocumentConfig) -> dict[str, Annotations]:
        """By action; those that the gates treat alike are one."""
        alike: list[tuple[list[str], Annotations]] = []
        for action in get_args(Action.__value__):
            known = self.annotations(config, DocumentInput.model_construct(action=action))
            names = next((names for names, one in alike if one == known), None)
            if names is None:
                alike.append(([action], known))
            else:
                names.append(action)
        return {USES_APART.join(names): known for names, known in alike}

    def plan(self, arguments: DocumentInput, config: DocumentConfig, context: ToolContext) -> Plan:
        _require_person(context)
        planner = _PLANS.get(arguments.action)
        facts = planner(arguments, config, context) if planner else {"title": _title(arguments)}
        return Plan(
            arguments=self.arguments_json(arguments),
            shows_arguments=planner is None,
            risk=self.annotations(config, arguments).risk,
            **facts,
        )

    def execute(self, plan: Plan, config: DocumentConfig, context: ToolContext) -> ToolResult:
        _require_person(context)
        arguments = self.parse(plan, config)
        reader = _READS.get(arguments.action)
        if reader:
            return reader(arguments, config, context)
        return _WRITES[arguments.action](arguments, config, context, plan)


def _title(arguments: DocumentInput) -> str:
    if arguments.action == "list":
        return _("List documents")
    return _("Read a document") if arguments.id else _("Search the documents")


def _require_person(context: ToolContext) -> None:
    if not context.actor.user.is_authenticated:
        raise ToolFailure(_("Sign in to use documents."), code="sign_in_required")
