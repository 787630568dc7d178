"""Configs of tool rows: validated on every save, and again when a call reads them.

`outside` has the fields that types share which call somebody; `changes` tells what became of one.
"""

from tools.configs.loading import describe_errors, field_errors, load_config, validated_config

__all__ = ["describe_errors", "field_errors", "load_config", "validated_config"]
