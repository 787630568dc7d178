"""How a webhook is signed: as standardwebhooks.com has it, version v1. Pure.

HMAC-SHA256 over `id.timestamp.body`. docs/alerts.md has the other side of it.
"""

import base64
import hmac
from binascii import Error as Base64Error
from datetime import datetime

PREFIX = "whsec_"


def signed_headers(secret: str, message_id: str, now: datetime, body: bytes) -> dict[str, str]:
    timestamp = str(int(now.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(key_of(secret), signed, "sha256")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def key_of(secret: str) -> bytes:
    """What follows `whsec_` is base64, as receivers' libraries take it; else the text itself."""
    if secret.startswith(PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
        except Base64Error:
            pass
    return secret.encode()
