"""PDF files made by hand: a few objects, so that each kind is what its test says and no more."""

import hashlib
from collections.abc import Sequence

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_PERMISSIONS = -4
_ID = b"0123456789abcdef"


def text_pdf(pages: Sequence[str]) -> bytes:
    """A line of text for each line, in Helvetica; what is beyond ASCII in a Chinese font."""
    return _file([_page(text) for text in pages])


def picture_pdf(pages: int = 1) -> bytes:
    """As a scanner makes it: a picture on each page and no letter."""
    return _file([b"q 200 0 0 200 0 0 cm /Im Do Q"] * pages)


def blank_pdf() -> bytes:
    return _file([b""])


def locked_pdf(text: str) -> bytes:
    """Needs the password "secret" (40 bits, revision 2 of the standard handler)."""
    owner = _rc4(hashlib.md5(_padded(b"owner")).digest()[:5], _padded(b"secret"))
    seed = _padded(b"secret") + owner + _PERMISSIONS.to_bytes(4, "little", signed=True) + _ID
    user = _rc4(hashlib.md5(seed).digest()[:5], _PAD)
    lock = b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>" % (
        owner.hex().encode(),
        user.hex().encode(),
        _PERMISSIONS,
    )
    return _file([_page(text)], lock)


def _page(text: str) -> bytes:
    lines = []
    for number, line in enumerate(text.split("\n")):
        at = 780 - 14 * number
        if line.isascii():
            shown = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode()
            lines.append(b"BT /F1 11 Tf 40 %d Td (%s) Tj ET" % (at, shown))
        else:
            units = line.encode("utf-16-be").hex().encode()
            lines.append(b"BT /F2 11 Tf 40 %d Td <%s> Tj ET" % (at, units))
    return b"\n".join(lines)


def _file(contents: Sequence[bytes], lock: bytes = b"") -> bytes:
    first_page = 7
    kids = b" ".join(b"%d 0 R" % (first_page + 2 * at) for at in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(contents), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        (
            b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H"
            b" /DescendantFonts [5 0 R] >>"
        ),
        (
            b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo"
            b" << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /DW 1000 >>"
        ),
        (
            b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray"
            b" /BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"
        ),
    ]
    for number, content in enumerate(contents):
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources"
            b" << /Font << /F1 3 0 R /F2 4 0 R >> /XObject << /Im 6 0 R >> >> >>"
            % (first_page + 2 * number + 1),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    if lock:
        objects.append(lock)
    return _assembled(objects, locked=bool(lock))


def _assembled(objects: Sequence[bytes], *, locked: bool) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    key = b" /Encrypt %d 0 R" % len(objects) if locked else b""
    out += b"trailer\n<< /Size %d /Root 1 0 R /ID [<%s> <%s>]%s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        _ID.hex().encode(),
        _ID.hex().encode(),
        key,
        table,
    )
    return bytes(out)


def _padded(password: bytes) -> bytes:
    return (password + _PAD)[:32]


def _rc4(key: bytes, data: bytes) -> bytes:
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)
