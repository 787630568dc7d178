"""What this app adds to the tools; found by `tools.registry`."""

from documents.knowledge.tools.resource import KnowledgeResourceType
from documents.knowledge.tools.search import KnowledgeSearchType
from documents.tool.tool import DocumentTool
from tools.registry import register

register(DocumentTool)
register(KnowledgeSearchType)
register(KnowledgeResourceType)
