"""Hostile texts opened in a real browser under the real policy: nothing runs, loads or moves.

Each text is a document's title and content, made through the API, read on its page.
"""

from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import SignIn
from tests.documents.xss_cases import CASES, Case
from tests.processes.harness import Product, Server

KINDS = sorted({case.kind for case in CASES} - {"nest"})  # those are about time, not about acting
SEPARATOR = "\n\n***\n\n"
HOSTILE_PREVIEW = (
    "# <img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) ![b](https://evil.example)"
)
# As the browser itself understood the text: its own tree, its own view of what a link leads to.
LOOK = """() => {
  const names = "script,style,iframe,frame,object,embed,form,button,textarea,select,meta,base,link,"
    + "svg,math,template,img,video,audio,source,dialog,input:not([type=checkbox][disabled])";
  const texts = [...document.querySelectorAll(".prose")];
  const elements = texts.flatMap((text) => [...text.querySelectorAll("*")]);
  const schemes = ["http:", "https:", "mailto:", "tel:"];
  const bad = texts.flatMap((text) => [...text.querySelectorAll(names)]);
  const acts = (attribute) => /^(on|hx-|data-hx|style)/.test(attribute.name);
  bad.push(...elements.filter((e) => e.href && !schemes.includes(e.protocol)));
  bad.push(...elements.filter((e) => [...e.attributes].some(acts)));
  bad.push(...elements.filter((e) => e.id && !e.id.startsWith("u-")));
  const globals = Object.keys(window).sort();
  return { bad: bad.map((e) => e.outerHTML), globals, forms: document.forms.length };
}"""


class Witness:
    """Everything that a page does beside showing itself."""

    def __init__(self, page: Page, own: str) -> None:
        self.seen: list[str] = []
        page.on("dialog", self._on_dialog)
        page.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        page.on("popup", lambda popup: self.seen.append(f"popup: {popup.url}"))
        page.on("download", lambda download: self.seen.append(f"download: {download.url}"))
        page.on("request", lambda request: self._on_request(request.url, own))

    def _on_dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, url: str, own: str) -> None:
        if not url.startswith(own):
            self.seen.append(f"request: {url}")


@pytest.fixture
def api(product: Product, live_app: Server) -> httpx.Client:
    return live_app.client(product.demo("alice")["token"])


def make(api: httpx.Client, title: str, content: str) -> str:
    """Its address."""
    body = {"title": title[:255], "content": content}
    response = api.post("/api/agent-documents/", json=body)
    assert response.status_code == 201, response.text
    return f"/documents/{response.json()['id']}/"


def pages_of(kind: str) -> dict[str, list[Case]]:
    """A page takes half a second: the well-known cases have one each, the others one together.

    That each by itself gives harmless HTML is tested without a browser.
    """
    pages: dict[str, list[Case]] = {}
    for case in CASES:
        if case.kind == kind and "\x00" not in case.markdown:  # which can't be stored
            pages.setdefault(f"{kind}-own" if "-own-" in case.id else case.id, []).append(case)
    return pages


def opened(page: Page, address: str) -> dict[str, Any]:
    response: Response | None = page.goto(address)
    assert response is not None
    assert response.status == 200
    assert page.url.endswith(address)
    look: dict[str, Any] = page.evaluate(LOOK)
    return look


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_a_text_acts(
    kind: str, page: Page, sign_in: SignIn, api: httpx.Client, live_app: Server
) -> None:
    sign_in(page, "alice")
    plain = opened(page, make(api, "harmless", "text"))
    witness = Witness(page, live_app.url)
    for name, cases in pages_of(kind).items():
        text = SEPARATOR.join(case.markdown for case in cases)
        look = opened(page, make(api, f"{name} {cases[0].markdown}", text))
        assert (name, look["bad"], witness.seen) == (name, [], [])
        assert (look["globals"], look["forms"]) == (plain["globals"], plain["forms"]), name
        for case in cases:
            expect(page.locator(".prose")).to_contain_text(case.text)


def test_nothing_in_a_preview_acts(page: Page, sign_in: SignIn, live_app: Server) -> None:
    sign_in(page, "alice")
    page.goto("/documents/new/")
    witness = Witness(page, live_app.url)
    page.locator("textarea[name=content]").fill(HOSTILE_PREVIEW)
    expect(page.locator("[data-preview] h1")).to_have_text("<img src=x onerror=alert(1)>")
    assert page.evaluate(LOOK)["bad"] == []
    assert witness.seen == []
