"""Execute: an operator's own direct call, through the same gates as everybody's."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Origin
from config.base.ids import uuid7
from config.base.models import Scope, User
from config.base.people import signed_in
from config.base.rest.idempotency import key_of, request_digest
from config.base.rest.permissions import has_scope
from tools.api import answers
from tools.api.rows import OPERATORS
from tools.api.serializers import ExecutedSerializer, ExecuteSerializer
from tools.errors import ToolFailure
from tools.models import Tool
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.preview import direct_actor, preview_decision
from tools.schemas import JSON, CallContext
from tools.selectors import get_tool

_DESCRIPTION = (
    "What a tool refuses or fails at is 200 with `success: false`: `error.code` says what. With "
    "`as_user` the answer holds only the decision that this user would get, or how the call would "
    "be refused: nothing runs, and the look is audited."
)


class ExecuteView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "tools.change_tool"}
    scope = Scope.TOOLS_EXECUTE
    takes_idempotency_key = True
    error_codes = {
        400: ["required", "unknown_field", "unknown_user"],
        409: ["in_progress", "lease_lost"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="Execute a tool",
        description=_DESCRIPTION,
        request=ExecuteSerializer,
        responses=ExecutedSerializer,
    )
    def post(self, request: Request, tool_id: UUID) -> Response:
        tool = get_tool(tool_id)
        body = ExecuteSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        # A token that may not confirm gets a draft, as if it had not said so.
        body.validated_data["confirm"] &= has_scope(request, Scope.ACTIONS_CONFIRM)
        key = key_of(request)
        if "as_user" in body.validated_data:
            return Response(_decide(tool, body.validated_data, signed_in(request)))
        if not key:
            outcome = _execute(tool, body.validated_data, signed_in(request), f"api:{uuid7()}")
            return Response(answers.answer_of(outcome))
        return _execute_once(tool, body.validated_data, request, key)


def _execute_once(tool: Tool, body: dict[str, Any], request: Request, key: str) -> Response:
    user = signed_in(request)
    record = answers.claim_key(user, key, request_digest(request))
    if record.response is not None:
        return Response(record.response, headers={"Idempotency-Replayed": "true"})
    outcome = _execute(tool, body, user, f"key:{record.pk}")
    answer = answers.answer_of(outcome)
    answers.store_answer(record, outcome.call, answer)
    return Response(answer)


def _execute(tool: Tool, body: dict[str, Any], user: User, key: str) -> CallOutcome:
    """`key` names the call in the ledger: not the client's own, which is theirs for a day only."""
    context = CallContext(
        actor=direct_actor(user, Origin.API), idempotency_key=key, confirm=body["confirm"]
    )
    return call_tool(tool, body["input"], context)


def _decide(tool: Tool, body: dict[str, Any], operator: User) -> JSON:
    try:
        decision = preview_decision(
            direct_actor(operator, Origin.API),
            _find_user(body["as_user"]),
            tool,
            body["input"],
            confirm=body["confirm"],
        )
    except ToolFailure as failure:
        return answers.answer_of_failure(failure)
    return answers.answer_of_decision(decision)


def _find_user(name: str) -> User:
    """By id, else by name."""
    found = User.objects.filter(username=name).first() or _by_id(name)
    if found is None:
        detail = ErrorDetail(_("There is no such user."), "unknown_user")
        raise ValidationError({"as_user": [detail]})
    return found


def _by_id(text: str) -> User | None:
    try:
        return User.objects.filter(pk=UUID(text)).first()
    except ValueError:
        return None
