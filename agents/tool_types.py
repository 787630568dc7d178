"""The tool types of this app, found by `tools.registry.discover`."""

from agents.types import send_message

__all__ = ["send_message"]
