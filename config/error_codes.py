"""The page of all error codes, as it is written down from the code."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def error_codes(_request: HttpRequest) -> HttpResponse:
    """Markdown, which people and programs can read as it is; a browser shows it as text."""
    page = settings.BASE_DIR / "docs" / "error-codes.md"
    return HttpResponse(page.read_bytes(), content_type="text/plain; charset=utf-8")
