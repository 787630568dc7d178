"""Serializers that take a body at its word, and the shape of errors in the schema."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.utils import html

from config.base.rest.parameters import MAX_NAMED

# What a field takes in JSON: DRF would make "5" of 5, True of 0 and an id of any number.
_JSON_TYPES: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], tuple[type, ...]], ...] = (
    (serializers.BooleanField, (bool,)),
    (serializers.CharField, (str,)),
    (serializers.ChoiceField, (str,)),
    (serializers.DateTimeField, (str,)),
    (serializers.FloatField, (int, float)),
    (serializers.IntegerField, (int, float)),  # 1.0 is a whole number to JSON Schema too
    (serializers.UUIDField, (str,)),
)


ERROR_TYPES = ["validation_error", "client_error", "server_error"]


class StrictSerializer(serializers.Serializer[Any]):
    """Unknown fields and other types are errors: neither ignored nor made to fit."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        for field in fields.values():
            _name_choices(field)
        return fields

    def to_internal_value(self, data: Any) -> Any:
        in_json = isinstance(data, dict) and not html.is_html_input(data)
        if in_json and (problems := self._unknown(data) | self._of_wrong_type(data)):
            raise serializers.ValidationError(problems | self._missing(data))
        return super().to_internal_value(data)

    def _unknown(self, data: dict[Any, Any]) -> dict[str, Any]:
        names = sorted(set(map(str, data)) - set(self.fields))[:MAX_NAMED]
        return {
            name: [serializers.ErrorDetail(_("Unknown field."), "unknown_field")] for name in names
        }

    def _missing(self, data: dict[Any, Any]) -> dict[str, Any]:
        """Told with the rest: a misspelt field is often the one that is missing."""
        return {
            name: [serializers.ErrorDetail(str(field.error_messages["required"]), "required")]
            for name, field in self.fields.items()
            if field.required and name not in data and not self.partial
        }

    def _of_wrong_type(self, data: dict[Any, Any]) -> dict[str, Any]:
        return {
            name: [serializers.ErrorDetail(_("Of the wrong type."), "invalid")]
            for name, field in self.fields.items()
            if name in data and not _has_type(field, data[name])
        }


def _name_choices(field: Any) -> None:
    """Also those of a list's items: who is told of a wrong one learns the right ones."""
    field = getattr(field, "child", field)
    if isinstance(field, serializers.ChoiceField):
        # DRF fills in {input}, and would take a brace of ours for a place of its own.
        names = ", ".join(map(str, field.choices)).replace("{", "{{").replace("}", "}}")
        message = _('"{input}" is not one of: %(names)s.') % {"names": names}
        field.error_messages["invalid_choice"] = message


def _has_type(field: Any, value: Any) -> bool:
    """Whether JSON's type fits; null, and what is not told by a type, is the field's own affair."""
    if value is None:
        return True
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        return all(_has_type(field.child, item) for item in value)
    for kind, types in _JSON_TYPES:
        if isinstance(field, kind):
            return isinstance(value, types) and (bool in types or not isinstance(value, bool))
    return True


class StrictSchema(OpenApiSerializerExtension):
    """Says so in the schema."""

    target_class = "config.base.rest.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class ErrorItemSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()
    attr = serializers.CharField(allow_null=True)


class ErrorSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(ERROR_TYPES)
    errors = ErrorItemSerializer(many=True)  # type: ignore[assignment]  # a field; DRF has a property of that name
