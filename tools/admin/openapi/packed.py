"""A document between two pages: the first page's answer carries it to the second.

So nothing is kept of an import that nobody finishes, and what is imported is what was shown, even
where a URL gives something else by then.
"""

import base64
import binascii
import zlib

from django.utils.translation import gettext as _

from tools.openapi.errors import DocumentInvalid, DocumentTooLarge
from tools.openapi.limits import MAX_DOCUMENT_BYTES

_MAX_CHARS = 2_000_000  # with the rest of the form below what Django takes
_MAX_BYTES = MAX_DOCUMENT_BYTES + 10_000


def pack(content: bytes, url: str) -> str:
    """Raises `DocumentTooLarge`."""
    packed = base64.b64encode(zlib.compress(url.encode() + b"\n" + content, 9)).decode()
    if len(packed) > _MAX_CHARS:
        raise DocumentTooLarge(
            _("The document is too large for this page; import it through the API, by its URL.")
        )
    return packed


def unpack(packed: str) -> tuple[bytes, str]:
    """Raises `DocumentInvalid`: it comes back from a browser."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(base64.b64decode(packed, validate=True), _MAX_BYTES)
        url, _newline, content = data.partition(b"\n")
        if not stream.eof:
            raise DocumentInvalid
        return content, url.decode()
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DocumentInvalid(_("The page is damaged; give the document again.")) from error
