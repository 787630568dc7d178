"""A body is taken at its word: unknown fields and other JSON types are refused, not made to fit."""

from typing import Any

import pytest
from django.http import QueryDict
from rest_framework import serializers

from config.base.rest.serializers import StrictSerializer


class Body(StrictSerializer):
    text = serializers.CharField(required=False, allow_null=True)
    slug = serializers.SlugField(required=False)
    flag = serializers.BooleanField(required=False)
    number = serializers.IntegerField(required=False)
    share = serializers.FloatField(required=False)
    id = serializers.UUIDField(required=False)
    at = serializers.DateTimeField(required=False)
    state = serializers.ChoiceField(["1", "2"], required=False)
    states = serializers.ListField(child=serializers.ChoiceField(["a", "{b}"]), required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False)
    anything = serializers.JSONField(required=False)


def codes(data: Any) -> dict[str, str]:
    body = Body(data=data)
    body.is_valid()
    errors: dict[str, Any] = body.errors
    return {name: found[0].code for name, found in errors.items()}


@pytest.mark.parametrize(
    "data",
    [
        {"text": 5},
        {"text": True},
        {"text": 1.5},
        {"slug": 5},
        {"flag": 0},
        {"flag": "true"},
        {"number": "5"},
        {"number": True},
        {"number": 1.5},
        {"share": "1"},
        {"share": False},
        {"id": 5},
        {"at": 20260101},
        {"state": 1},
        {"names": ["a", 5]},
    ],
)
def test_another_type_is_refused(data: dict[str, Any]) -> None:
    assert codes(data) == {next(iter(data)): "invalid"}


def test_a_choice_that_is_none_is_answered_with_those_that_are() -> None:
    body = Body(data={"state": "{0}", "states": ["c"]})
    assert not body.is_valid()
    errors: dict[str, Any] = body.errors
    assert errors["state"] == ['"{0}" is not one of: 1, 2.']
    assert errors["states"] == {0: ['"c" is not one of: a, {b}.']}
    assert errors["state"][0].code == errors["states"][0][0].code == "invalid_choice"


def test_every_wrong_field_is_named_at_once() -> None:
    found = codes({"text": 5, "flag": 1, "more": 1})
    assert found == {"text": "invalid", "flag": "invalid", "more": "unknown_field"}


@pytest.mark.parametrize(
    "data",
    [
        {"text": None},
        {"text": "5"},
        {"flag": False},
        {"number": 5},
        {"number": 5.0},
        {"share": 1},
        {"state": "1"},
        {"names": []},
        {"anything": {"deep": [1, None, "x"]}},
    ],
)
def test_what_fits_is_taken(data: dict[str, Any]) -> None:
    assert codes(data) == {}


def test_what_is_missing_is_told_beside_what_is_unknown() -> None:
    class Message(StrictSerializer):
        text = serializers.CharField()

    body = Message(data={"message": "hi"})
    assert not body.is_valid()
    told = {name: found[0].code for name, found in body.errors.items()}
    assert told == {"message": "unknown_field", "text": "required"}
    partial = Message(data={"message": "hi"}, partial=True)
    assert not partial.is_valid()
    assert set(partial.errors) == {"message"}


def test_a_form_has_nothing_but_text() -> None:
    assert codes(QueryDict("flag=true&number=5")) == {}
