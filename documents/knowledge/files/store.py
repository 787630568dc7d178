"""The private store: files under names that nobody can guess, served by nobody but us."""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from documents.knowledge.errors import FileTooLarge

_NAME_BYTES = 24
_FOLDER_CHARS = 2  # so that no folder holds all of them


@dataclass(frozen=True, slots=True)
class Stored:
    name: str  # below the store
    size_bytes: int
    sha256: str

    @property
    def path(self) -> Path:
        return path_of(self.name)


def path_of(name: str) -> Path:
    return Path(settings.KNOWLEDGE_DIR) / name


@contextmanager
def keeping(chunks: Iterable[bytes]) -> Iterator[Stored]:
    """What is written stays if the block ends well. Raises `FileTooLarge` as soon as it is.

    A process that dies in between leaves it behind, for `purge_strays`.
    """
    name = _new_name()
    path = path_of(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield _write(name, path, chunks)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def remove(name: str) -> None:
    """One that is gone already is gone."""
    path_of(name).unlink(missing_ok=True)


def purge_strays(is_known: Callable[[list[str]], set[str]], *, older_than: float) -> int:
    """Remove files that no row knows, unless they are new: their row may be on its way."""
    removed = 0
    for folder in _folders():
        names = [
            f"{folder.name}/{entry.name}"
            for entry in os.scandir(folder)
            if entry.stat().st_mtime < older_than
        ]
        known = is_known(names) if names else set()
        for name in names:
            if name not in known:
                remove(name)
                removed += 1
    return removed


def _folders() -> list[Path]:
    root = Path(settings.KNOWLEDGE_DIR)
    return [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []


def _new_name() -> str:
    token = secrets.token_hex(_NAME_BYTES)
    return f"{token[:_FOLDER_CHARS]}/{token}"


def _write(name: str, path: Path, chunks: Iterable[bytes]) -> Stored:
    """On the disk for sure before its row says that it is there."""
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > settings.KNOWLEDGE_FILE_BYTES:
                raise FileTooLarge
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return Stored(name, size, digest.hexdigest())
