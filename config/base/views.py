"""The profile page: who I am here, my tokens, my password, where I am signed in."""

import uuid

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.core.paginator import Paginator
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.base import accounts
from config.base.forms import ProfileForm, TokenForm, list_time_zones
from config.base.ids import uuid7
from config.base.models import ApiToken
from config.base.people import page_actor, signed_in
from config.base.tokens import create_token, get_token, list_tokens, revoke_token

_ON_A_PAGE = 10


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def profile(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ProfileForm(request.POST) if request.method == "POST" else ProfileForm.of(user)
    if form.is_bound and form.is_valid():
        changed = accounts.update_profile(page_actor(request), **form.cleaned_data)
        with translation.override(changed.language):
            messages.success(request, _("Saved."))
        return redirect("profile")
    tokens = Paginator(list_tokens(user), _ON_A_PAGE)
    context = {
        "form": form,
        "time_zones": list_time_zones(),
        "page_obj": tokens.get_page(request.GET.get("page")),
        "now": timezone.now(),
    }
    return render(request, "profile/profile.html", context, status=400 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_token(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method != "POST":
        form = TokenForm(user=user, initial={"row_id": uuid7()})
        return render(request, "profile/token_new.html", {"form": form})
    form = TokenForm(request.POST, user=user)
    if not form.is_valid():
        return render(request, "profile/token_new.html", {"form": form}, status=400)
    made = _make_token(request, form)
    if made is None:
        messages.warning(request, _("This token was made already; it is not shown a second time."))
        return redirect("profile")
    row, token = made
    return render(request, "profile/token_made.html", {"row": row, "token": token})


def _make_token(request: HttpRequest, form: TokenForm) -> tuple[ApiToken, str] | None:
    """None if this form has made its token already."""
    given = form.cleaned_data
    if ApiToken.objects.filter(pk=given["row_id"]).exists():
        return None
    try:
        return create_token(
            signed_in(request),
            actor=page_actor(request),
            name=given["name"],
            scopes=given["scopes"],
            expires_at=form.expires_at(timezone.now()),
            row_id=given["row_id"],
        )
    except IntegrityError:  # a double click
        return None


@require_safe
@login_required
def ask_to_revoke(request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
    token = get_token(signed_in(request), token_id)
    return render(request, "profile/token_revoke.html", {"token": token})


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
    token = get_token(signed_in(request), token_id)
    revoke_token(token, actor=page_actor(request))
    messages.success(request, _("“%(name)s” is revoked.") % {"name": token.name})
    return redirect("profile")


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def password(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = PasswordChangeForm(user, request.POST if request.method == "POST" else None)
    if not (form.is_bound and form.is_valid()):
        status = 400 if form.is_bound else 200
        return render(request, "profile/password.html", {"form": form}, status=status)
    changed = accounts.change_password(page_actor(request), form.cleaned_data["new_password1"])
    update_session_auth_hash(request, changed)
    messages.success(request, _("The password is changed; other sessions are signed out."))
    return redirect("profile")


@require_POST
@login_required
def sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    accounts.end_sessions(page_actor(request))
    logout(request)
    messages.success(request, _("You are signed out everywhere."))
    return redirect("login")
