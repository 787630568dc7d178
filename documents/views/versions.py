"""What a document was: its versions, one of them, what differs between two, and the way back."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.base.errors import NotFound
from config.base.people import page_actor, signed_in
from documents import services
from documents.history import lines_of
from documents.rendering import render as render_text
from documents.selectors import find_oldest_revision, get_document, get_version, list_versions
from documents.services import StaleRevision
from documents.versus import compare_versions, paged_rows
from documents.views.common import require_form_methods, revision_in

PAGE_SIZE = 25


@require_safe
@login_required
def index(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    user = signed_in(request)
    document = get_document(user, document_id)
    versions = list_versions(user, document_id)
    page = Paginator(versions, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "document": document,
        "page_obj": page,
        "lines": lines_of(page, user),
        "oldest": find_oldest_revision(user, document_id),
    }
    return render(request, "documents/versions.html", context)


@require_safe
@login_required
def version(request: HttpRequest, document_id: uuid.UUID, revision: int) -> HttpResponse:
    user = signed_in(request)
    document = get_document(user, document_id)
    found = get_version(user, document_id, revision)
    rendered = render_text(found.content)
    context = {
        "document": document,
        "version": found,
        "line": lines_of([found], user)[0],
        "rendered_html": rendered.html,
        "oldest": find_oldest_revision(user, document_id),
    }
    return render(request, "documents/version.html", context)


@require_safe
@login_required
def compare(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Where the form of the versions page leads: the address that names both."""
    get_document(signed_in(request), document_id)
    given = [revision_in(request.GET, name) for name in ("from", "to")]
    if None in given:
        return redirect("documents:versions", document_id)
    return redirect("documents:diff", document_id, *given)


@require_safe
@login_required
def diff(request: HttpRequest, document_id: uuid.UUID, before: int, after: int) -> HttpResponse:
    user = signed_in(request)
    document = get_document(user, document_id)
    left, right = (get_version(user, document_id, number) for number in (before, after))
    context: dict[str, Any] = {
        "document": document,
        "left": left,
        "right": right,
        "lines": lines_of([left, right], user),
        "oldest": find_oldest_revision(user, document_id),
        **compare_versions(left, right),
    }
    context["page_obj"] = paged_rows(context["compared"], request.GET)
    return render(request, "documents/diff.html", context)


@require_form_methods
@login_required
def restore(request: HttpRequest, document_id: uuid.UUID, revision: int) -> HttpResponse:
    """Asks first, with all that would change in sight."""
    user = signed_in(request)
    document = get_document(user, document_id)
    found = get_version(user, document_id, revision)
    if request.method != "POST":
        context = {"document": document, "version": found, "line": lines_of([found], user)[0]}
        compared = compare_versions(document, found)
        context |= {**compared, "page_obj": paged_rows(compared["compared"], request.GET)}
        return render(request, "documents/confirm_restore.html", context)
    try:
        services.restore_version(
            page_actor(request),
            document_id,
            revision,
            expected_revision=revision_in(request.POST, "expected_revision"),
        )
    except StaleRevision as error:
        messages.warning(request, error.message)
        return redirect("documents:restore-version", document_id, revision)
    except NotFound as error:  # pruned or deleted since it was shown
        messages.warning(request, error.message)
        return redirect("documents:list")
    message = _("It is again what it was at r%(revision)s.") % {"revision": revision}
    messages.success(request, message)
    return redirect("documents:detail", document_id)
