"""What has been kept long enough goes, and one thing that fails stops no other."""

from datetime import timedelta
from unittest import mock

import pytest
from django.conf import settings
from django.utils import timezone

from config.base import housekeeping
from config.base.models import IdempotencyRecord, User
from documents.enums import Change
from documents.models import DocumentVersion
from tools.enums import CallStatus
from tools.models import ToolCall, ToolCallContent

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def old_things(alice: User) -> None:
    long_ago = timezone.now() - timedelta(days=400)
    answer = IdempotencyRecord.objects.create(user=alice, key="k", request_digest="")
    IdempotencyRecord.objects.filter(pk=answer.pk).update(created_at=long_ago)
    call = ToolCall.objects.create(
        idempotency_key="k", tool_slug="fetch", tool_type="fetch", status=CallStatus.SUCCESS
    )
    ToolCallContent.objects.create(call=call)
    ToolCallContent.objects.update(created_at=long_ago)
    DocumentVersion.objects.create(
        document_id=alice.pk,
        owner=alice,
        change=Change.DELETED,
        type="document",
        title="Old",
        content="x",
        created_at=long_ago,
        document_created_at=long_ago,
    )


def left() -> list[int]:
    models = (IdempotencyRecord, ToolCallContent, DocumentVersion)
    return [model.objects.count() for model in models]


def test_it_throws_away_what_is_due_and_keeps_the_ledger(old_things: None) -> None:
    assert left() == [1, 1, 1]
    housekeeping.keep_house()
    assert left() == [0, 0, 0]
    assert ToolCall.objects.count() == 1
    housekeeping.keep_house()  # twice is once


def test_one_that_fails_stops_no_other(
    old_things: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(settings, "HOUSEKEEPING", ["no.such.thing", *settings.HOUSEKEEPING])
    housekeeping.keep_house()
    assert left() == [0, 0, 0]
    assert "no.such.thing failed" in caplog.text


def test_the_host_begins_and_ends_at_once() -> None:
    host = housekeeping.HousekeepingHost()
    host.start()
    host.stop()
    assert not host._thread.is_alive()


def test_the_first_round_is_soon_and_then_one_every_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    rounds: list[int] = []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return len(waited) > 3

    host = housekeeping.HousekeepingHost()
    monkeypatch.setattr(host._stopping, "wait", wait)
    monkeypatch.setattr(housekeeping, "keep_house", lambda: rounds.append(len(waited)))
    monkeypatch.setattr("config.base.leases.hold_duty", lambda *_args, **_options: True)
    monkeypatch.setattr(housekeeping, "connection", mock.Mock())
    host._loop()
    assert 60 <= waited[0] <= 600
    assert waited[1:] == [3600, 3600, 3600]
    assert rounds == [1, 2, 3]
