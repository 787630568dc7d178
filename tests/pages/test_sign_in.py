"""Where the cursor is when one signs in."""

import pytest
from bs4 import BeautifulSoup
from django.test import Client

pytestmark = pytest.mark.django_db


def focused(response_content: bytes) -> list[str]:
    page = BeautifulSoup(response_content, "html.parser")
    return [str(field["name"]) for field in page.select("[autofocus]")]


def test_the_name_is_typed_first() -> None:
    assert focused(Client().get("/accounts/login/").content) == ["username"]


@pytest.mark.parametrize(("name", "field"), [("alice", "password"), ("", "username")])
def test_after_a_wrong_sign_in_what_is_missing_is_typed(name: str, field: str) -> None:
    response = Client().post("/accounts/login/", {"username": name, "password": "wrong"})
    assert focused(response.content) == [field]
