"""The keys that seal secrets: settings.SECRETS_KEYS, newest first."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.translation import gettext as _

from tools.secrets.errors import SecretKeyMissing, SecretUnreadable

MIN_KEY_LENGTH = 32  # characters of a random text; it is stretched to a key, not hardened


@dataclass(frozen=True, slots=True)
class Key:
    """`id` says which key sealed a row, and nothing about the key."""

    id: str
    fernet: Fernet = field(repr=False)


def newest_key() -> Key:
    """Raises `SecretKeyMissing`."""
    keys = _keys()
    if not keys:
        raise SecretKeyMissing(_("GATEHOUSE_SECRETS_KEY holds no key."))
    return keys[0]


def knows_key(key_id: str) -> bool:
    return any(key.id == key_id for key in _keys())


def seal(value: str) -> tuple[str, str]:
    """The sealed text and the id of its key. Raises `SecretKeyMissing`."""
    key = newest_key()
    return key.fernet.encrypt(value.encode()).decode(), key.id


def unseal(sealed: str, key_id: str) -> str:
    """Raises `SecretKeyMissing` and `SecretUnreadable`."""
    key = next((key for key in _keys() if key.id == key_id), None)
    if key is None:
        raise SecretKeyMissing(
            _("It was sealed with the key %(id)s, which is not in GATEHOUSE_SECRETS_KEY.")
            % {"id": key_id}
        )
    try:
        return key.fernet.decrypt(sealed.encode()).decode()
    except (InvalidToken, UnicodeDecodeError) as error:
        raise SecretUnreadable from error


def _keys() -> tuple[Key, ...]:
    return _derived(tuple(settings.SECRETS_KEYS))


@lru_cache(maxsize=8)
def _derived(texts: Sequence[str]) -> tuple[Key, ...]:
    """Weak ones are left out: the system check says so, and nothing is sealed with them."""
    return tuple(
        Key(
            id=_expanded(text, b"gatehouse secrets: id")[:6].hex(),
            fernet=Fernet(base64.urlsafe_b64encode(_expanded(text, b"gatehouse secrets: key"))),
        )
        for text in texts
        if len(text) >= MIN_KEY_LENGTH
    )


def _expanded(text: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(text.encode())
