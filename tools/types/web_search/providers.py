"""How each provider is asked, and where the results stand in its answer."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from config.base.outbound.errors import OutboundRefused
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.urls import parse_url
from tools.types.web_search.config import WebSearchConfig

MAX_URL_CHARS = 2_000
_LEVELS = {"off": "0", "moderate": "1", "strict": "2"}


@dataclass(frozen=True, slots=True)
class Query:
    """`text` holds the site already where the provider has no other way for it."""

    text: str
    site: str
    count: int


@dataclass(frozen=True, slots=True)
class Provider:
    ask: Callable[[WebSearchConfig, Query], OutboundRequest]  # without the key
    key_header: Callable[[str], dict[str, str]]
    rows: Callable[[Any], Any]
    snippet: str
    published: tuple[str, ...]
    knows_sites: bool = False


def _ask_searxng(config: WebSearchConfig, query: Query) -> OutboundRequest:
    level = _LEVELS[config.safe_search]
    return _get(config, {"q": query.text, "format": "json", "safesearch": level})


def _ask_brave(config: WebSearchConfig, query: Query) -> OutboundRequest:
    asked = {"q": query.text, "count": str(query.count), "safesearch": config.safe_search}
    return _get(config, {**asked, "text_decorations": "false"})  # else with tags in its texts


def _ask_tavily(config: WebSearchConfig, query: Query) -> OutboundRequest:
    told: dict[str, Any] = {"query": query.text, "max_results": query.count}
    if query.site:
        told["include_domains"] = [query.site]
    return OutboundRequest(
        url=config.endpoint,
        method="POST",
        headers={"content-type": "application/json", "accept": "application/json"},
        body=json.dumps(told, ensure_ascii=False).encode(),
    )


def _get(config: WebSearchConfig, parameters: Mapping[str, str]) -> OutboundRequest:
    separator = "&" if "?" in config.endpoint else "?"
    url = f"{config.endpoint}{separator}{urlencode(parameters)}"
    return OutboundRequest(url=url, method="GET", headers={"accept": "application/json"}, body=None)


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


PROVIDERS: dict[str, Provider] = {
    "searxng": Provider(
        _ask_searxng, _bearer, lambda told: told["results"], "content", ("publishedDate",)
    ),
    "brave": Provider(
        _ask_brave,
        lambda key: {"x-subscription-token": key},
        lambda told: told.get("web", {}).get("results", []),  # none found: no such part
        "description",
        ("page_age", "age"),
    ),
    "tavily": Provider(
        _ask_tavily,
        _bearer,
        lambda told: told["results"],
        "content",
        ("published_date",),
        knows_sites=True,
    ),
}


def read_rows(provider: Provider, told: Any) -> list[dict[str, str]]:
    """Raises `ValueError` for an answer of another shape.

    Rows without an address that could be fetched are left out.
    """
    try:
        rows = provider.rows(told)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("no results in it") from error
    if not isinstance(rows, list):
        raise ValueError("its results are no list")
    return [_row(provider, row) for row in rows if _has_address(row)]


def _has_address(row: Any) -> bool:
    url = row.get("url") if isinstance(row, dict) else None
    if not isinstance(url, str) or len(url) > MAX_URL_CHARS:
        return False
    try:
        parse_url(url)
    except OutboundRefused:
        return False
    return True


def _row(provider: Provider, row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "title": _text(row.get("title")),
        "url": row["url"],
        "snippet": _text(row.get(provider.snippet)),
        "published": _first(row, provider.published),
    }


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((text for name in names if (text := _text(row.get(name)))), "")


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
