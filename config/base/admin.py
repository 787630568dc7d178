"""People and access."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as StandardGroupAdmin
from django.contrib.auth.admin import UserAdmin as StandardUserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import TabularInline
from unfold.decorators import action, display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from config.base.admin_base import AuditedModelAdmin, ConsoleAdmin, Label, admin_actor
from config.base.models import ApiToken, Membership, Project, Scope, User
from config.base.models.token import default_scopes
from config.base.tokens import create_token, revoke_token

_POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


class MembershipInline(TabularInline):
    model = Membership
    extra = 0
    fields = ["user", "project", "role"]
    autocomplete_fields = ["user", "project"]


class TokenInline(TabularInline):
    model = ApiToken
    extra = 0
    can_delete = False
    fields = ["name", "hint", "scopes", "created_at", "expires_at", "revoked_at"]
    readonly_fields = ["name", "hint", "scopes", "created_at", "expires_at", "revoked_at"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(StandardUserAdmin, AuditedModelAdmin):  # type: ignore[type-arg]  # as above
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "display_name", "email", "is_staff", "is_active", "last_login"]
    list_filter = ["is_staff", "is_superuser", "is_active", "memberships__role"]
    inlines = [MembershipInline, TokenInline]
    actions_detail = ("policy",)  # type: ignore[assignment]  # unfold says: none
    readonly_fields = ["last_login", "date_joined"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        (_("Person"), {"fields": ["first_name", "last_name", "email", "language", "time_zone"]}),
        (_("Access"), {"fields": ["is_active", *_POWERS]}),
        (_("Times"), {"fields": ["last_login", "date_joined"]}),
    ]

    def has_policy_permission(self, request: HttpRequest, _key: object = None) -> bool:
        return bool(request.user.has_perm("skills.view_permissiongrant"))

    @action(
        description=_("What they may do"), url_path="policy", icon="policy", permissions=["policy"]
    )
    def policy(self, request: HttpRequest, object_id: str) -> HttpResponse:
        page: HttpResponse = import_string(settings.CONSOLE_POLICY)(self, request, object_id)
        return page

    def get_inlines(self, request: HttpRequest, obj: User | None) -> Any:
        return super().get_inlines(request, obj) if obj else []

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Nobody gives a power that they do not have."""
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.is_superuser else [*fields, *_POWERS]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:  # noqa: A002  (Django's)
        with transaction.atomic():
            before = self.get_object(request, id)
            response = super().user_change_password(request, id, form_url)
            after = self.get_object(request, id)
            if before and after and before.password != after.password:
                self.record_change(request, after, ["password"])
        return response


def _may_touch(request: HttpRequest, user: User | None) -> bool:
    return user is None or not user.is_superuser or bool(request.user.is_superuser)


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(StandardGroupAdmin, AuditedModelAdmin):
    pass


@admin.register(Project)
class ProjectAdmin(AuditedModelAdmin):
    list_display = ["name", "slug", "members", "created_at"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["created_at"]
    inlines = [MembershipInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        annotated: QuerySet[Any] = rows.annotate(members_count=Count("memberships"))
        return annotated

    @admin.display(description=_("members"), ordering="members_count")
    def members(self, project: Any) -> int:
        count: int = project.members_count
        return count


@admin.register(Membership)
class MembershipAdmin(AuditedModelAdmin):
    list_display = ["user", "project", "role", "created_at"]
    list_filter = ["role", "project"]
    list_select_related = ["user", "project"]
    search_fields = ["user__username", "project__name"]
    autocomplete_fields = ["user", "project"]


class TokenForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        initial=default_scopes,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        label=_("Scopes"),
        help_text=_("Confirming actions is off unless you switch it on."),
    )

    class Meta:
        model = ApiToken
        fields = ["user", "name", "scopes", "expires_at"]


@admin.register(ApiToken)
class ApiTokenAdmin(ConsoleAdmin):
    """Making and revoking are audited by their services; nothing else can be done to a token."""

    form = TokenForm
    list_display = ["name", "user", "hint", "state", "created_at", "expires_at", "last_used_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    autocomplete_fields = ["user"]
    actions = ["revoke"]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ["user", "name", "scopes", "expires_at"]
        times = ["created_at", "expires_at", "revoked_at", "last_used_at"]
        return ["user", "name", "hint", "scopes", *times]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("base.change_apitoken"))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        row, token = create_token(
            obj.user,
            actor=admin_actor(request),
            name=obj.name,
            scopes=form.cleaned_data["scopes"],
            expires_at=obj.expires_at,
        )
        obj.pk, obj.hint = row.pk, row.hint
        text = _("The token, shown only now: %(token)s") % {"token": token}
        messages.warning(request, text)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        response: HttpResponse = super().response_add(request, obj, post_url_continue)
        response["Cache-Control"] = "no-store"
        return response

    @admin.action(description=_("Revoke the selected tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        tokens = list(queryset.filter(revoked_at=None))
        for token in tokens:
            revoke_token(token, actor=admin_actor(request))
        done = ngettext("%(n)d token revoked.", "%(n)d tokens revoked.", len(tokens))
        messages.success(request, done % {"n": len(tokens)})

    @display(description=_("state"), label={"revoked": "danger", "active": "success"})
    def state(self, token: ApiToken) -> Label:
        return Label("revoked", _("revoked")) if token.revoked_at else Label("active", _("active"))
