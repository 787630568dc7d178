"""docs/error-codes.md names every code that a client can meet, and none that is gone."""

import re
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from scripts.error_codes import PAGE, render

CODE = re.compile(r"`(\w+)` \|")


def codes(text: str) -> list[str]:
    return [code for section in text.split("\n## ")[1:] for code in CODE.findall(section)]


def test_the_page_has_every_code_of_the_code() -> None:
    assert codes(PAGE.read_text()) == codes(render()), "run: python -m scripts.error_codes"


def test_it_is_a_page_worth_having() -> None:
    found = codes(PAGE.read_text())
    assert {"stale_version", "throttled", "scope_missing", "domain_not_allowed"} <= set(found)
    assert len(found) > 80


def test_every_code_of_the_openapi_document_is_on_it() -> None:
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    named = {
        code
        for methods in schema["paths"].values()
        for operation in methods.values()
        for answer in operation["responses"].values()
        for code in re.findall(r"`([a-z_]+)`", answer["description"])
    }
    assert named - {"If"} <= set(codes(PAGE.read_text()))
