"""The tests' database behaves as the product's, and is empty again after each test."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from config.base import audit
from config.base.models import User
from skills.models import AuditEvent
from skills.triggers import missing_triggers
from tests.database import without_triggers

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


def test_threads_share_it(alice: User) -> None:
    def count_users() -> int:
        try:
            return User.objects.count()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(count_users).result() == 1


def test_it_can_be_emptied_although_events_are_kept_for_good() -> None:
    audit.record("test.done", audit.Outcome.SUCCEEDED, actor=None)
    assert AuditEvent.objects.exists()  # left there: were it not for us, the clean-up would fail


def test_its_triggers_are_back_after_emptying() -> None:
    with without_triggers(connection):
        assert missing_triggers(connection)
    assert missing_triggers(connection) == []
