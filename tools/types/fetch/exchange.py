"""What a type that calls over HTTP shows of its request and tells of the answer."""

import time
from collections.abc import Iterable
from dataclasses import replace

from config.base.outbound.client import OutboundResponse
from config.base.outbound.hops import OutboundRequest
from tools.schemas import Preview, ToolResult
from tools.secrets.known import hide_bytes, hide_text
from tools.types.fetch.config import ParseMode
from tools.types.fetch.parse import parse_response


def preview_of(request: OutboundRequest, url: str, of_operator: Iterable[str]) -> Preview:
    """What would leave, byte for byte where it is the model's; what the operator adds, by name.

    Sorted: PostgreSQL keeps no order of JSON's keys, and another order would be another effect.
    """
    lines = [f"{request.method} {url}"]
    lines += sorted(f"{name}: {text}" for name, text in request.headers.items())
    lines += sorted(of_operator)
    body = "" if request.body is None else f"\n\n{request.body.decode()}"
    return Preview("text", "\n".join(lines) + body)


def content_type_of(response: OutboundResponse) -> str:
    return hide_text(response.header("content-type"))[:200].replace("\0", "")


def result_of(
    response: OutboundResponse, mode: ParseMode, *, max_bytes: int, started: float
) -> ToolResult:
    # Before it is parsed, which could tear an echoed secret apart.
    content = hide_bytes(response.content, ends_early=response.truncated)
    parsed = parse_response(replace(response, content=content), mode, max_bytes)
    return ToolResult(
        data={
            "url": str(response.url),
            "status_code": response.status_code,
            "content_type": content_type_of(response),
            "content": parsed.content,
        },
        receipt={"status_code": response.status_code, "host": response.url.host},
        metadata={
            "status_code": response.status_code,
            "response_size": len(response.content),
            "truncated": response.truncated,
            "duration_ms": round((time.monotonic() - started) * 1000),
        },
        warnings=[*response.warnings, *parsed.warnings],
        provenance=frozenset({"untrusted"}),
    )
