"""Pages of agents, read as a browser would."""

from typing import Any

from bs4 import BeautifulSoup, Tag
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

HTMX = {"HX-Request": "true"}


def page(client: Client, url: str, status: int = 200) -> BeautifulSoup:
    response = client.get(url)
    assert response.status_code == status
    return BeautifulSoup(response.content, "html.parser")


def soup(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def one(tag: Tag, selector: str) -> Tag:
    found = tag.select(selector)
    assert len(found) == 1, f"{len(found)} of {selector}"
    return found[0]


def form_of(tag: Tag, selector: str) -> dict[str, str]:
    """What a browser would send of the form, untouched."""
    values = {}
    for field in one(tag, selector).select("input[name], textarea[name], select[name]"):
        if field.get("type") == "checkbox" and not field.has_attr("checked"):
            continue
        text = field.text.removeprefix("\n") if field.name == "textarea" else field.get("value", "")
        values[str(field["name"])] = str(text)
    return values


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def notices(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]
