"""What of this app can be found by `documents.search`."""

from agents.memories.indexing import MemorySource
from documents.search.sources import register

register(MemorySource())
