"""Rate limits of the API: of the token, and of the person behind it."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from config.base.limits import person_limit, token_limit
from config.base.models import ApiToken
from config.base.rates import take

if TYPE_CHECKING:  # DRF's views read their default throttles, these, while they are imported
    from rest_framework.views import APIView


class Rates(BaseThrottle):
    """A new one for each request: it remembers how long to wait, for Retry-After."""

    def __init__(self) -> None:
        self._seconds = 0

    def allow_request(self, request: Request, view: "APIView") -> bool:
        if isinstance(request.auth, ApiToken):
            self._seconds = take(token_limit(), request.auth.pk)
        if not self._seconds and request.user.is_authenticated:
            self._seconds = take(person_limit(), request.user.pk)
        return not self._seconds

    def wait(self) -> float:
        return self._seconds
