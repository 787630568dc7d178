"""Digests of bytes, by algorithm."""

import hashlib
import hmac

from django.utils.translation import gettext as _

from tools.errors import fail

ALGORITHMS = ("sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b")
LEGACY = ("md5", "sha1")  # broken for anything that has an enemy; for checksums of old alone


def digest(data: bytes, algorithm: str) -> bytes:
    """Raises `ToolFailure` with code algorithm."""
    return hashlib.new(_known(algorithm), data, usedforsecurity=False).digest()


def keyed_digest(data: bytes, key: bytes, algorithm: str) -> bytes:
    """Raises `ToolFailure` with code algorithm."""
    return hmac.digest(key, data, _known(algorithm))


def is_legacy(algorithm: str) -> bool:
    return _known(algorithm) in LEGACY


def _known(algorithm: str) -> str:
    """`SHA-256` and `sha3-256` are known too."""
    folded = algorithm.strip().lower()
    spellings = {folded, folded.replace("-", "_"), folded.replace("-", "")}
    offered = (*ALGORITHMS, *LEGACY)
    known = next((name for name in offered if name in spellings), None)
    if known is None:
        fail(
            "algorithm",
            _("%(name)s is not offered; there are: %(known)s.")
            % {"name": repr(algorithm[:40]), "known": ", ".join(offered)},
        )
    return known
