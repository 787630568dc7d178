"""A service that reads texts into vectors: what it is sent, and what it can't do to a search."""

import base64
import json
import socket
import struct
from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import numpy as np
import pytest

from config.base.outbound.testing import ScriptedServer, http_answer
from documents.search.embedders import EmbedderFailed, endpoint, get_embedder
from documents.search.embedders.endpoint import EndpointEmbedder

LOOPBACK = (ip_network("127.0.0.0/8"),)
VECTORS = [[3.0, 4.0], [0.0, 2.0]]

type Answer = dict[str, Any] | bytes


def answering(*answers: Answer) -> Callable[[bytes, socket.socket], None]:
    left = list(answers)

    def respond(_request: bytes, peer: socket.socket) -> None:
        answer = left.pop(0) if len(left) > 1 else left[0]
        peer.sendall(
            answer if isinstance(answer, bytes) else http_answer(json.dumps(answer).encode())
        )

    return respond


def rows(*embeddings: Any, order: list[int] | None = None) -> Answer:
    data = [{"index": index, "embedding": one} for index, one in enumerate(embeddings)]
    return {"data": [data[index] for index in order] if order else data, "usage": {}}


def packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@pytest.fixture(autouse=True)
def opened(settings: Any) -> None:
    settings.EMBEDDER_NETWORKS = LOOPBACK
    settings.EMBEDDER_SECONDS = settings.EMBEDDER_QUESTION_SECONDS = 5.0


def embedder_of(server: ScriptedServer) -> EndpointEmbedder:
    host, port = server.address
    return EndpointEmbedder(f"http://{host}:{port}/v1/", "bge-m3")


@pytest.mark.parametrize(
    "answer",
    [
        rows(*VECTORS),
        rows(*VECTORS, order=[1, 0]),
        rows(*[packed(vector) for vector in VECTORS]),
    ],
    ids=["numbers", "out of order", "base64"],
)
def test_each_text_gets_its_vector_of_length_1(answer: Answer) -> None:
    with ScriptedServer(answering(answer)) as server:
        vectors = embedder_of(server).embed_passages(["a", "b"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 1.0]]


def test_what_it_is_sent(settings: Any) -> None:
    settings.EMBEDDER_KEY = "sk-secret"
    with ScriptedServer(answering(rows([1.0, 0.0]))) as server:
        embedder_of(server).embed_question("x" * 9_000)
        head, body = server.requests[0].split(b"\r\n\r\n", 1)
    assert head.startswith(b"POST /v1/embeddings HTTP/1.1")
    assert head.lower().count(b"authorization: bearer sk-secret") == 1
    assert b"sk-secret" not in body
    assert json.loads(body) == {
        "model": "bge-m3",
        "input": ["x" * 8_000],
        "encoding_format": "float",
    }


def test_without_a_key_none_is_sent() -> None:
    with ScriptedServer(answering(rows([1.0, 0.0]))) as server:
        embedder_of(server).embed_question("x")
        assert b"authorization" not in server.requests[0].lower()


def test_many_texts_go_in_several_requests() -> None:
    def respond(request: bytes, peer: socket.socket) -> None:
        count = len(json.loads(request.split(b"\r\n\r\n", 1)[1])["input"])
        peer.sendall(http_answer(json.dumps(rows(*[[1.0, n] for n in range(count)])).encode()))

    with ScriptedServer(respond) as server:
        vectors = embedder_of(server).embed_passages([str(n) for n in range(70)])
        assert len(server.requests) == 3
    assert vectors.shape == (70, 2)


BAD: dict[str, Answer] = {
    "too few": rows([1.0, 0.0]),
    "too many": rows(*VECTORS, [1.0, 1.0]),
    "none": {"data": []},
    "twice the same": {"data": [{"index": 0, "embedding": [1.0]}] * 2},
    "no number": http_answer(b'{"data": [{"index": 0, "embedding": [NaN, 1]}, '
                             b'{"index": 1, "embedding": [1, 1]}]}'),
    "no direction": rows([0.0, 0.0], [1.0, 0.0]),
    "too large for a number": rows([1e300, 0.0], [1.0, 0.0]),
    "empty": rows([], []),
    "several lengths": rows([1.0], [1.0, 0.0]),
    "no base64": rows("§", "§"),
    "base64 of half a number": rows("AAA=", "AAA="),
    "words": http_answer(b"hello"),
    "another shape": {"embeddings": [[1.0]]},
    "500": http_answer(b"{}", status="500 Error"),
    "a redirect": http_answer(
        b"", status="307 Moved", headers={"Location": "http://127.0.0.1:1/v1/embeddings"}
    ),
    "cut off": b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
def test_what_is_no_answer_is_a_failure(answer: Answer) -> None:
    with ScriptedServer(answering(answer)) as server, pytest.raises(EmbedderFailed) as failed:
        embedder_of(server).embed_passages(["a", "b"])
    assert failed.value.message
    assert failed.value.retryable


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_MOST_BYTES", 100)
    answer = rows([0.123456789] * 100)
    with ScriptedServer(answering(answer)) as server, pytest.raises(EmbedderFailed):
        embedder_of(server).embed_question("a")


def test_a_question_waits_for_so_long_and_then_nobody_asks_for_a_while(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMBEDDER_QUESTION_SECONDS = 0.2
    with ScriptedServer(lambda _request, _peer: server.stopped.wait(5)) as server:  # type: ignore[arg-type]
        embedder = embedder_of(server)
        for _ in range(3):
            with pytest.raises(EmbedderFailed):
                embedder.embed_question("a")
        assert len(server.requests) <= 1
        dialled = len(server.requests)
        monkeypatch.setattr(embedder, "_rests_until", 0.0)
        with pytest.raises(EmbedderFailed):
            embedder.embed_question("a")
        assert len(server.requests) == dialled + 1


def test_what_is_indexed_makes_no_question_wait() -> None:
    """A text that the service refuses says nothing of the next one."""
    refused = http_answer(b"{}", status="400 Bad Request")
    with ScriptedServer(answering(refused, rows([1.0, 0.0]))) as server:
        embedder = embedder_of(server)
        with pytest.raises(EmbedderFailed):
            embedder.embed_passages(["a"])
        assert embedder.embed_question("a").tolist() == [1.0, 0.0]


def test_a_private_address_is_refused_unless_it_is_opened(settings: Any) -> None:
    settings.EMBEDDER_NETWORKS = ()
    with ScriptedServer(answering(rows([1.0, 0.0]))) as server:
        with pytest.raises(EmbedderFailed, match="address"):
            embedder_of(server).embed_question("a")
        assert server.requests == []


def test_the_key_stands_in_no_error(settings: Any) -> None:
    settings.EMBEDDER_KEY = "sk-secret"
    answer = http_answer(b"sk-secret", status="401 No")
    with ScriptedServer(answering(answer)) as server, pytest.raises(EmbedderFailed) as failed:
        embedder_of(server).embed_question("a")
    assert "sk-secret" not in str(failed.value)


def test_its_vectors_are_named_by_model_and_host(settings: Any) -> None:
    settings.EMBEDDER, settings.EMBEDDER_MODEL = "endpoint", "bge-m3"
    settings.EMBEDDER_URL = "https://models.example/v1"
    embedder = get_embedder()
    assert embedder is not None
    assert embedder.name == "bge-m3@models.example"
    assert get_embedder() is embedder
