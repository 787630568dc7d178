"""Rows inserted without Django's compiler are what `save()` would have made of them."""

from datetime import datetime

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from config.base.inserts import insert
from skills.models import AuditEvent
from tests.factories import UserFactory
from tools.models import ToolCall, ToolCallContent

pytestmark = [pytest.mark.django_db, pytest.mark.both]

CONTENT = {"text": "\u00e4 \u4e2d", "list": [1, None, {"a": 0.5}]}


def a_call(key: str = "one") -> ToolCall:
    user = UserFactory.create()
    return ToolCall(
        idempotency_key=key,
        tool_slug="echo",
        tool_type="echo",
        user=user,
        origin="api",
        input_digest="0" * 64,
        decision=CONTENT,
        started_at=timezone.now(),
        status="open",
    )


def test_every_kind_of_value_comes_back_as_it_was() -> None:
    call = a_call()
    insert([call])
    assert not call._state.adding
    found = ToolCall.objects.get(pk=call.pk)
    for field in ToolCall._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(call, field.attname), field.name
    assert isinstance(found.created_at, datetime)


def test_a_row_of_an_inserted_one_is_updated_not_made_again() -> None:
    call = a_call()
    insert([call])
    call.status = "success"
    call.save()
    assert ToolCall.objects.get().status == "success"


def test_several_rows_keep_their_order() -> None:
    events = [
        AuditEvent(recorded_at=timezone.now(), action=f"x.{n}", outcome="allowed", actor="system")
        for n in range(3)
    ]
    insert(events)
    actions = AuditEvent.objects.filter(action__startswith="x.").order_by("id")
    assert list(actions.values_list("action", flat=True)) == ["x.0", "x.1", "x.2"]


def test_a_key_that_is_there_is_refused() -> None:
    insert([a_call("same")])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([a_call("same")])


def test_a_row_with_the_same_key_is_replaced_where_that_was_asked_for() -> None:
    call = a_call()
    insert([call])
    first = ToolCallContent(call=call, input={"n": 1}, output=CONTENT)
    insert([first], replacing=("input", "output"))
    insert([ToolCallContent(call=call, input={"n": 2}, truncated=True)], replacing=("input",))
    found = ToolCallContent.objects.get()
    assert (found.input, found.output, found.truncated) == ({"n": 2}, CONTENT, False)
