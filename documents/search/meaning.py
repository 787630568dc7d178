"""Which entries mean something alike: the cosines of one scope's vectors, by numpy.

A process keeps the scopes that were asked last. What was written since is read by its revision,
which grows under the lock of the scope's row; that something is gone shows in their number.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Max, QuerySet

from documents.models import SearchVector
from documents.search.embedders.protocol import Vectors

MOST_KEPT_BYTES = 64 * 1024 * 1024

type Ids = npt.NDArray[np.int64]
type Key = tuple[int, bytes, str, int]  # scope, its salt, model, width


@dataclass(frozen=True, slots=True)
class Matrix:
    revision: int
    ids: Ids
    vectors: Vectors
    fits: npt.NDArray[np.bool_]  # not: of another width, and nothing can be said of it

    @property
    def size(self) -> int:
        return int(self.ids.nbytes + self.vectors.nbytes + self.fits.nbytes)

    def only(self, rows: npt.NDArray[np.bool_]) -> "Matrix":
        if rows.all():
            return self
        return Matrix(self.revision, self.ids[rows], self.vectors[rows], self.fits[rows])


class Kept:
    """The matrices that were asked last, up to a size; a larger one is read for each question."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._matrices: OrderedDict[Key, Matrix] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Matrix | None:
        with self._lock:
            matrix = self._matrices.get(key)
            if matrix is not None:
                self._matrices.move_to_end(key)
            return matrix

    def put(self, key: Key, matrix: Matrix) -> None:
        with self._lock:
            self._matrices.pop(key, None)
            if matrix.size > self._most_bytes:
                return
            self._matrices[key] = matrix
            while sum(one.size for one in self._matrices.values()) > self._most_bytes:
                self._matrices.popitem(last=False)


_kept = Kept(MOST_KEPT_BYTES)


def find_cosines(scope_id: int, salt: bytes, model: str, question: Vectors) -> tuple[Ids, Vectors]:
    """Of all entries of the scope that this model has read."""
    width = question.shape[0]
    vectors = SearchVector.objects.filter(scope_id=scope_id, model=model)
    # The salt names the scope, too: ids come again where a database is made anew.
    matrix = _up_to_date((scope_id, salt, model, width), vectors)
    matrix = matrix.only(matrix.fits)
    return matrix.ids, matrix.vectors @ question


def no_ids() -> Ids:
    return np.empty(0, np.int64)


def no_cosines() -> Vectors:
    return np.empty(0, np.float32)


def stored(vector: Vectors) -> bytes:
    return vector.astype("<f2").tobytes()


def _up_to_date(key: Key, vectors: QuerySet[SearchVector]) -> Matrix:
    now = vectors.aggregate(count=Count("pk"), revision=Max("revision"))
    known = _kept.get(key)
    if known is None:
        matrix = _read(vectors, 0, width=key[-1])
    elif (known.ids.size, known.revision) == (now["count"], now["revision"] or 0):
        return known
    else:
        matrix = _brought_up(known, vectors, now["count"], width=key[-1])
    _kept.put(key, matrix)
    return matrix


def _brought_up(known: Matrix, vectors: QuerySet[SearchVector], count: int, width: int) -> Matrix:
    matrix = _merged(known, _read(vectors, known.revision, width))
    if matrix.ids.size <= count:
        return matrix
    left = np.fromiter(vectors.values_list("pk", flat=True), dtype=np.int64)
    return matrix.only(np.isin(matrix.ids, left))


def _read(vectors: QuerySet[SearchVector], since: int, width: int) -> Matrix:
    rows = vectors.filter(revision__gt=since).values_list("entry_id", "revision", "vector")
    return _matrix(rows, since, width)


def _matrix(rows: Iterable[tuple[int, int, Any]], since: int, width: int) -> Matrix:
    found = list(rows)
    ids = np.array([entry_id for entry_id, _revision, _vector in found], dtype=np.int64)
    parts = [bytes(vector) for _id, _revision, vector in found]
    fits = np.array([len(part) == 2 * width for part in parts], dtype=np.bool_)
    whole = b"".join(part if len(part) == 2 * width else bytes(2 * width) for part in parts)
    vectors = np.frombuffer(whole, dtype="<f2").astype(np.float32).reshape(len(found), width)
    latest = max((revision for _id, revision, _vector in found), default=since)
    return Matrix(latest, ids, vectors, fits)


def _merged(old: Matrix, fresh: Matrix) -> Matrix:
    """Of an entry that was read again the new vector alone."""
    if fresh.ids.size == 0:
        return old
    stays = old.only(~np.isin(old.ids, fresh.ids))
    return Matrix(
        fresh.revision,
        np.concatenate([stays.ids, fresh.ids]),
        np.concatenate([stays.vectors, fresh.vectors]),
        np.concatenate([stays.fits, fresh.fits]),
    )
