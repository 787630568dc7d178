"""Who else may read a document of mine, and what others let me read."""

import uuid

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.base.errors import InvalidInput
from config.base.people import page_actor, signed_in
from documents import services
from documents.enums import ShareKind
from documents.models import Document
from documents.selectors import get_document
from documents.services.sharing import Shared
from documents.share_forms import LinkForm, PersonForm, ProjectForm, ShareForm
from documents.shares import list_shared_documents, list_shares
from documents.views.common import require_form_methods

PAGE_SIZE = 20


@require_safe
@login_required
def shared(request: HttpRequest) -> HttpResponse:
    documents = list_shared_documents(signed_in(request), timezone.now())
    page = Paginator(documents, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "documents/shared_list.html", {"page_obj": page})


@never_cache
@require_form_methods
@login_required
def share(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = get_document(signed_in(request), document_id)
    form = _sent_form(request)
    if form is None or not form.is_valid():
        return _share_page(request, document, form)
    try:
        made = form.share(page_actor(request), document.pk)
    except InvalidInput as error:
        form.add_error(form.reader_field, forms.ValidationError(error.message, code=error.code))
        return _share_page(request, document, form)
    except IntegrityError:  # a double click on a form that is good for one link
        return _made_already(request, document)
    return _shared_page(request, document, made)


@require_POST
@login_required
def revoke(request: HttpRequest, document_id: uuid.UUID, share_id: uuid.UUID) -> HttpResponse:
    services.revoke_share(page_actor(request), document_id, share_id)
    messages.success(request, _("It is shared no longer."))
    return redirect("documents:share", document_id)


def _sent_form(request: HttpRequest) -> ShareForm | None:
    """The one of the three that was sent."""
    if request.method != "POST":
        return None
    kinds = {form.kind: form for form in (PersonForm, ProjectForm, LinkForm)}
    wanted = request.POST.get("kind", "")
    form = kinds.get(ShareKind(wanted)) if wanted in ShareKind.values else None
    return form(signed_in(request), request.POST) if form else None


def _share_page(request: HttpRequest, document: Document, sent: ShareForm | None) -> HttpResponse:
    user = signed_in(request)
    made = [PersonForm(user), ProjectForm(user), LinkForm(user)]
    shown = [sent if sent and sent.kind == form.kind else form for form in made]
    context = {
        "document": document,
        "shares": list_shares(user, document.pk, timezone.now()),
        "forms": [form for form in shown if form.is_of_use],
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "documents/share.html", context, status=status)


def _shared_page(request: HttpRequest, document: Document, made: Shared) -> HttpResponse:
    if made.token:
        url = request.build_absolute_uri(reverse("shared-link", args=[made.token]))
        context = {"document": document, "share": made.share, "url": url}
        return render(request, "documents/link_made.html", context)
    messages.success(request, _("Shared."))
    return redirect("documents:share", document.pk)


def _made_already(request: HttpRequest, document: Document) -> HttpResponse:
    messages.warning(request, _("This link was made already; it is not shown a second time."))
    return redirect("documents:share", document.pk)
