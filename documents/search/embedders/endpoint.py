"""A service that speaks OpenAI's `/embeddings`: vLLM, Ollama, llama.cpp, a hosted one.

The texts of memories and documents leave for it: that is the operator's choice, made in settings.
"""

import base64
import json
import time
from collections.abc import Sequence
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from django.conf import settings
from django.utils.translation import gettext as _
from pydantic import BaseModel, Field, ValidationError

from config.base.errors import GatehouseError
from config.base.outbound.client import OutboundClient, OutboundResponse
from config.base.outbound.deadline import Deadline
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import parse_url
from documents.models.search import MODEL_LENGTH
from documents.search.embedders.protocol import EmbedderFailed, Vectors, normalised

_MOST_CHARS = 8_000
_MOST_BYTES = 32 * 1024 * 1024
_AT_ONCE = 32
_REST_SECONDS = 30.0  # of questions, after a failure: nobody waits for a service that is away


class _Embedding(BaseModel):
    index: int = Field(ge=0)
    embedding: list[float] | str


class _Answer(BaseModel):
    data: list[_Embedding] = Field(min_length=1)


class EndpointEmbedder:
    is_multilingual = True
    least_cosine = 0.84

    def __init__(self, url: str, model: str) -> None:
        self.name = f"{model}@{urlsplit(url).hostname}"[-MODEL_LENGTH:]
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        self._rests_until = 0.0
        self._lock = Lock()

    def embed_question(self, text: str) -> Vectors:
        if time.monotonic() < self._rests_until:
            raise EmbedderFailed(_("The embedding service failed a moment ago."))
        try:
            vector: Vectors = self._ask([text], settings.EMBEDDER_QUESTION_SECONDS)[0]
        except EmbedderFailed:
            with self._lock:
                self._rests_until = time.monotonic() + _REST_SECONDS
            raise
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
        return np.concatenate([self._ask(part, settings.EMBEDDER_SECONDS) for part in parts])

    def _ask(self, texts: Sequence[str], seconds: float) -> Vectors:
        try:
            return self._read(self._send(texts, seconds), len(texts))
        except GatehouseError as error:
            raise EmbedderFailed(error.message) from error

    def _send(self, texts: Sequence[str], seconds: float) -> OutboundResponse:
        headers = {"Content-Type": "application/json"}
        if settings.EMBEDDER_KEY:
            headers["Authorization"] = f"Bearer {settings.EMBEDDER_KEY}"
        body = {
            "model": self._model,
            "input": [text[:_MOST_CHARS] for text in texts],
            "encoding_format": "float",
        }
        request = OutboundRequest(
            url=self._url, method="POST", headers=headers, body=json.dumps(body).encode()
        )
        policy = OutboundPolicy(
            allowed_domains=(parse_url(self._url).host,),
            allowed_networks=settings.EMBEDDER_NETWORKS,
            max_redirects=0,
            max_response_bytes=_MOST_BYTES,
        )
        return OutboundClient(policy).send(request, Deadline.after(seconds))

    def _read(self, response: OutboundResponse, count: int) -> Vectors:
        if not 200 <= response.status_code < 300 or response.truncated:
            status = response.status_code
            raise EmbedderFailed(_("The embedding service answered %s.") % status)
        try:
            data = _Answer.model_validate_json(response.content).data
        except ValidationError as error:
            raise EmbedderFailed(_("The embedding service's answer is none.")) from error
        data.sort(key=lambda one: one.index)
        rows = [_floats(one.embedding) for one in data]
        if [one.index for one in data] != list(range(count)):
            raise EmbedderFailed(_("The embedding service left a text out."))
        if len({len(row) for row in rows}) != 1:
            raise EmbedderFailed(_("The embedding service answered vectors of several lengths."))
        return normalised(np.stack(rows))


def _floats(embedding: list[float] | str) -> Any:
    """Some answer base64 whatever was asked for."""
    if isinstance(embedding, list):
        with np.errstate(over="ignore"):  # infinite then, and refused as such
            return np.asarray(embedding, dtype=np.float32)
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except ValueError as error:
        raise EmbedderFailed(_("The embedding service's vector is none.")) from error
