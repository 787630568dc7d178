"""Doubles for models: in-process, and as an OpenAI-compatible server on loopback."""

from agents.testing.client import ScriptedClient
from agents.testing.http_server import scripted_server
from agents.testing.script import Drop, Hang, HttpError, Raw, ServerScript
from agents.testing.turns import Played, play_turn, tool_definitions

__all__ = [
    "Drop",
    "Hang",
    "HttpError",
    "Played",
    "Raw",
    "ScriptedClient",
    "ServerScript",
    "play_turn",
    "scripted_server",
    "tool_definitions",
]
