"""Who is in a space."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from config.base.errors import GatehouseError
from config.base.people import page_actor, signed_in
from documents.enums import SpaceRole
from documents.knowledge import services
from documents.knowledge.errors import LastManager
from documents.knowledge.forms import MemberForm
from documents.knowledge.selectors import get_space, list_members
from documents.knowledge.views.spaces import PAGE_SIZE, space_context
from documents.views.common import require_form_methods


@require_form_methods
@login_required
def index(request: HttpRequest, space_id: UUID) -> HttpResponse:
    user = signed_in(request)
    space = get_space(user, space_id)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        try:
            member = services.put_member(
                page_actor(request),
                space.pk,
                form.cleaned_data["username"],
                SpaceRole(form.cleaned_data["role"]),
            )
        except GatehouseError as error:
            form.add_error(None, error.message)
        else:
            facts = {"name": member.user.display_name, "role": member.get_role_display()}
            messages.success(request, _("%(name)s is in it as %(role)s.") % facts)
            return redirect("knowledge:members", space.pk)
    pages = Paginator(list_members(user, space.pk), PAGE_SIZE)
    context = space_context(user, space) | {
        "form": form,
        "page_obj": pages.get_page(request.GET.get("page")),
    }
    return render(request, "knowledge/members.html", context, status=400 if form.is_bound else 200)


@require_POST
@login_required
def remove(request: HttpRequest, space_id: UUID, member_id: UUID) -> HttpResponse:
    space = get_space(signed_in(request), space_id)
    try:
        services.remove_member(page_actor(request), space.pk, member_id)
    except LastManager as error:
        messages.warning(request, error.message)
        return redirect("knowledge:members", space.pk)
    messages.success(request, _("No longer in it."))
    still = type(space).objects.for_user(signed_in(request)).filter(pk=space.pk).exists()
    return redirect("knowledge:members", space.pk) if still else redirect("knowledge:list")
