"""What a hostile or broken model server answers, and what a person is told of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from agents.model_clients.protocol import JSON, ModelReply, ToolRequest
from agents.testing import Drop, Hang, HttpError, Raw
from agents.testing.script import Line

SSE = "text/event-stream"
MIB = 1024 * 1024
LONG = ModelReply("One thing that I would like to say at some length before I am cut off.")


def chunk(delta: JSON, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return b"data: " + json.dumps(head | {"choices": [choice]} | more).encode() + b"\n\n"


def sse(*deltas: JSON, finish: str = "stop", **more: Any) -> Raw:
    parts = [chunk(delta) for delta in deltas]
    return Raw([*parts, chunk({}, finish, **more), b"data: [DONE]\n\n"], content_type=SSE)


def whole(message: JSON, finish: str = "stop", **more: Any) -> Raw:
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}
    head = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    return Raw([json.dumps(head | {"choices": [choice]} | more).encode()])


def said(text: str, *, stream: bool, finish: str = "stop", **more: Any) -> Raw:
    """Text as a server of either kind sends it, escapes and all."""
    delta = {"content": text}
    return sse(delta, finish=finish, **more) if stream else whole(delta, finish, **more)


def refusal(status: int, code: str, message: str = "no") -> Raw:
    body = {"error": {"message": message, "type": "invalid_request_error", "code": code}}
    return Raw([json.dumps(body).encode()], status=status)


def call(arguments: str, *, name: str = "calculator", id_: str = "c1") -> ToolRequest:
    return ToolRequest(id_, name, None, arguments)


def asks(*calls: ToolRequest, text: str = "") -> ModelReply:
    return ModelReply(text, calls)


ONE_AND_ONE = '{"expression": "1+1"}'
DEEP = '{"expression": ' + "[" * 50_000


@dataclass(frozen=True, slots=True)
class Case:
    """`lines`: what the server answers, given whether it streams. `asked`: how often it was.

    `says`: a part of the answer, or of the sentence that a person reads. `warns`: of a warning.
    """

    name: str
    lines: Callable[[bool], list[Line]]
    status: str = "COMPLETED"
    code: str = ""
    asked: int = 1
    says: str = ""
    warns: str = ""

    def __str__(self) -> str:
        return self.name


def same(*lines: Line) -> Callable[[bool], list[Line]]:
    return lambda stream: list(lines)


def _forever(part: bytes, *, pause_seconds: float = 0.0, begin: bytes = b"") -> Raw:
    return Raw([begin or part, *[part] * 2000], content_type=SSE, pause_seconds=pause_seconds)


def _silence(stream: bool) -> list[Line]:
    """It begins, and then says nothing for a long time."""
    part = chunk({"content": "Well,"}) if stream else b'{"id": "x", "choices": ['
    return [Raw([part, b" "], content_type=SSE if stream else "application/json", pause_seconds=9)]


def _drip(stream: bool) -> list[Line]:
    """Always alive, never done."""
    if stream:
        return [_forever(chunk({"content": "."}), pause_seconds=0.1)]
    return [Raw([b'{"id":', *[b" "] * 2000], pause_seconds=0.1)]


def _flood(stream: bool) -> list[Line]:
    """10 MB of small pieces, or in one body."""
    if stream:
        pieces = [chunk({"content": f"{n} {'word ' * 200}"}) for n in range(10 * 1024)]
        return [Raw(pieces, content_type=SSE)]
    return [said("word " * (2 * MIB), stream=False)]


def _again_and_again(stream: bool) -> list[Line]:
    if stream:
        return [Raw([chunk({"content": "and again "})] * 5000, content_type=SSE)]
    return [said("and again " * 50_000, stream=False)]


def _arguments(stream: bool) -> list[Line]:
    function = {"name": "document", "arguments": '{"content": "' + "x" * 10 * MIB + '"}'}
    calls = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}
    return [sse(calls) if stream else whole(calls)]


def _endless(stream: bool) -> list[Line]:
    """More than anybody would read, though none of it is the answer."""
    if stream:
        return [Raw([b": " + b"x" * MIB + b"\n\n"] * 40, content_type=SSE)]
    return [Raw([b'{"x": "', *[b"x" * MIB] * 40])]


def _strange(stream: bool) -> list[Line]:
    """Fields of types that nobody promised."""
    usage = {"prompt_tokens": -7, "completion_tokens": 10**30, "total_tokens": 0}
    return [said("ok", stream=stream, usage=usage)]


def _odd_calls() -> Iterator[ToolRequest]:
    yield call(ONE_AND_ONE, id_="same")
    yield call('{"expression": "2+2"}', id_="same")
    yield call(ONE_AND_ONE, id_="")
    yield call(ONE_AND_ONE, name="")
    yield call(ONE_AND_ONE, name="no such\u0000 tool" * 500, id_="i" * 500)
    yield call(DEEP)
    yield call('{"expression": NaN, "b": "\\ud800\\u0000"}')


CASES = [
    Case("answers nothing", same(""), says="gave no answer", warns="gave no answer"),
    Case(
        "loops",
        same(*[asks(call(f'{{"expression": "{n}+1"}}')) for n in range(6)]),
        asked=6,
        says="gave no answer",
        warns="limit of tool calls",
    ),
    Case(
        "repeats a call for ever",
        same(*[asks(call(ONE_AND_ONE))] * 6),
        asked=6,
        says="gave no answer",
        warns="limit of tool calls",
    ),
    Case("bad arguments", same(asks(call('{"expression": ')), "Sorry."), asked=2, says="Sorry."),
    Case("list for arguments", same(asks(call("[1]")), "Sorry."), asked=2, says="Sorry."),
    Case("unknown tool", same(asks(call("{}", name="rm")), "Sorry."), asked=2, says="Sorry."),
    Case(
        "prose before a call",
        same(asks(call(ONE_AND_ONE), text="Let me see."), "It is 2."),
        asked=2,
        says="It is 2.",
    ),
    Case("odd calls", same(asks(*_odd_calls()), "Done."), asked=2, says="Done."),
    Case(
        "thousands of calls",
        same(asks(*[call(ONE_AND_ONE, id_=str(n)) for n in range(3000)]), "Done."),
        asked=2,
        says="Done.",
        warns="too many calls at once",
    ),
    Case("hangs", same(Hang()), "UNAVAILABLE", "model_timeout", 1, "took too long"),
    Case("falls silent", _silence, "UNAVAILABLE", "model_timeout", 1, "took too long"),
    Case("drips for ever", _drip, "UNAVAILABLE", "model_timeout", 1, "took too long"),
    Case(
        "drops the connection",
        same(Drop(LONG), Drop(LONG)),
        "UNAVAILABLE",
        "model_unreachable",
        2,
        "can't be reached",
    ),
    Case(
        "closes without a word",
        lambda s: [Raw(content_type=SSE if s else "application/json")] * 2,
        "UNAVAILABLE",
        "model_unreachable",
        2,
    ),
    Case("drops once", same(Drop(LONG), "Here I am."), asked=2, says="Here I am."),
    Case(
        "429", same(*[HttpError(429)] * 2), "UNAVAILABLE", "model_rate_limited", 2, "too much to do"
    ),
    Case("429 once", same(HttpError(429), "At last."), asked=2, says="At last."),
    Case(
        "500", same(*[HttpError(500)] * 2), "UNAVAILABLE", "model_unreachable", 2, "server failed"
    ),
    Case("503 once", same(HttpError(503), "At last."), asked=2, says="At last."),
    Case("401", same(HttpError(401)), "UNAVAILABLE", "model_key_refused", 1, "accept our key"),
    Case("404", same(HttpError(404)), "UNAVAILABLE", "model_not_found", 1, "does not know"),
    Case("400", same(HttpError(400)), "FAILED", "model_refused", 1, "refused the request"),
    Case(
        "context too long",
        same(refusal(400, "context_length_exceeded", "maximum context length is 4096 tokens")),
        "FAILED",
        "model_context_exceeded",
        1,
        "new conversation",
    ),
    Case(
        "content filter",
        same(refusal(400, "content_filter", "content management policy")),
        "FAILED",
        "model_filtered",
        1,
        "filters it",
    ),
    Case(
        "filtered without a word",
        lambda s: [said("", stream=s, finish="content_filter")],
        "FAILED",
        "model_filtered",
    ),
    Case(
        "filtered half-way",
        lambda s: [said("Half of", stream=s, finish="content_filter")],
        says="Half of",
        warns="filtered a part",
    ),
    Case(
        "cut at its length",
        lambda s: [said("Half of", stream=s, finish="length")],
        says="Half of",
        warns="length that it is allowed",
    ),
    Case(
        "malformed JSON",
        lambda s: [Raw([b'data: {"id":\n\n'], content_type=SSE) if s else Raw([b'{"id":'])] * 2,
        "FAILED",
        "model_answer_invalid",
        2,
        "can't be read",
    ),
    Case(
        "an error in the stream",
        lambda s: [
            Raw([b'data: {"error": {"message": "boom", "code": 500}}\n\n'], content_type=SSE)
            if s
            else HttpError(500, "boom")
        ]
        * 2,
        "UNAVAILABLE",
        "model_unreachable",
        2,
        "server failed",
    ),
    Case(
        "a web page",
        same(*[Raw([b"<html>Welcome</html>"], content_type="text/html")] * 2),
        "FAILED",
        "model_answer_invalid",
        2,
    ),
    Case(
        "something else",
        same(*[Raw([b'{"choices": null}'])] * 2),
        "FAILED",
        "model_answer_invalid",
        2,
    ),
    Case("strange numbers", _strange, says="ok"),
    Case(
        "NUL and half characters",
        lambda s: [said("a\ud800b\x00c", stream=s)],
        says="a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c",
    ),
    Case("the same piece for ever", _again_and_again, "FAILED"),
    Case("10 MB", _flood, "FAILED", "model_answer_too_long", 1, "said more than"),
    Case("10 MB in one piece", lambda s: [said("x" * 10 * MIB, stream=s)], "FAILED",
         "model_answer_too_long"),
    Case("10 MB of arguments", _arguments, "FAILED", "model_answer_too_long"),
    Case("40 MB of nothing", _endless, "FAILED", "model_answer_too_long"),
]  # fmt: skip
