"""The pages under `/documents/`."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.base.actor import Actor, Origin
from config.base.errors import NotFound
from config.base.people import signed_in
from documents import services
from documents.diffs import unified_diff
from documents.forms import DocumentForm
from documents.history import describe_last_author, list_history
from documents.listing import list_context
from documents.models import Document
from documents.rendering import render as render_text
from documents.rendering import render_markdown
from documents.selectors import (
    document_missing,
    find_document,
    find_version,
    get_document,
    was_deleted,
)
from documents.services import StaleRevision
from documents.summary import make_summary
from documents.trash import trash_context

require_form_methods = require_http_methods(["GET", "HEAD", "POST"])


def actor_of(request: HttpRequest) -> Actor:
    return Actor(user=signed_in(request), origin=Origin.PAGE)


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "documents/list.html", list_context(request, signed_in(request)))


@require_safe
@login_required
def detail(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    user = signed_in(request)
    document = get_document(user, document_id)
    rendered = render_text(document.content)
    context = {
        "document": document,
        "summary": _own_summary(document),
        "rendered_html": rendered.html,
        "outline": rendered.outline,
        "versions": list_history(user, document_id),
    }
    return render(request, "documents/detail.html", context)


def _own_summary(document: Document) -> str:
    """One that was made from the text says nothing that the text does not say below it."""
    return "" if document.summary == make_summary(document.content) else document.summary


@require_form_methods
@login_required
def new(request: HttpRequest) -> HttpResponse:
    form = DocumentForm(request.POST or None)
    if form.is_valid():
        return _create(request, form)
    return _form_page(request, form)


@require_form_methods
@login_required
def edit(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = find_document(signed_in(request), document_id)
    if document is None:
        return _edit_deleted(request, document_id)
    form = DocumentForm(request.POST or None, document=document)
    if not form.is_valid():
        return _form_page(request, form, document)
    expected = form.cleaned_data["expected_revision"] or document.revision
    try:
        services.update_document(
            actor_of(request), document.pk, expected_revision=expected, **form.values()
        )
    except StaleRevision:
        return _conflict(request, document.pk)
    except NotFound:  # deleted since we looked
        return _edit_deleted(request, document_id)
    messages.success(request, _("Saved."))
    return redirect("documents:detail", document.pk)


@require_form_methods
@login_required
def delete(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = get_document(signed_in(request), document_id)
    if request.method != "POST":
        return render(request, "documents/confirm_delete.html", {"document": document})
    try:
        services.delete_document(
            actor_of(request), document_id, expected_revision=_expected_revision(request)
        )
    except StaleRevision as error:
        messages.warning(request, error.message)
        return redirect("documents:delete", document_id)
    messages.success(request, _deleted(document.title))
    return redirect("documents:list")


@require_safe
@login_required
def trash(request: HttpRequest) -> HttpResponse:
    return render(request, "documents/trash.html", trash_context(request, signed_in(request)))


@require_POST
@login_required
def restore(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = services.restore_document(actor_of(request), document_id)
    messages.success(request, _("“%(title)s” is restored.") % {"title": document.title})
    return redirect("documents:detail", document.pk)


@require_POST
@login_required
def preview(request: HttpRequest) -> HttpResponse:
    return HttpResponse(render_markdown(request.POST.get("content", "")))


def _deleted(title: str) -> str:
    return format_html(
        '{} <a href="{}">{}</a>',
        _("“%(title)s” is deleted.") % {"title": title},
        reverse("documents:trash"),
        _("It can be restored from the trash."),
    )


def _create(request: HttpRequest, form: DocumentForm) -> HttpResponse:
    document = services.create_document(actor_of(request), **form.values())
    messages.success(request, _("Saved."))
    return redirect("documents:detail", document.pk)


def _form_page(
    request: HttpRequest, form: DocumentForm, document: Document | None = None, status: int = 0
) -> HttpResponse:
    text = form["content"].value() or ""
    context = {"document": document, "form": form, "rendered_html": render_markdown(text)}
    return render(
        request,
        "documents/form.html",
        context,
        status=status or (400 if form.is_bound and form.errors else 200),
    )


def _edit_deleted(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Deleted while its owner was writing: their text becomes a new document if they save again."""
    if request.method != "POST" or not was_deleted(signed_in(request), document_id):
        raise document_missing()
    first_time = bool(request.POST.get("expected_revision"))
    form = DocumentForm(_with(request, expected_revision=""))
    if form.is_valid() and not first_time:
        return _create(request, form)
    if first_time:
        message = _("It was deleted while you were writing. Save again to keep your text as new.")
        form.add_error(None, message)
    return _form_page(request, form, status=409)


def _conflict(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Both texts, and nothing lost: saving again is a decision made with both in sight."""
    user = signed_in(request)
    document = get_document(user, document_id)
    mine = request.POST.get("content", "").replace("\r\n", "\n")
    mine_now = _with(request, expected_revision=str(document.revision))
    before = find_version(user, document_id, _expected_revision(request) or 0)
    if before and before.summary == request.POST.get("summary"):
        mine_now["summary"] = document.summary  # nobody touched it: theirs, or made anew
    form = DocumentForm(mine_now, document=document)
    diff = unified_diff(document.content.splitlines(), mine.splitlines(), (_("theirs"), _("yours")))
    context = {
        "document": document,
        "form": form,
        "theirs": document.content,
        "changed_by": describe_last_author(user, document_id),
        "diff": diff,
    }
    return render(request, "documents/conflict.html", context, status=409)


def _with(request: HttpRequest, **values: str) -> Any:
    data = request.POST.copy()
    for name, value in values.items():
        data[name] = value
    return data


def _expected_revision(request: HttpRequest) -> int | None:
    given = request.POST.get("expected_revision", "")
    return int(given) if given.isascii() and given.isdigit() else None
