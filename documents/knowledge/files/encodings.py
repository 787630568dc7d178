"""Which of five encodings a text is in. No Django.

UTF-8 with and without its mark, UTF-16, GB18030 and Windows' Western one, which takes what is
left. Guessing among all that there are would take short texts for what they are not.
"""

import codecs

SAMPLE_BYTES = 1 << 16
_LEAST_COMMON = 0.8
_CONTROLS = [code for code in range(1, 32) if chr(code) not in "\t\n\r\f\x1b"]
_COMMON_LEADS = (*range(0xA1, 0xA4), *range(0xB0, 0xD8))  # GB 2312: marks, and its common half


def encoding_of(data: bytes) -> str | None:
    """By its beginning, or all of it; None where it is no text."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16" if _decodes(data, "utf-16") else None
    if b"\0" in data:
        return _utf16_without_mark(data)
    if _has_controls(data[:SAMPLE_BYTES]):
        return None
    if _decodes(data, "utf-8"):
        return "utf-8"
    if _is_chinese(data):
        return "gb18030"
    return "cp1252" if _decodes(data, "cp1252") else "latin-1"


def _utf16_without_mark(data: bytes) -> str | None:
    """Western letters have a zero as every other byte."""
    sample = data[:SAMPLE_BYTES]
    half = max(1, len(sample) // 2)
    for name, zeros, letters in (
        ("utf-16-le", sample[1::2], sample[::2]),
        ("utf-16-be", sample[::2], sample[1::2]),
    ):
        if zeros.count(0) > half * 0.4 and letters.count(0) == 0 and _decodes(data, name):
            return name
    return None


def _is_chinese(data: bytes) -> bool:
    """Its characters beyond ASCII are mostly the common ones: by chance a word in German is not."""
    if not _decodes(data, "gb18030"):
        return False
    leads = common = 0
    at = 0
    while at < len(data) - 1:
        lead = data[at]
        if lead < 0x80:
            at += 1
            continue
        leads += 1
        common += lead in _COMMON_LEADS and data[at + 1] >= 0xA1
        at += 4 if 0x30 <= data[at + 1] <= 0x39 else 2
    return leads > 0 and common >= leads * _LEAST_COMMON


def _has_controls(sample: bytes) -> bool:
    """More than a stray one: it is something else that happens to have no zero."""
    return sum(map(sample.count, _CONTROLS)) > len(sample) * 0.01


def _decodes(data: bytes, name: str) -> bool:
    """A character that the end of a sample cuts is no fault."""
    try:
        codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return False
    return True
