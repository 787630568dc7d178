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
        raise SecretKeyMissing(_missing(key_id))
    try:
        return key.fernet.decrypt(sealed.encode()).decode()
    except (InvalidToken, UnicodeDecodeError) as error:
        raise SecretUnreadable from error


def _missing(key_id: str) -> str:
    words = _("It was sealed with the key %(id)s, which is not in GATEHOUSE_SECRETS_KEY.")
    return f"{words % {'id': key_id}} {place_of_key(key_id)}"


def place_of_key(key_id: str) -> str:
    """What helps when it is missing. A generated one is easily forgotten when another is set."""
    if any(key.id == key_id for key in _derived((_generated(),))):
        words = _("It is in the file %(file)s of GATEHOUSE_HOME: put it behind the newest one.")
        return words % {"file": settings.SECRETS_KEY_FILE}
    return _("Put it behind the newest one there, or give the secret its value anew.")


def _generated() -> str:
    """Empty: none was ever needed here."""
    try:
        text: str = (settings.HOME / settings.SECRETS_KEY_FILE).read_text()
    except OSError:
        return ""
    return text.strip()


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
