"""Payload and result of somebody's job: asked first, recorded, never on a page unasked."""

from typing import Any

from django.contrib.admin.utils import label_for_field, unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from config.base import audit
from config.base.admin_base import ReadOnlyAdmin, admin_actor, as_block
from config.base.people import signed_in
from jobs.admin.shown import content_block
from jobs.selectors import shows_content


class ContentAdmin(ReadOnlyAdmin):
    """Of rows with a payload; `content` names the columns that are their owner's."""

    content: tuple[str, ...] = ("payload",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.reveal)
        own = path("<path:object_id>/content/", view, name=self._reveal_name())
        return [own, *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The fields that show content are told who looks."""
        self_made = super().get_fieldsets(request, obj)
        if obj is not None:
            obj.is_open = shows_content(signed_in(request), obj)
        return self_made

    def _reveal_name(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_content"

    def block(self, row: Any, name: str) -> Any:
        address = reverse(f"admin:{self._reveal_name()}", args=[row.pk])
        return content_block(getattr(row, name), shown=row.is_open, address=address)

    def reveal(self, request: HttpRequest, object_id: str) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        shown = request.method == "POST"
        if shown:
            self._record(request, row)
        title = _("Content of somebody's job")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": row,
            "title": title,
            "row": row,
            "blocks": [
                (label_for_field(name, self.model), as_block(getattr(row, name)))
                for name in self.content
            ]
            if shown
            else None,
        }
        return TemplateResponse(request, "admin/jobs/content.html", context)

    def _record(self, request: HttpRequest, row: Model) -> None:
        kind = {"job": "job", "jobseries": "job_series"}[str(self.opts.model_name)]
        audit.record(
            f"{kind}.viewed",
            audit.Outcome.SUCCEEDED,
            actor=admin_actor(request),
            target=(kind, row.pk),
            metadata={"owner": audit.Person(row.owner_id)},  # type: ignore[attr-defined]  # both kinds have one
        )
