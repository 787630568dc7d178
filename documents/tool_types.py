"""What this app adds to the tools; found by `tools.registry`."""

from documents.tool.tool import DocumentTool
from tools.registry import register

register(DocumentTool)
