"""Live servers on loopback that answer searches in the shape of each provider."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from config.base.outbound.testing import ScriptedServer, http_answer

type Row = dict[str, str]  # title, url, text, date

FOUND: list[Row] = [
    {
        "title": "Platypus",
        "url": "https://en.example.org/platypus",
        "text": "It lays eggs.",
        "date": "2026-05-01",
    },
    {
        "title": "Echidna",
        "url": "http://zoo.example/echidna?x=1#top",
        "text": "So does this.",
        "date": "",
    },
]


def searxng(rows: list[Row]) -> Any:
    keys = {"title": "title", "url": "url", "text": "content", "date": "publishedDate"}
    found = [_renamed(row, keys) | {"engine": "x", "score": 1.0} for row in rows]
    return {"query": "q", "number_of_results": 0, "results": found, "unresponsive_engines": []}


def brave(rows: list[Row]) -> Any:
    keys = {"title": "title", "url": "url", "text": "description", "date": "page_age"}
    told: dict[str, Any] = {"type": "search", "query": {"original": "q"}}
    if rows:
        found = [_renamed(row, keys) | {"type": "search_result"} for row in rows]
        told["web"] = {"type": "search", "results": found}
    return told


def tavily(rows: list[Row]) -> Any:
    keys = {"title": "title", "url": "url", "text": "content", "date": "published_date"}
    found = [_renamed(row, keys) | {"score": 0.9, "raw_content": None} for row in rows]
    return {"query": "q", "answer": None, "images": [], "results": found, "response_time": 1.2}


def _renamed(row: Row, keys: dict[str, str]) -> dict[str, Any]:
    return {theirs: row[ours] or None for ours, theirs in keys.items()}


SHAPES: dict[str, Callable[[list[Row]], Any]] = {
    "searxng": searxng,
    "brave": brave,
    "tavily": tavily,
}


class SearchServer(ScriptedServer):
    """Finds `rows`; or answers with `raw`, when a test sets it."""

    def __init__(self, provider: str, rows: list[Row] | None = None) -> None:
        self.provider = provider
        self.rows = FOUND if rows is None else rows
        self.raw: bytes | None = None
        super().__init__(lambda _request, peer: peer.sendall(self._answer_bytes()))

    def _answer_bytes(self) -> bytes:
        if self.raw is not None:
            return self.raw
        return answer_json(SHAPES[self.provider](self.rows))

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}/search"

    @property
    def config(self) -> dict[str, Any]:
        """Of a tool that asks this very server; one with a key needs it named beside."""
        networks = ["127.0.0.0/8"]
        return {"provider": self.provider, "url": self.url, "allowed_private_networks": networks}

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What it was asked for: the parameters of a GET, the body of a POST."""
        return [_asked(request) for request in self.requests]


def answer_json(told: Any, status: str = "200 OK") -> bytes:
    body = json.dumps(told).encode()
    return http_answer(body, status=status, headers={"Content-Type": "application/json"})


def _asked(request: bytes) -> dict[str, Any]:
    head, _blank, body = request.partition(b"\r\n\r\n")
    if head.startswith(b"POST"):
        found: dict[str, Any] = json.loads(body)
        return found
    target = head.split(b" ", 2)[1].decode()
    return {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
