"""Serializers that refuse what they do not know, and the shape of errors in the schema."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    """An unknown field in a body is an error, not ignored: a misspelt one must not be lost."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(set(map(str, data)) - set(self.fields))
            if unknown:
                raise serializers.ValidationError(
                    {
                        name: [serializers.ErrorDetail(_("Unknown field."), "unknown_field")]
                        for name in unknown
                    }
                )
        return super().to_internal_value(data)


class ErrorItemSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()
    attr = serializers.CharField(allow_null=True)


class ErrorSerializer(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="validation_error, client_error or server_error")
    errors = ErrorItemSerializer(many=True)  # type: ignore[assignment]  # a field; DRF has a property of that name
