"""axe-core finds nothing serious on any page, light and dark, on a desktop and on a phone.

The pages are read from the resolver: a new one is checked from its first day, or fails here until
somebody says how to fill in its address or that it is no page.
"""

import os
import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # has no types
from django.apps import apps
from django.template.loader import render_to_string
from playwright.sync_api import Page, Route, ViewportSize

from config.base.models import User
from tests.browser.conftest import InDatabase, NewContext, SignIn
from tests.browser.rows import make_rows
from tests.processes.harness import Server
from tests.test_strangers import ROUTES

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
OWNER = "cara"  # whom no other browser test signs in
NO_PAGE = {
    *("api/schema/", "healthz", "readyz", "favicon.ico", "accounts/logout/"),
    *("chat/send/", "chat/news/", "chat/<uuid:conversation_id>/thread/", "documents/preview/"),
    *("skills/jobs/", "knowledge/spaces/<uuid:space_id>/files/"),
    *("knowledge/resources/<uuid:resource_id>/download/", "memories/export/"),
}
PUBLIC = {"accounts/login/", "api/docs/", "admin/login/"}
NAMES = {
    "tool_slug": "document",
    "tool_type": "fetch",
    "skill_id": "memory-recall",
    "version": "1.0.0",
}  # in addresses of the console
QUERIES = ("actions/?tab=decided", "documents/?type=memory", "documents/?q=nothing-like-it")
ERRORS = ("403.html", "403_csrf.html", "404.html", "410.html", "500.html", "error.html")
# Django's own addresses that lead elsewhere, or answer scripts.
_NO_CONSOLE_PAGE = re.compile(
    r"\(\?P|/<path:object_id>/$|autocomplete|jsi18n|/r/|log(in|out)/|password_change/done|admin/search/"
)
# What we can't mend: how Django's widget for permissions, in django-unfold's colours, is drawn.
_KNOWN = re.compile(
    r"aria-prohibited-attr \d+ <span class=.help-tooltip"
    r"|color-contrast \d+ <input type=.text. placeholder=.Filter. id=.id_\w+_input.>"
)
_MODEL = re.compile(r"admin/(\w+)/(\w+)/")
_RUN_AXE = """async () => {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  const found = await axe.run(document, {resultTypes: ["violations"], preload: false});
  return found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map(({id, nodes}) => [id, nodes.length, nodes[0].html, nodes[0].any[0]?.message].join(" "));
}"""

type Look = tuple[Literal["light", "dark"], ViewportSize]


def pages_of_a_person() -> list[str]:
    others = NO_PAGE | PUBLIC
    return [
        *(r for r in ROUTES if r not in others and not r.startswith(("api/", "admin/"))),
        *QUERIES,
    ]


def pages_of_the_console() -> list[str]:
    """Pages about deletion and history know nothing of a model: those of one are enough."""
    console = [r for r in ROUTES if r.startswith("admin/") and not _NO_CONSOLE_PAGE.search(r)]
    alike = re.compile(r"/<path:object_id>/(delete|history)/$")
    return [r for r in console if not alike.search(r) or r.startswith("admin/tools/tool/")]


@pytest.fixture(scope="module")
def things(in_database: InDatabase, live_app: Server) -> dict[str, Any]:
    """By the name of the parameter that stands for it in an address."""
    made: dict[str, Any] = in_database(lambda: make_rows(User.objects.get(username=OWNER)))
    return made


@pytest.fixture(scope="module")
def first_rows(in_database: InDatabase, things: dict[str, Any]) -> dict[str, str]:
    """Of each model, by app and name."""

    def look() -> dict[str, str]:
        rows = {m._meta.label_lower: m._default_manager.first() for m in apps.get_models()}
        return {label.replace(".", "/"): str(row.pk) for label, row in rows.items() if row}

    rows: dict[str, str] = in_database(look)
    return rows


@pytest.fixture
def page(new_context: NewContext) -> Page:
    return axe_page(new_context)


def axe_page(new_context: NewContext, **options: Any) -> Page:
    """For `run_axe`."""
    context = new_context(reduced_motion="reduce", bypass_csp=True, **options)  # axe styles
    context.add_init_script(AXE_SCRIPT)
    return context.new_page()


def run_axe(page: Page) -> list[str]:
    return [one for one in page.evaluate(_RUN_AXE) if not _KNOWN.match(one)]


def fill(route: str, values: dict[str, Any]) -> str:
    def value(match: re.Match[str]) -> str:
        assert match[1] in values, f"Say in rows.py what stands for {match[1]} in {route}"
        return str(values[match[1]])

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, route)


def look_at(page: Page, address: str, looks: Sequence[Look]) -> list[str]:
    """What axe finds there. What only takes forms, or is for nobody, is no page."""
    if page.request.get(address).status in (403, 405):
        return []
    findings: list[str] = []
    for n, (scheme, size) in enumerate(looks):
        page.set_viewport_size(size)
        if not n or scheme != looks[n - 1][0]:  # Chromium keeps inherited colours until a reload
            page.emulate_media(color_scheme=scheme)
            response = page.goto(address)
            assert response
            assert response.status == 200, address
        findings += [f"{address} {scheme} {size['width']}: {one}" for one in run_axe(page)]
    return findings


def check(page: Page, addresses: Iterable[str], looks: Sequence[Look]) -> None:
    findings = [one for address in addresses for one in look_at(page, address, looks)]
    assert not findings, "\n".join(findings)


LOOKS: list[Look] = [
    ("light", DESKTOP),
    ("light", PHONE),
    ("dark", PHONE),
    ("dark", DESKTOP),
]


def serve_error(page: Page, name: str) -> str:
    """The address of an error page, in the product's own place: its styles load from there."""
    error = {"http_status": 409, "message": "Not now."}
    page.route(f"**/an-error/{name}", partial(_answer, render_to_string(name, {"error": error})))
    return f"/an-error/{name}"


def _answer(body: str, route: Route) -> None:
    route.fulfill(body=body, content_type="text/html; charset=utf-8")


def test_pages_for_anybody(page: Page) -> None:
    addresses = [f"/{path}" for path in sorted(PUBLIC)]
    addresses += [serve_error(page, name) for name in ERRORS]
    check(page, addresses, LOOKS)


def test_pages_of_a_person(page: Page, sign_in: SignIn, things: dict[str, Any]) -> None:
    sign_in(page, OWNER)
    addresses = [fill(route, things) for route in pages_of_a_person()]
    check(page, addresses, LOOKS)


@pytest.mark.parametrize("part", range(len(LOOKS)))
def test_pages_of_the_console(
    page: Page, sign_in: SignIn, first_rows: dict[str, str], things: dict[str, Any], part: int
) -> None:
    """They are made of the same parts: each is looked at once, a quarter of them in each look.
    With EVERY_LOOK in the environment: each in all of them.
    """
    sign_in(page, "operator")
    looks = LOOKS if "EVERY_LOOK" in os.environ else LOOKS[part : part + 1]
    routes = ["admin/", *pages_of_the_console()[part :: len(LOOKS)]]
    check(page, [address_of_row(route, first_rows, things) for route in routes], looks)


def address_of_row(route: str, first_rows: dict[str, str], things: dict[str, Any]) -> str:
    model = _MODEL.match(route)
    label = f"{model[1]}/{model[2]}" if model else ""
    assert "<" not in route or label in first_rows, f"Make a {label} in rows.py"
    keys = dict.fromkeys(("object_id", "key", "id"), first_rows.get(label, ""))
    return fill(route, things | keys | NAMES)
