"""The tool types of this app, found by `tools.registry.discover`."""

from agents.types import send_message
from agents.types.ask_model import tool as ask_model
from agents.types.memory_capture import tool as memory_capture
from agents.types.memory_search import tool as memory_search

__all__ = ["ask_model", "memory_capture", "memory_search", "send_message"]
