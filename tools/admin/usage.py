"""What people used on each day, and the budgets of those who differ from everybody."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import AuditedModelAdmin, ReadOnlyAdmin
from tools.models import UserBudget, UserDay


@admin.register(UserDay)
class UserDayAdmin(ReadOnlyAdmin):
    """Days are UTC's."""

    list_display = ["day", "user", "calls", "model_calls", "input_tokens", "output_tokens"]
    list_display += ["cost_usd"]
    list_filter = ["day"]
    list_select_related = ["user"]
    ordering = ["-day", "-pk"]
    search_fields = ["=user__username"]
    fields = ["user", "day", "calls", "model_calls", "input_tokens", "output_tokens", "cost_usd"]


@admin.register(UserBudget)
class UserBudgetAdmin(AuditedModelAdmin):
    list_display = ["user", "calls_per_run", "calls_per_day", "tokens_per_run", "tokens_per_day"]
    list_display += ["usd_per_run", "usd_per_day"]
    list_select_related = ["user"]
    ordering = ["user__username"]
    search_fields = ["=user__username"]
    autocomplete_fields = ["user"]
    fieldsets = [
        (None, {"fields": ["user"]}),
        (_("Per run"), {"fields": ["calls_per_run", "tokens_per_run", "usd_per_run"]}),
        (_("Per day"), {"fields": ["calls_per_day", "tokens_per_day", "usd_per_day"]}),
    ]

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """An empty field shows what then counts."""
        form = super().get_form(request, obj, change, **kwargs)
        for name, usual in settings.BUDGETS.items():
            if name in form.base_fields:
                form.base_fields[name].widget.attrs["placeholder"] = str(usual or _("no limit"))
        return form
