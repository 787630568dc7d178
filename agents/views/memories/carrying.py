"""Taking memories along, and bringing them in."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from agents.memories.portable import Imported, InvalidLines, export_memories, import_memories
from agents.views.memories.forms import ImportForm
from config.base.errors import InvalidInput
from config.base.people import page_actor


@require_GET
@login_required
def export(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    response = JsonResponse(
        export_memories(page_actor(request), now=now),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
    )
    response["Content-Disposition"] = f'attachment; filename="memories-{now:%Y-%m-%d}.json"'
    response["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def import_(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_bound and form.is_valid():
        done = _read(request, form)
        if done is not None:
            messages.success(request, _said(done))
            return redirect("memories:list")
    status = 400 if form.is_bound else 200
    return render(request, "memories/import.html", {"form": form}, status=status)


def _read(request: HttpRequest, form: ImportForm) -> Imported | None:
    body = form.cleaned_data["file"]
    try:
        return import_memories(page_actor(request), body["memories"], signature=body["signature"])
    except InvalidLines as error:
        for one in error.problems[:20]:
            told = {"n": one.line, "field": one.field, "message": one.message}
            form.add_error("file", _("Line %(n)s, %(field)s: %(message)s") % told)
    except InvalidInput as error:
        form.add_error("file", error.message)
    return None


def _said(done: Imported) -> str:
    added = ngettext("%(n)s memory is new", "%(n)s memories are new", done.added)
    skipped = ngettext(
        "%(n)s was remembered already", "%(n)s were remembered already", done.skipped
    )
    return f"{added % {'n': done.added}}; {skipped % {'n': done.skipped}}."
