"""What a library's exception means: one of our errors. By names, for to name its classes would
import it."""

import math
from collections.abc import Iterator

from django.utils.translation import gettext_noop

from agents.model_clients.errors import (
    ModelConfused,
    ModelContextExceeded,
    ModelError,
    ModelFault,
    ModelFiltered,
    ModelKeyRefused,
    ModelKeyUnusable,
    ModelNotFound,
    ModelRateLimited,
    ModelRedirected,
    ModelRefused,
    ModelRepeats,
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
# In what a server says of a request that it refuses; the library knows but some of them.
_WORDS: dict[type[ModelError], tuple[str, ...]] = {
    ModelFiltered: ("content_filter", "content management policy", "content_policy"),
    ModelContextExceeded: (
        "context_length_exceeded",
        "maximum context length",
        "exceed_context_size",
        "exceeds the available context size",
        "context window",
        "prompt is too long",
    ),
}

SENTENCES: dict[type[ModelError], str] = {
    ModelTimeout: gettext_noop("%(model)s took too long."),
    ModelRateLimited: gettext_noop("%(model)s has too much to do right now. Try again later."),
    ModelRefused: gettext_noop("%(model)s refused the request."),
    ModelKeyRefused: gettext_noop(
        "%(model)s does not accept our key. An operator has to look at its profile."
    ),
    ModelKeyUnusable: gettext_noop(
        "The key of %(model)s can't be used. An operator has to look at its profile."
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
    ModelRepeats: gettext_noop("%(model)s kept repeating itself, and was stopped."),
    ModelUnreachable: gettext_noop("%(model)s can't be reached."),
    ModelFault: gettext_noop("%(model)s can't answer: its server failed."),
    ModelError: gettext_noop("%(model)s gave no usable answer."),
}


def kind_of(error: Exception) -> type[ModelError]:
    """The library wraps what happened several times over: the innermost says most."""
    own = own_error(error)
    if own is not None:
        return type(own)
    chain = list(_chain(error))
    from_http = any("HTTPStatusError" in _names(one) for one in chain)
    return _by_words(error) or (None if from_http else _on_the_way(error, chain)) or _named(error)


def own_error(error: Exception) -> ModelError | None:
    """What code of ours raised below the library."""
    return next((one for one in _chain(error) if isinstance(one, ModelError)), None)


def _by_words(error: Exception) -> type[ModelError] | None:
    text = str(error)
    if "repeating the same chunk" in text:  # the library counts them
        return ModelRepeats
    if "BadRequestError" not in _names(error):
        return None
    return next((kind for kind, words in _WORDS.items() if any(w in text for w in words)), None)


def _on_the_way(error: Exception, chain: list[BaseException]) -> type[ModelError] | None:
    """No answer of a server, but what became of the connection or of its bytes."""
    names = {name for one in chain for name in _names(one)}
    if names & {"TimeoutException", "TimeoutError"}:
        return ModelTimeout
    if "TransportError" in names:
        return ModelUnreachable
    if "JSONDecodeError" in names:
        return ModelConfused
    if "InternalServerError" in _names(error):
        # How the library puts that nobody listens there, and that it understood nothing.
        return ModelUnreachable if "Connection error" in str(error) else ModelConfused
    return None


def retry_after_seconds(error: Exception) -> float:
    """What the server asked for in seconds; a date, or nonsense, counts as nothing."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", 0))
    except ValueError:
        return 0.0
    return max(asked, 0.0) if math.isfinite(asked) else 0.0


def _named(error: Exception) -> type[ModelError]:
    names = _names(error)
    for name, ours in _ERRORS:
        if name in names:
            return ours
    status = getattr(error, "status_code", None)  # a 403 comes as the bare APIError
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return ModelRefused if isinstance(status, int) and 400 <= status < 500 else ModelError


def _names(error: BaseException) -> set[str]:
    return {base.__name__ for base in type(error).__mro__}


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    seen: set[int] = set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
