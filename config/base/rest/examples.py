"""Examples on serializers: every operation that takes or gives one shows them."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer


def answers_like[SerializerT: type](**values: Any) -> Callable[[SerializerT], SerializerT]:
    """Bodies that are sent back, by what they are examples of; a whole example stays as it is."""
    return _shown([_example(*item, response_only=True) for item in values.items()])


def asked_like[SerializerT: type](**values: Any) -> Callable[[SerializerT], SerializerT]:
    """Bodies that are taken, by what they are examples of."""
    return _shown([_example(*item, request_only=True) for item in values.items()])


def _example(name: str, value: Any, **direction: Any) -> OpenApiExample:
    if isinstance(value, OpenApiExample):
        return value
    return OpenApiExample(name.replace("_", " "), value=value, **direction)


def _shown(examples: list[OpenApiExample]) -> Callable[[Any], Any]:
    decorate: Callable[[Any], Any] = extend_schema_serializer(examples=examples)
    return decorate
