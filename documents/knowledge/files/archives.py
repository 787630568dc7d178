"""Looking into a zip file before anybody unpacks it. No Django: the child looks too."""

import os
import zipfile
import zlib
from pathlib import Path

MOST_ENTRIES = 10_000
MOST_BYTES = 500_000_000  # unpacked
MOST_RATIO = 200  # unpacked to packed: XML rarely passes 20, a bomb has 1,000
HARMLESS_BYTES = 5_000_000  # unpacked; below that no ratio does harm
CHUNK_BYTES = 1 << 20
_END, _END_BYTES = b"PK\x05\x06", 22


class ZipBomb(Exception):
    """Far larger unpacked than it is."""


class ZipBroken(Exception):
    """It can't be read as a zip file."""


class ZipEncrypted(Exception):
    """A part of it needs a password."""


def list_parts(path: Path) -> list[zipfile.ZipInfo]:
    """What it says of itself. Raises `ZipBroken`, `ZipBomb`, `ZipEncrypted`.

    Nothing may stand before the first part, and nothing after the last: a file that begins or ends
    as something else is that, too, and so may be a comment, which no office program writes.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
        ends = _ends_itself(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise ZipBroken from error
    if not ends or not parts or min(part.header_offset for part in parts) != 0:
        raise ZipBroken
    if any(part.flag_bits & 0x1 for part in parts):
        raise ZipEncrypted
    _weigh(parts, path.stat().st_size)
    return parts


def _ends_itself(path: Path) -> bool:
    """With the record that ends an archive, without a comment."""
    with path.open("rb") as file:
        file.seek(-_END_BYTES, os.SEEK_END)
        return file.read(len(_END)) == _END


def _weigh(parts: list[zipfile.ZipInfo], packed: int) -> None:
    unpacked = sum(part.file_size for part in parts)
    if len(parts) > MOST_ENTRIES or unpacked > MOST_BYTES:
        raise ZipBomb
    if unpacked > HARMLESS_BYTES and unpacked > MOST_RATIO * packed:
        raise ZipBomb


def unpack_to_nowhere(path: Path) -> None:
    """Each part is as large as it says, and whole. Raises `ZipBroken`, `ZipBomb`.

    `zipfile` gives no more than what a part says of itself; that this is all of it is checked by
    its checksum.
    """
    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                with archive.open(part) as stream:
                    while piece := stream.read(CHUNK_BYTES):
                        total += len(piece)
                        if total > MOST_BYTES:
                            raise ZipBomb
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise ZipBroken from error
    except zlib.error as error:
        raise ZipBroken from error
