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
  bad.push(...elements.filter((e) => e.protocol !== undefined && e.href && !schemes.includes(e.protocol)));
  bad.push(...elements.filter((e) => [...e.attributes].some((a) => /^(on|hx-|data-hx|style)/.test(a.name))));
  bad.push(...elements.filter((e) => e.id && !e.id.startsWith("u-")));
  return { bad: bad.map((e) => e.outerHTML), globals: Object.keys(window).sort(), forms: document.forms.length };
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


def make(api: httpx.Client, case: Case) -> str | None:
    """Its address; None where the text can't be stored at all."""
    title = f"{case.id} {case.markdown}".replace("\x00", "")[:255]
    response = api.post("/api/agent-documents/", json={"title": title, "content": case.markdown})
    if "\x00" in case.markdown:
        assert response.status_code == 400
        return None
    assert response.status_code == 201, response.text
    return f"/documents/{response.json()['id']}/"


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
    harmless = make(api, Case("harmless", "text", (), ""))
    assert harmless is not None
    plain = opened(page, harmless)
    witness = Witness(page, live_app.url)
    for case in CASES:
        address = make(api, case) if case.kind == kind else None
        if address is None:
            continue
        look = opened(page, address)
        assert (case.id, look["bad"], witness.seen) == (case.id, [], [])
        assert (look["globals"], look["forms"]) == (plain["globals"], plain["forms"]), case.id
        expect(page.locator(".prose")).to_contain_text(case.text)


def test_nothing_in_a_preview_acts(page: Page, sign_in: SignIn, live_app: Server) -> None:
    sign_in(page, "alice")
    page.goto("/documents/new/")
    witness = Witness(page, live_app.url)
    page.locator("textarea[name=content]").fill(HOSTILE_PREVIEW)
    expect(page.locator("[data-preview] h1")).to_have_text("<img src=x onerror=alert(1)>")
    assert page.evaluate(LOOK)["bad"] == []
    assert witness.seen == []
