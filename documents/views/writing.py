"""Writing, changing and deleting a document."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from config.base.errors import NotFound
from config.base.people import page_actor, signed_in
from documents import services
from documents.forms import DocumentForm
from documents.models import Document
from documents.rendering import render_markdown
from documents.selectors import document_missing, find_document, get_document, was_deleted
from documents.services import StaleRevision
from documents.texts import MAX_CONTENT_LENGTH
from documents.views.common import require_form_methods, revision_in
from documents.views.conflicts import Resolution, conflict_page, judge_merged, with_values


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
    if _is_far_too_long(request, document):
        return _form_page(request, DocumentForm(request.POST, document=document), document, 400)
    match Resolution.of(request):
        case Resolution.MERGE | Resolution.MINE as mode:
            return conflict_page(request, document, mode)
        case Resolution.COPY:
            return new(request)
    return _save(request, document)


def _is_far_too_long(request: HttpRequest, document: Document) -> bool:
    """Looked at before anything is compared with it; the form says what is too long exactly.

    Twice, because forms send each line ending as two characters.
    """
    longest = 2 * max(MAX_CONTENT_LENGTH, len(document.content))
    return any(len(request.POST.get(name, "")) > longest for name in ("content", "mine"))


def _save(request: HttpRequest, document: Document) -> HttpResponse:
    form = DocumentForm(request.POST or None, document=document)
    if form.is_valid():
        judge_merged(request, form)
    if not form.is_valid():
        if "base_revision" in request.POST:
            return conflict_page(request, document, refused=form)
        return _form_page(request, form, document)
    expected = form.cleaned_data["expected_revision"] or document.revision
    try:
        services.update_document(
            page_actor(request), document.pk, expected_revision=expected, **form.values()
        )
    except StaleRevision:
        return conflict_page(request, get_document(signed_in(request), document.pk))
    except NotFound:  # deleted since we looked
        return _edit_deleted(request, document.pk)
    messages.success(request, _("Saved."))
    return redirect("documents:detail", document.pk)


@require_form_methods
@login_required
def delete(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = get_document(signed_in(request), document_id)
    if request.method != "POST":
        return render(request, "documents/confirm_delete.html", {"document": document})
    expected = revision_in(request.POST, "expected_revision")
    try:
        services.delete_document(page_actor(request), document_id, expected_revision=expected)
    except StaleRevision as error:
        messages.warning(request, error.message)
        return redirect("documents:delete", document_id)
    messages.success(request, _deleted(document.title))
    return redirect("documents:list")


def _deleted(title: str) -> str:
    return format_html(
        '{} <a href="{}">{}</a>',
        _("“%(title)s” is deleted.") % {"title": title},
        reverse("documents:trash"),
        _("It can be restored from the trash."),
    )


def _create(request: HttpRequest, form: DocumentForm) -> HttpResponse:
    document = services.create_document(page_actor(request), **form.values())
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
    form = DocumentForm(with_values(request, expected_revision=""))
    if form.is_valid() and not first_time:
        return _create(request, form)
    if first_time:
        message = _("It was deleted while you were writing. Save again to keep your text as new.")
        form.add_error(None, message)
    return _form_page(request, form, status=409)
