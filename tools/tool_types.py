"""The tool types of this app, found by `tools.registry.discover`."""

from tools.types.calculator import tool as calculator
from tools.types.datetime import tool as datetime
from tools.types.fetch import tool as fetch
from tools.types.json_query import tool as json_query
from tools.types.template import tool as template
from tools.types.text import tool as text

__all__ = ["calculator", "datetime", "fetch", "json_query", "template", "text"]
