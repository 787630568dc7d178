"""Files: one with what was read in it, putting one in, taking it away, deleting it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from config.base.errors import GatehouseError, NotFound
from config.base.people import page_actor, signed_in
from documents.knowledge import services
from documents.knowledge.downloads import download_response
from documents.knowledge.errors import StillReading
from documents.knowledge.files.detection import name_of
from documents.knowledge.forms import UploadForm
from documents.knowledge.selectors import UNREAD, get_resource, get_space, list_passages
from documents.knowledge.uploads import check_announced, chunks_of
from documents.knowledge.views.spaces import space_context
from documents.views.common import require_form_methods

PASSAGES_ON_A_PAGE = 25


@require_safe
@login_required
def detail(request: HttpRequest, resource_id: UUID) -> HttpResponse:
    """With `?passage=`: the page on which that one stands."""
    user = signed_in(request)
    resource = get_resource(user, resource_id)
    pages = Paginator(list_passages(user, resource.pk), PASSAGES_ON_A_PAGE)
    context = space_context(user, resource.space) | {
        "resource": resource,
        "type_name": name_of(resource.media_type),
        "page_obj": pages.get_page(_page_asked_for(request)),
        "cited": request.GET.get("passage", ""),
        "is_reading": resource.state in UNREAD,
    }
    return render(request, "knowledge/resource.html", context)


@require_form_methods
@login_required
def upload(request: HttpRequest, space_id: UUID) -> HttpResponse:
    user = signed_in(request)
    space = get_space(user, space_id)
    check_announced(request)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            resource = services.upload_resource(
                page_actor(request),
                space.pk,
                file_name=file.name,
                chunks=chunks_of(file),
                size_bytes=file.size,
                title=form.cleaned_data["title"],
            )
        except NotFound:
            raise
        except GatehouseError as error:
            form.add_error("file", error.message)
        else:
            text = _("“%(title)s” is stored and is being read.") % {"title": resource.title}
            messages.success(request, text)
            return redirect("knowledge:space", space.pk)
    context = space_context(user, space) | {"form": form}
    return render(request, "knowledge/upload.html", context, status=400 if form.is_bound else 200)


@require_safe
@login_required
def download(request: HttpRequest, resource_id: UUID) -> HttpResponseBase:
    resource = get_resource(signed_in(request), resource_id)
    return download_response(request, page_actor(request), resource)


@require_POST
@login_required
def reread(request: HttpRequest, resource_id: UUID) -> HttpResponse:
    try:
        services.read_again(page_actor(request), resource_id)
    except StillReading as error:
        messages.warning(request, error.message)
    return redirect("knowledge:resource", resource_id)


@require_form_methods
@login_required
def delete(request: HttpRequest, resource_id: UUID) -> HttpResponse:
    user = signed_in(request)
    resource = get_resource(user, resource_id)
    if request.method != "POST":
        context = space_context(user, resource.space) | {"resource": resource}
        return render(request, "knowledge/resource_delete.html", context)
    services.delete_resource(page_actor(request), resource.pk)
    messages.success(request, _("“%(title)s” is gone.") % {"title": resource.title})
    return redirect("knowledge:space", resource.space_id)


def _page_asked_for(request: HttpRequest) -> int | str:
    passage = request.GET.get("passage", "")
    if passage.isascii() and passage.isdigit() and len(passage) < 8:
        return int(passage) // PASSAGES_ON_A_PAGE + 1
    return request.GET.get("page", "1")
