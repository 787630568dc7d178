"""The tool types of this app, found by `tools.registry.discover`."""

from tools.types.calculator import tool as calculator
from tools.types.datetime import tool as datetime
from tools.types.encode import tool as encode
from tools.types.fetch import tool as fetch
from tools.types.http_api import tool as http_api
from tools.types.json_query import tool as json_query
from tools.types.mcp import tool as mcp
from tools.types.random import tool as random
from tools.types.table_query import tool as table_query
from tools.types.template import tool as template
from tools.types.text import tool as text
from tools.types.unit_convert import tool as unit_convert
from tools.types.web_search import tool as web_search

__all__ = [
    "calculator",
    "datetime",
    "encode",
    "fetch",
    "http_api",
    "json_query",
    "mcp",
    "random",
    "table_query",
    "template",
    "text",
    "unit_convert",
    "web_search",
]
