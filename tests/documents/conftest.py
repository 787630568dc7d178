"""Who asks for documents over HTTP."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from config.base.models import User
from tests.clients import with_session

ApiFor = Callable[[User], APIClient]
BrowserOf = Callable[[User], Client]


@pytest.fixture
def api_for() -> ApiFor:
    return with_session


@pytest.fixture
def browser_of() -> BrowserOf:
    def make(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return make
