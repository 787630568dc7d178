"""Spaces: which there are, one with its files, what is found in it, making and deleting one."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.base.errors import GatehouseError
from config.base.models import User
from config.base.people import page_actor, signed_in
from documents.enums import SpaceRole
from documents.knowledge import services
from documents.knowledge.access import find_role, find_roles, may
from documents.knowledge.forms import SpaceForm
from documents.knowledge.searching import search_passages
from documents.knowledge.selectors import UNREAD, get_space, list_resources, list_spaces
from documents.models import KnowledgeSpace
from documents.views.common import require_form_methods

PAGE_SIZE = 25
MAX_QUERY_LENGTH = 500
FOUND = 10


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    page = Paginator(list_spaces(user), PAGE_SIZE).get_page(request.GET.get("page"))
    roles = find_roles(user, list(page))
    lines = [{"space": space, "role": roles[space.pk].label} for space in page]
    return render(request, "knowledge/list.html", {"page_obj": page, "lines": lines})


@require_safe
@login_required
def detail(request: HttpRequest, space_id: UUID) -> HttpResponse:
    user = signed_in(request)
    space = get_space(user, space_id)
    query = _query(request)
    context = space_context(user, space) | files_context(request, user, space)
    if query:
        context["found"] = search_passages(user, query, spaces=[space.pk], limit=FOUND)
    return render(request, "knowledge/space.html", context | {"query": query})


@require_safe
@login_required
def files(request: HttpRequest, space_id: UUID) -> HttpResponse:
    """The list alone: asked for again and again while something is being read."""
    user = signed_in(request)
    space = get_space(user, space_id)
    return render(request, "knowledge/_files.html", files_context(request, user, space))


@require_form_methods
@login_required
def new(request: HttpRequest) -> HttpResponse:
    form = SpaceForm(signed_in(request), request.POST or None)
    if form.is_valid():
        try:
            space = services.create_space(page_actor(request), **form.cleaned_data)
        except GatehouseError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("“%(name)s” is there.") % {"name": space.name})
            return redirect("knowledge:space", space.pk)
    status = 400 if form.is_bound else 200
    return render(request, "knowledge/space_new.html", {"form": form}, status=status)


@require_form_methods
@login_required
def delete(request: HttpRequest, space_id: UUID) -> HttpResponse:
    user = signed_in(request)
    space = get_space(user, space_id)
    if request.method != "POST":
        count = list_resources(user, space_id=space.pk).count()
        context = space_context(user, space) | {"count": count}
        return render(request, "knowledge/space_delete.html", context)
    services.delete_space(page_actor(request), space.pk)
    messages.success(request, _("“%(name)s” is gone.") % {"name": space.name})
    return redirect("knowledge:list")


def space_context(user: User, space: KnowledgeSpace) -> dict[str, Any]:
    role = find_role(user, space)
    return {
        "space": space,
        "role": role,
        "may_edit": may(role, SpaceRole.EDITOR),
        "may_manage": may(role, SpaceRole.MANAGER),
    }


def files_context(request: HttpRequest, user: User, space: KnowledgeSpace) -> dict[str, Any]:
    page = Paginator(list_resources(user, space_id=space.pk), PAGE_SIZE).get_page(
        request.GET.get("page")
    )
    return {
        "space": space,
        "page_obj": page,
        "is_reading": any(resource.state in UNREAD for resource in page),
        "may_edit": may(find_role(user, space), SpaceRole.EDITOR),
    }


def _query(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY_LENGTH]
