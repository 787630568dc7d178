"""Static files: what a browser asks for, in either kind of server."""

import asyncio
import warnings

import pytest
from django.conf import settings
from django.test import AsyncClient, Client

pytestmark = pytest.mark.django_db  # a request closes connections at its end
ICON = "/static/gatehouse/favicon.svg"
BYTES = (settings.BASE_DIR / "static" / "gatehouse" / "favicon.svg").read_bytes()


def test_a_file_comes_whole_with_its_type() -> None:
    response = Client().get(ICON)
    assert (response.status_code, response.content) == (200, BYTES)
    assert response.headers["Content-Type"] == "image/svg+xml"
    assert response.headers["Content-Length"] == str(len(BYTES))


def test_a_head_has_the_length_and_no_body() -> None:
    response = Client().head(ICON)
    assert response.content == b""
    assert response.headers["Content-Length"] == str(len(BYTES))


def test_a_part_of_it_can_be_asked_for() -> None:
    response = Client().get(ICON, headers={"Range": "bytes=0-3"})
    assert (response.status_code, response.content) == (206, BYTES[:4])


def test_what_the_browser_has_is_not_sent_again() -> None:
    first = Client().get(ICON)
    again = Client().get(ICON, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_it_is_not_posted_to() -> None:
    assert Client().post(ICON).status_code == 405


def test_an_asynchronous_server_has_nothing_to_warn_of() -> None:
    async def ask() -> bytes:
        response = await AsyncClient().get(ICON)
        assert not response.streaming
        return response.content

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asyncio.run(ask()) == BYTES
