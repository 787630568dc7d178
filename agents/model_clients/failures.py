"""What a library's exception means: one of our errors. By names, for to name its classes would
import it."""

import json
from collections.abc import Iterator

from django.utils.translation import gettext_noop

from agents.model_clients.errors import (
    ModelConfused,
    ModelContextExceeded,
    ModelError,
    ModelFault,
    ModelFiltered,
    ModelKeyRefused,
    ModelNotFound,
    ModelRateLimited,
    ModelRedirected,
    ModelRefused,
    ModelTimeout,
    ModelTooMuch,
    ModelUnreachable,
)

# Most special first.
_ERRORS: tuple[tuple[str, type[ModelError]], ...] = (
    ("Timeout", ModelTimeout),
    ("TimeoutError", ModelTimeout),
    ("TimeoutException", ModelTimeout),
    ("APITimeoutError", ModelTimeout),
    ("RateLimitError", ModelRateLimited),
    ("AuthenticationError", ModelKeyRefused),
    ("PermissionDeniedError", ModelKeyRefused),
    ("NotFoundError", ModelNotFound),
    ("ContextWindowExceededError", ModelContextExceeded),
    ("ContentPolicyViolationError", ModelFiltered),
    ("BadRequestError", ModelRefused),
    ("UnprocessableEntityError", ModelRefused),
    ("BudgetExceededError", ModelRefused),
    ("APIConnectionError", ModelUnreachable),
    ("ServiceUnavailableError", ModelFault),
    ("BadGatewayError", ModelFault),
    ("InternalServerError", ModelFault),
    ("TransportError", ModelUnreachable),  # httpx, in the middle of a stream
)
_BY_STATUS: dict[int, type[ModelError]] = {
    401: ModelKeyRefused,
    403: ModelKeyRefused,
    404: ModelNotFound,
    408: ModelTimeout,
    429: ModelRateLimited,
}
_FILTERED = ("content_filter", "content management policy", "content_policy")

SENTENCES: dict[type[ModelError], str] = {
    ModelTimeout: gettext_noop("%(model)s took too long."),
    ModelRateLimited: gettext_noop("%(model)s has too much to do right now. Try again later."),
    ModelRefused: gettext_noop("%(model)s refused the request."),
    ModelKeyRefused: gettext_noop(
        "%(model)s does not accept our key. An operator has to look at its profile."
    ),
    ModelNotFound: gettext_noop(
        "%(model)s does not know the model that it is asked for. An operator has to look at its "
        "profile."
    ),
    ModelContextExceeded: gettext_noop(
        "%(model)s can't take in so much at once. Ask for less, or begin a new conversation."
    ),
    ModelFiltered: gettext_noop("%(model)s won't answer this: its provider filters it."),
    ModelRedirected: gettext_noop(
        "%(model)s sent us to another address. What you said was not sent there."
    ),
    ModelConfused: gettext_noop("%(model)s gave an answer that can't be read."),
    ModelTooMuch: gettext_noop("%(model)s said more than is taken of one answer, and was stopped."),
    ModelUnreachable: gettext_noop("%(model)s can't be reached."),
    ModelFault: gettext_noop("%(model)s can't answer: its server failed."),
    ModelError: gettext_noop("%(model)s gave no usable answer."),
}


def kind_of(error: Exception) -> type[ModelError]:
    """The library wraps what happened several times over: the innermost says most."""
    chain = list(_chain(error))
    for one in chain:
        if isinstance(one, ModelError):  # raised by ours, below the library
            return type(one)
    if any(isinstance(one, json.JSONDecodeError) for one in chain):
        return ModelConfused
    if _names(error) & {"BadRequestError"} and any(word in str(error) for word in _FILTERED):
        return ModelFiltered
    if "InternalServerError" in _names(error) and not _is_from_http(chain):
        # How the library puts that nobody listens there, and that it understood nothing.
        return ModelUnreachable if "Connection error" in str(error) else ModelConfused
    return _by_name(error) or _by_status(error)


def retry_after_seconds(error: Exception) -> float:
    """What the server asked for in seconds; a date, or nonsense, counts as nothing."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(float(headers.get("retry-after", 0)), 0.0)
    except ValueError:
        return 0.0


def _by_name(error: Exception) -> type[ModelError] | None:
    names = _names(error)
    return next((ours for name, ours in _ERRORS if name in names), None)


def _by_status(error: Exception) -> type[ModelError]:
    status = getattr(error, "status_code", None)  # a 403 comes as the bare APIError
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return ModelRefused if isinstance(status, int) and 400 <= status < 500 else ModelError


def _is_from_http(chain: list[BaseException]) -> bool:
    return any("HTTPStatusError" in _names(one) for one in chain)


def _names(error: BaseException) -> set[str]:
    return {base.__name__ for base in type(error).__mro__}


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    seen: set[int] = set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
