"""What operators do to several tools at once."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import ngettext

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from tools.models import Tool
from tools.services import switch_tools


def switch_selected(request: HttpRequest, rows: QuerySet[Any, Tool], *, enabled: bool) -> None:
    keys = list(rows.order_by().values_list("pk", flat=True))
    try:
        switched = switch_tools(admin_actor(request), keys, enabled=enabled)
    except GatehouseError as error:
        messages.error(request, error.message)
        return
    if switched:
        messages.success(request, _done(switched, enabled=enabled))
    if left := len(keys) - switched:
        messages.info(request, _was_so(left, enabled=enabled))


def _done(n: int, *, enabled: bool) -> str:
    if enabled:
        words = ngettext("%(n)d tool was switched on.", "%(n)d tools were switched on.", n)
    else:
        words = ngettext("%(n)d tool was switched off.", "%(n)d tools were switched off.", n)
    return words % {"n": n}


def _was_so(n: int, *, enabled: bool) -> str:
    if enabled:
        words = ngettext("%(n)d tool was on already.", "%(n)d tools were on already.", n)
    else:
        words = ngettext("%(n)d tool was off already.", "%(n)d tools were off already.", n)
    return words % {"n": n}
