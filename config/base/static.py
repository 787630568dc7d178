"""Static files as WhiteNoise finds them, answered whole.

Under ASGI Django would read WhiteNoise's file to its end anyway before sending, with a warning for
each; all of ours are small.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]  # no types


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # untyped
    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        streamed = WhiteNoiseMiddleware.serve(static_file, request)
        response = HttpResponse(b"".join(streamed), status=streamed.status_code)
        response.headers = streamed.headers
        streamed.close()
        return response
