"""What narrowed a list, as facts of the audit: without the names of people."""

from typing import Any

from django.http import HttpRequest

from skills.console.filters import EVENT_FILTERS
from skills.models import AuditSubject

NAMES = frozenset(one.parameter_name for one in EVENT_FILTERS) - {"user"}


def shown_facts(request: HttpRequest) -> dict[str, Any]:
    """Each filter by its parameter; somebody by their subject; of a search that there was one."""
    facts: dict[str, Any] = {
        name: value for name, value in request.GET.items() if name in NAMES and value
    }
    if request.GET.get("q", "").strip():
        facts["searched"] = True
    if user := request.GET.get("user", "").strip():
        subject = AuditSubject.objects.filter(user__username=user).first()
        facts["subject"] = subject.pk if subject else None
    return facts
