"""`/api/agent/memories/`: what is remembered of a person, for that person."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api.memory_fields import (
    ChangeMemorySerializer,
    ExportSerializer,
    ImportedSerializer,
    ImportSerializer,
    MemorySerializer,
    NewMemorySerializer,
)
from agents.memories import services
from agents.memories.portable import InvalidLines, export_memories, import_memories
from agents.memories.selectors import (
    find_project_id,
    get_memory,
    list_memories,
    search_memories,
)
from agents.models import Memory, MemoryStatus, Visibility
from agents.selectors import list_agents
from config.base.actor import Actor
from config.base.errors import NotFound
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PaginatedView, list_parameters, ordered

_ORDERINGS = ("updated_at", "created_at", "importance")
_VALUES = ("required", "blank", "max_length", "min_value", "max_value", "invalid")


class MemoriesView(PaginatedView):
    scope = Scope.AGENT
    takes_idempotency_key = True

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "POST":
            return {
                400: [*_VALUES, "unknown_field", "too_long"],
                404: ["not_found"],
                422: ["idempotency_key_reused"],
            }
        return {400: ["invalid", "invalid_choice", "too_long"]}

    @extend_schema(
        summary="List or search my memories",
        operation_id="memories_list",
        parameters=[
            OpenApiParameter(
                "q", str, description="A question: the best come first, each with its `why`."
            ),
            OpenApiParameter("status", str, enum=MemoryStatus.values),
            OpenApiParameter("agent", str, description="Slug: what this agent may be told."),
            *list_parameters(*_ORDERINGS, default="-updated_at"),
        ],
        responses=MemorySerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Without `status`: all but the forgotten. A search is among the active ones; of another
        status it gives those in which the words of `q` stand.
        """
        user, given = signed_in(request), request.query_params
        status, agent = _known_status(given.get("status", "")), _plain(given.get("agent", ""))
        if q := _plain(given.get("q", "")).strip():
            found = search_memories(user, q, status=status or MemoryStatus.ACTIVE, agent=agent)
            return self.paginated(found, request, MemorySerializer)  # type: ignore[arg-type]  # a page of a list is one, too
        rows = list_memories(user, status=status, agent=agent)
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-updated_at")
        return self.paginated(rows, request, MemorySerializer)

    @extend_schema(
        summary="Have something remembered",
        operation_id="memories_create",
        request=NewMemorySerializer,
        responses={201: MemorySerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Your own words, for you alone. What agents suggest are cards in `actions/`."""
        body = NewMemorySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = dict(body.validated_data)
        agent_id = _agent_id(person(request), given.pop("agent"))
        memory = services.create_memory(
            person(request), given.pop("text"), agent_id=agent_id, **given
        )
        return _answer(memory, status=201)


class MemoryView(APIView):
    scope = Scope.AGENT

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "PATCH":
            return {
                400: [*_VALUES, "invalid_choice", "unknown_field", "no_conversation"],
                404: ["not_found"],
                409: ["not_active"],
            }
        return {404: ["not_found"]}

    @extend_schema(
        summary="One of my memories", operation_id="memories_read", responses=MemorySerializer
    )
    def get(self, request: Request, memory_id: UUID) -> Response:
        """With where it comes from; of a forgotten one there is nothing to be read."""
        return _answer(get_memory(signed_in(request), memory_id))

    @extend_schema(
        summary="Change a memory",
        operation_id="memories_patch",
        request=ChangeMemorySerializer,
        responses=MemorySerializer,
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """The same fact in better words. For everybody in a project it is by naming both
        `visibility` and `project`, and only once an operator accepts it; so it is again after other
        words.
        """
        body = ChangeMemorySerializer(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        given, actor = dict(body.validated_data), person(request)
        shown = _whom_to_show_it(actor, given)
        return _answer(services.change_memory(actor, memory_id, shown=shown, **given))

    @extend_schema(
        summary="Forget a memory",
        operation_id="memories_forget",
        parameters=[
            OpenApiParameter(
                "with_older", bool, description="Also those that it has replaced.", default=False
            )
        ],
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Its words are gone for good. That there was one stays known."""
        with_older = request.query_params.get("with_older") == "true"
        services.forget_memory(person(request), memory_id, with_older=with_older)
        return Response(status=204)


_ENDED = {404: ["not_found"], 409: ["superseded"]}


class ArchiveMemoryView(APIView):
    scope = Scope.AGENT
    error_codes = _ENDED

    @extend_schema(
        summary="Archive a memory",
        operation_id="memories_archive",
        request=None,
        responses=MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """No agent is told of it any more; it can be taken back for a time."""
        return _answer(services.archive_memory(person(request), memory_id))


class RestoreMemoryView(APIView):
    scope = Scope.AGENT
    error_codes = _ENDED

    @extend_schema(
        summary="Take a memory out of the archive",
        operation_id="memories_restore",
        request=None,
        responses=MemorySerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Once it is back, asking again is no change. One for the company waits again."""
        return _answer(services.restore_memory(person(request), memory_id))


class ExportMemoriesView(APIView):
    scope = Scope.AGENT

    @extend_schema(
        summary="Export my memories", operation_id="memories_export", responses=ExportSerializer
    )
    def get(self, request: Request) -> Response:
        """All but the forgotten, as `import/` takes them."""
        return Response(export_memories(person(request), now=timezone.now()))


class ImportMemoriesView(APIView):
    scope = Scope.AGENT
    takes_idempotency_key = True
    error_codes = {
        400: [*_VALUES, "too_long", "too_many", "invalid_choice", "not_found", "unknown_field"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="Import memories",
        operation_id="memories_import",
        request=ImportSerializer,
        responses=ImportedSerializer,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """All or none: each wrong line is named. All of them are yours alone; those that are
        remembered already are skipped. Without our signature they count as somebody else's words.
        """
        body = ImportSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        lines, signature = body.validated_data["memories"], body.validated_data["signature"]
        try:
            done = import_memories(person(request), lines, signature=signature)
        except InvalidLines as error:
            raise _by_line(error, len(lines)) from error
        return Response(ImportedSerializer(done).data)


def _answer(memory: Memory, status: int = 200) -> Response:
    return Response(MemorySerializer(memory).data, status=status)


def _known_status(status: str) -> str:
    if status and status not in MemoryStatus.values:
        message = _("Choose one of: %(names)s.") % {"names": ", ".join(MemoryStatus.values)}
        raise ValidationError({"status": [ErrorDetail(message, "invalid_choice")]})
    return status


def _plain(text: str) -> str:
    return text.replace("\x00", "")


def _agent_id(actor: Actor, slug: str) -> UUID | None:
    if not slug:
        return None
    agent = list_agents(actor.user).filter(slug=slug).first()
    if agent is None:
        raise NotFound(_("There is no such agent for you."))
    return agent.pk


def _whom_to_show_it(actor: Actor, given: dict[str, Any]) -> services.Shown | None:
    """Both fields or neither: nothing becomes wider by the way."""
    visibility, project = given.pop("visibility", None), given.pop("project", None)
    if visibility == Visibility.COMPANY and project:
        return services.Shown(find_project_id(actor.user, project))
    if visibility == Visibility.COMPANY:
        message = _("Say in which of your projects.")
        raise ValidationError({"project": [ErrorDetail(message, "required")]})
    if project is not None:
        message = _("Only what is for the company is of a project.")
        raise ValidationError({"project": [ErrorDetail(message, "invalid")]})
    return services.Shown(None) if visibility == Visibility.PRIVATE else None


def _by_line(error: InvalidLines, count: int) -> ValidationError:
    told: list[dict[str, Any]] = [{} for _number in range(count)]
    for one in error.problems:
        told[one.line - 1][one.field] = [ErrorDetail(one.message, one.code)]
    return ValidationError({"memories": told})
