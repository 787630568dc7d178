"""`Idempotency-Key` on a POST that creates: the same key and body returns the first answer.

The row that holds the answer is written in the transaction of the effect, so neither can be there
without the other; a second request with the key waits for the first to commit.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.db import IntegrityError, transaction
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.digests import canonical_digest
from config.base.errors import Conflict, IdempotencyKeyReused, PreconditionFailed
from config.base.idempotency import check_key, old_answers
from config.base.models import IdempotencyRecord, User
from config.base.people import signed_in


def key_of(request: Request) -> str:
    """The request's key, or "". Raises `InvalidInput` on one that can't be kept."""
    return check_key(request.headers.get("Idempotency-Key", ""))


def request_digest(request: Request) -> str:
    return canonical_digest([request.method, request.path, request.data])


def find_answer(user: User, key: str, digest: str) -> Response | None:
    """The first answer to this key; raises `IdempotencyKeyReused` for another request."""
    forget_old_key(user, key)
    record = IdempotencyRecord.objects.filter(user=user, key=key).first()
    if record is None:
        return None
    if record.request_digest != digest:
        raise IdempotencyKeyReused
    response = Response(record.response, status=record.status_code)
    response["Idempotency-Replayed"] = "true"
    return response


def find_first_answer(request: Request) -> Response | None:
    """For what a handler waits for before its transaction: a repeated request need not."""
    key = key_of(request)
    return find_answer(signed_in(request), key, request_digest(request)) if key else None


def forget_old_key(user: User, key: str) -> None:
    """After a day the key is free, whether or not anybody has purged it."""
    old_answers().filter(user=user, key=key).delete()


def keep_answer(user: User, key: str, digest: str, response: Response) -> None:
    IdempotencyRecord.objects.create(
        user=user,
        key=key,
        request_digest=digest,
        status_code=response.status_code,
        response=json.loads(JSONRenderer().render(response.data)),
    )


def idempotent[ViewT: APIView, **P](
    handler: Callable[Concatenate[ViewT, Request, P], Response],
) -> Callable[Concatenate[ViewT, Request, P], Response]:
    """For handlers whose whole effect is in the database: one transaction with the answer."""

    @wraps(handler)
    def wrapper(self: ViewT, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> Response:
        key = key_of(request)
        if not key:
            return handler(self, request, *args, **kwargs)
        digest = request_digest(request)
        try:
            with transaction.atomic():
                answer = find_answer(signed_in(request), key, digest)
                if answer is None:
                    answer = handler(self, request, *args, **kwargs)
                    keep_answer(signed_in(request), key, digest, answer)
                return answer
        except (IntegrityError, Conflict, PreconditionFailed):
            # A twin committed first, and our effect met its own: its answer is ours.
            answer = find_answer(signed_in(request), key, digest)
            if answer is None:
                raise
            return answer

    return wrapper
