"""What one's conversations may let out, to be looked at and taken back."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.consents import list_consents, revoke_consent
from config.base.people import page_actor, signed_in

_PAGE_SIZE = 30


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    rows = Paginator(list_consents(signed_in(request)), _PAGE_SIZE)
    page = rows.get_page(request.GET.get("page"))
    return render(request, "chat/consents.html", {"page_obj": page})


@require_POST
@login_required
def revoke(request: HttpRequest, consent_id: UUID) -> HttpResponse:
    revoke_consent(page_actor(request), consent_id)
    messages.success(request, _("Taken back: you are asked again before anything leaves."))
    return redirect("chat:consents")
