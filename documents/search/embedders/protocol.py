from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from config.base.errors import GatehouseError

type Vectors = npt.NDArray[np.float32]


class EmbedderFailed(GatehouseError):
    """Now, or for this text: whoever searches goes on by words, whoever embeds tries again."""

    default_message = _("The model that reads texts into vectors failed.")
    code = "embedder_failed"
    http_status = 503
    retryable = True


class Embedder(Protocol):
    name: str  # stands by each vector: those of another model can't be compared
    is_multilingual: bool  # else a question with Chinese is answered by words alone
    least_cosine: float  # from here on likeness alone is a reason to answer

    def embed_question(self, text: str) -> Vectors:
        """One vector of length 1. Raises `EmbedderFailed`."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One of length 1 for each, in their order. Raises `EmbedderFailed`."""
        ...


def normalised(vectors: Vectors) -> Vectors:
    """Raises `EmbedderFailed` for what has no direction."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise EmbedderFailed(gettext("The model answered a vector without a direction."))
    return np.asarray(vectors / lengths, dtype=np.float32)
