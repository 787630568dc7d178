"""Model profiles: how models are reached, tried out and stood in for."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from agents.admin.profile_form import ModelProfileForm
from agents.model_clients.hints import hint_for, missing_key
from agents.model_clients.profiles import check_connection, duplicate_profile
from agents.model_clients.resolve import usable_chain
from agents.models import ModelProfile
from agents.models.agent import RULES
from config.base.admin_base import AuditedModelAdmin, Label, admin_actor, named


@admin.register(ModelProfile)
class ModelProfileAdmin(AuditedModelAdmin):
    form = ModelProfileForm
    list_display = ["name", "model", "base_url", "content", "key", "then_ask", "agents_using"]
    list_display += ["sort_order"]
    list_filter = ["external"]
    search_fields = ["name", "model"]
    actions_detail = ("test_connection", "duplicate")  # type: ignore[assignment]  # unfold says: none
    actions_row = ("test_connection", "duplicate")  # type: ignore[assignment]  # as above
    fieldsets = [
        (
            None,
            {
                "fields": [
                    *("name", "model", "base_url", "api_key_secret", "api_key_env"),
                    *("external", "sort_order"),
                ],
                "description": _(
                    "How to reach one model. Its key is a secret, or stays in the environment of "
                    "the server. Save, then test the connection."
                ),
            },
        ),
        (
            _("When it can't answer"),
            {
                "fields": ["retries", "fallback", "fallback_may_leave"],
                "description": _(
                    "It is asked again first, then the next profile. A run says which model "
                    "answered."
                ),
            },
        ),
        (
            _("How long it may take"),
            {
                "fields": [
                    *("timeout_seconds", "first_byte_timeout_seconds", "idle_timeout_seconds"),
                    *("connect_timeout_seconds", "stream"),
                ]
            },
        ),
        (_("How much at once"), {"fields": ["context_tokens", "max_output_tokens"]}),
        (
            _("Prices"),
            {
                "fields": ["input_price_usd", "output_price_usd"],
                "description": _("For the cost of runs and the budgets in money."),
            },
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        counted: QuerySet[Any] = rows.with_chain().annotate(used=Count("agent"))
        return counted

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        for warning in form.warnings():
            messages.warning(request, warning)

    @display(description=_("content"), label={"leaves": "warning", "stays": "success"})
    def content(self, profile: ModelProfile) -> Label:
        if profile.leaves:
            return Label("leaves", _("leaves"))
        return Label("stays", _("stays here"))

    @display(description=_("key"), label={"set": "success", "missing": "danger", "none": ""})
    def key(self, profile: ModelProfile) -> Label:
        if not (profile.api_key_env or profile.api_key_secret):
            return Label("none", _("none"))
        return Label("missing", _("not set")) if missing_key(profile) else Label("set", _("set"))

    @admin.display(description=_("then asks"))
    def then_ask(self, profile: ModelProfile) -> str:
        return " → ".join(one.name for one in usable_chain(profile)[1:]) or "–"

    @admin.display(description=_("agents"), ordering="used")
    def agents_using(self, profile: ModelProfile) -> int:
        used: int = getattr(profile, "used", 0)
        return used

    @action(
        description=_("Test connection"), url_path="check", icon="network_check",
        permissions=["change"],
    )  # fmt: skip
    def test_connection(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The page asks; only a POST sends the prompt."""
        profile = self._profile(request, object_id)
        result = None
        if request.method == "POST":
            result = check_connection(admin_actor(request), profile)
        code = result.error.code if result and result.error else ""
        return self._page(
            request,
            profile,
            "check",
            title=_("Test %(name)s") % {"name": profile},
            result=result,
            hint=hint_for(code, profile),
            missing=missing_key(profile),
            is_rules=profile.model == RULES,
        )

    @action(
        description=_("Duplicate"),
        url_path="duplicate",
        icon="content_copy",
        permissions=["change"],
    )
    def duplicate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        profile = self._profile(request, object_id)
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            title = _("Duplicate %(name)s") % {"name": profile}
            return self._page(request, profile, "duplicate", title=title)
        copy = duplicate_profile(admin_actor(request), profile)
        messages.success(request, _("This is the copy. Change what is to be different."))
        return HttpResponseRedirect(reverse("admin:agents_modelprofile_change", args=[copy.pk]))

    def _profile(self, request: HttpRequest, object_id: str) -> ModelProfile:
        profile: ModelProfile | None = self.get_object(request, object_id)
        if profile is None:
            raise Http404
        return profile

    def _page(
        self, request: HttpRequest, profile: ModelProfile, name: str, **context: Any
    ) -> TemplateResponse:
        original = named(profile, context["title"])
        context |= {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": original,
        }
        return TemplateResponse(request, f"admin/agents/modelprofile/{name}.html", context)
