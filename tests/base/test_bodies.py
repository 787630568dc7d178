"""A body has an end: what says that it is longer is not read, what turns out so is cut off."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from config.base.bodies import BodyLimit

MOST = 1_000


class Asked:
    """An application that reads its request to the end, as Django does, then answers."""

    def __init__(self) -> None:
        self.read = 0
        self.was_left = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.was_left = True
                return
            self.read += len(message["body"])
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


def ask(
    chunks: Iterable[bytes], *, length: int | None = None, path: str = "/api/x/"
) -> tuple[Asked, list[Any], Iterator[bytes]]:
    """What was asked, what was answered, and what was left unread."""
    application, sent, left = Asked(), list[Any](), iter(chunks)
    headers = [] if length is None else [(b"content-length", str(length).encode())]

    async def receive() -> dict[str, Any]:
        chunk = next(left, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: Any) -> None:
        sent.append(message)

    limit = BodyLimit(application, MOST)
    asyncio.run(limit({"type": "http", "path": path, "headers": headers}, receive, send))
    return application, sent, left


def two_gigabytes() -> Iterator[bytes]:
    for _number in range(2_000_000):
        yield bytes(MOST)


def test_what_fits_passes() -> None:
    application, sent, _left = ask([bytes(400), bytes(600)], length=MOST)
    assert application.read == MOST
    assert sent[0]["status"] == 200


@pytest.mark.parametrize("path", ["/api/knowledge/resources/", "/knowledge/spaces/x/upload/"])
def test_a_length_of_two_gigabytes_is_refused_unread(path: str) -> None:
    chunks = two_gigabytes()
    application, sent, left = ask(chunks, length=2 * 10**9, path=path)
    assert application.read == 0
    assert [message.get("status") for message in sent] == [413, None]
    assert sum(1 for _chunk in left) == 2_000_000
    assert b"too_large" in sent[1]["body"] or not path.startswith("/api/")


@pytest.mark.parametrize("length", [None, 10])
def test_what_says_nothing_or_lies_is_cut_off(length: int | None) -> None:
    application, sent, left = ask(two_gigabytes(), length=length)
    assert application.read == MOST
    assert application.was_left
    assert sent[0]["status"] == 413
    assert sum(1 for _chunk in left) == 2_000_000 - 2


def test_the_product_has_the_limit() -> None:
    from config.asgi import bounded_application
    from config.settings import KNOWLEDGE_FILE_BYTES

    assert KNOWLEDGE_FILE_BYTES < bounded_application.most_bytes <= KNOWLEDGE_FILE_BYTES + 10**6
