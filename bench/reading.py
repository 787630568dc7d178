"""Reading over real HTTP: the list of 100,000 documents, and a long document's page."""

import time
from collections.abc import Sequence

import httpx

from bench.cast import make_long_document, reader, session_of
from bench.figures import Figure, median, p95

API_LISTS = (
    "/api/agent-documents/",
    "/api/agent-documents/?page=3",
    "/api/agent-documents/?type=document",
    "/api/agent-documents/?type=memory&page_size=100",
)
PAGE_LISTS = ("/documents/", "/documents/?page=3", "/documents/?type=memory")
BY_TITLE = ("/documents/?sort=title",)
FAR = ("/documents/?page=4000",)
ROUNDS, LONG_ONES = 40, 12


def measure_lists(url: str, token: str) -> list[Figure]:
    with _client(url, token) as api, _client(url) as page:
        told = [*_times(api, API_LISTS), *_times(page, PAGE_LISTS)]
        by_title, far = _times(page, BY_TITLE), _times(page, FAR)
    return [
        Figure("list_p95_ms", "list of 100,000 documents, API and page, p95", p95(told), limit=100),
        Figure("list_median_ms", "  the same, median", median(told)),
        Figure("list_by_title_p95_ms", "  page sorted by title, p95", p95(by_title)),
        Figure("list_far_p95_ms", "  page 4,000, p95", p95(far)),
    ]


def measure_pages(url: str) -> list[Figure]:
    """The first view of a revision renders it; the next ones find it rendered."""
    documents = [make_long_document(reader(), n) for n in range(LONG_ONES)]
    addresses = [f"/documents/{document.pk}/" for document in documents]
    with _client(url) as page:
        page.get("/documents/")
        first = [_time(page, address) for address in addresses][2:]
        again = [_time(page, address) for address in addresses * 3]
    return [
        Figure(
            "render_ms", "page of 50,000 characters, first view, median", median(first), limit=150
        ),
        Figure("render_cached_ms", "  seen before, median", median(again), limit=20),
    ]


def _client(url: str, token: str = "") -> httpx.Client:
    if token:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=url, headers=headers, timeout=60)
    return httpx.Client(base_url=url, cookies=session_of(reader()), timeout=60)


def _times(client: httpx.Client, addresses: Sequence[str]) -> list[float]:
    for address in addresses:
        client.get(address)
    return [_time(client, address) for _n in range(ROUNDS) for address in addresses]


def _time(client: httpx.Client, address: str) -> float:
    started = time.perf_counter()
    response = client.get(address)
    taken = (time.perf_counter() - started) * 1000
    if response.status_code != 200:
        raise SystemExit(f"{address}: {response.status_code} {response.text[:200]}")
    return taken
