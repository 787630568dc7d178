"""The tool types of this app, found by `tools.registry.discover`."""

from agents.types import send_message
from agents.types.ask_model import tool as ask_model

__all__ = ["ask_model", "send_message"]
