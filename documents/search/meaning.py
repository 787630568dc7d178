"""Which entries mean something alike: the cosines of one scope's vectors, by numpy.

A process keeps the scopes that were asked last. What was written since is read by its revision,
which grows under the lock of the scope's row; an entry that is gone is left out by whoever reads
the entries.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from documents.models import SearchScope, SearchVector
from documents.search.embedders.protocol import Vectors

MOST_KEPT_BYTES = 64 * 1024 * 1024

type Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matrix:
    revision: int
    ids: Ids
    vectors: Vectors

    @property
    def size(self) -> int:
        return int(self.ids.nbytes + self.vectors.nbytes)


class Kept:
    """The matrices that were asked last, up to a size."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._matrices: OrderedDict[tuple[int, bytes, str], Matrix] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[int, bytes, str]) -> Matrix | None:
        with self._lock:
            matrix = self._matrices.get(key)
            if matrix is not None:
                self._matrices.move_to_end(key)
            return matrix

    def put(self, key: tuple[int, bytes, str], matrix: Matrix) -> None:
        with self._lock:
            self._matrices[key] = matrix
            self._matrices.move_to_end(key)
            while sum(one.size for one in self._matrices.values()) > self._most_bytes:
                self._matrices.popitem(last=False)


_kept = Kept(MOST_KEPT_BYTES)


def find_cosines(scope_id: int, salt: bytes, model: str, question: Vectors) -> tuple[Ids, Vectors]:
    """Of all entries of the scope that this model has read. Some may be gone."""
    matrix = _up_to_date(scope_id, salt, model)
    if matrix.vectors.shape[0] == 0 or matrix.vectors.shape[1] != question.shape[0]:
        return no_ids(), no_cosines()
    return matrix.ids, matrix.vectors @ question


def no_ids() -> Ids:
    return np.empty(0, np.int64)


def no_cosines() -> Vectors:
    return np.empty(0, np.float32)


def stored(vector: Vectors) -> bytes:
    return vector.astype("<f2").tobytes()


def _up_to_date(scope_id: int, salt: bytes, model: str) -> Matrix:
    """The salt names the scope, too: ids come again where a database is made anew."""
    key = scope_id, salt, model
    known = _kept.get(key)
    now = SearchScope.objects.filter(pk=scope_id).values_list("vectors_revision", flat=True)
    revision = now.first() or 0
    if known is not None and known.revision == revision:
        return known
    since = known.revision if known is not None and known.revision < revision else 0
    fresh = _read(scope_id, model, since)
    matrix = _merged(known, fresh) if since and known is not None else fresh
    _kept.put(key, matrix)
    return matrix


def _read(scope_id: int, model: str, since: int) -> Matrix:
    rows = SearchVector.objects.filter(scope_id=scope_id, model=model, revision__gt=since)
    return _matrix(rows.values_list("entry_id", "revision", "vector"), since)


def _matrix(rows: Iterable[tuple[int, int, Any]], since: int) -> Matrix:
    found = list(rows)
    ids = np.array([entry_id for entry_id, _revision, _vector in found], dtype=np.int64)
    parts = [bytes(vector) for _id, _revision, vector in found]
    width = len(parts[0]) if parts else 0
    parts = [part if len(part) == width else bytes(width) for part in parts]
    vectors = np.frombuffer(b"".join(parts), dtype="<f2").astype(np.float32)
    latest = max((revision for _id, revision, _vector in found), default=since)
    return Matrix(latest, ids, vectors.reshape(len(found), width // 2))


def _merged(old: Matrix, fresh: Matrix) -> Matrix:
    """Of an entry that was read again the new vector alone."""
    if fresh.ids.size == 0:
        return Matrix(fresh.revision, old.ids, old.vectors)
    stays = ~np.isin(old.ids, fresh.ids)
    if old.vectors.shape[1] != fresh.vectors.shape[1]:
        return fresh
    return Matrix(
        fresh.revision,
        np.concatenate([old.ids[stays], fresh.ids]),
        np.concatenate([old.vectors[stays], fresh.vectors]),
    )
