"""Bytes to text: the charset that was declared, when it is one, else the one that fits.

Labels are those of the Encoding standard, looked up in a fixed table: Python would also take
`zlib`, `rot13` or `unicode_escape`, which are no character encodings.
"""

import codecs
import re

from django.utils.translation import gettext as _

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
META = re.compile(rb"<meta[^>]{1,300}?charset\s{0,9}=\s{0,9}[\"']?([\w:.-]{1,40})", re.IGNORECASE)
XML = re.compile(rb"^\s{0,99}<\?xml[^>]{1,300}?encoding\s{0,9}=\s{0,9}[\"']([\w:.-]{1,40})")
IN_HEADER = re.compile(r";\s*charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)
PRESCAN_BYTES = 4096

_LABELS = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "cp1252": "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 latin-1"
    " l1 ascii us-ascii ansi_x3.4-1968 ibm819 cp819",
    "gb18030": "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 csgb2312 chinese iso-ir-58 cp936"
    " windows-936",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji csshiftjis windows-31j ms932",
    "cp949": "euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode",
    "utf-16-be": "utf-16be unicodefffe",
    "koi8_r": "koi8-r koi8 koi cskoi8r",
    "koi8_u": "koi8-u koi8-ru",
    "mac_roman": "macintosh mac csmacintosh x-mac-roman",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp866": "ibm866 866 cp866 csibm866",
    "cp874": "windows-874 tis-620 iso-8859-11 iso8859-11 dos-874",
}
_NUMBERED = {
    f"{name}{number}": f"{codec}{number}"
    for name, codec, numbers in (
        ("windows-", "cp", (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)),
        ("cp", "cp", (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)),
        ("iso-8859-", "iso8859_", (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)),
        ("iso8859-", "iso8859_", (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)),
    )
    for number in numbers
}
CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()} | _NUMBERED


def decode_text(
    content: bytes, content_type: str, *, is_markup: bool, is_cut: bool = False
) -> tuple[str, list[str]]:
    """The text and warnings. Never raises; bytes that don't fit become U+FFFD.

    In this order: a byte order mark, the header's charset, the markup's own declaration, UTF-8
    when it fits, windows-1252.
    """
    for mark, codec in BOMS:
        if content.startswith(mark):
            return _clean(content[len(mark) :].decode(codec, "replace")), []
    label = _header_charset(content_type)
    if label and label not in CODECS:
        text, warnings = _guess(content, is_cut)
        return text, [_("The charset %(label)r is not known.") % {"label": label[:40]}, *warnings]
    label = label or (_declared_charset(content) if is_markup else "")
    if label:
        return _clean(content.decode(CODECS[label], "replace")), []
    return _guess(content, is_cut)


def _guess(content: bytes, is_cut: bool) -> tuple[str, list[str]]:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        # A cut body may end inside a character.
        return _clean(decoder.decode(content, final=not is_cut)), []
    except UnicodeDecodeError:
        return _clean(content.decode("cp1252", "replace")), [
            _("The charset is not declared; it was read as windows-1252.")
        ]


def _header_charset(content_type: str) -> str:
    found = IN_HEADER.search(content_type[:500])
    return found[1].lower() if found else ""


def _declared_charset(content: bytes) -> str:
    start = content[:PRESCAN_BYTES]
    found = META.search(start) or XML.search(start)
    label = found[1].decode("ascii", "replace").lower() if found else ""
    if label not in CODECS:
        return ""
    # What could be read to find the label is not UTF-16.
    return "utf-8" if CODECS[label].startswith("utf-16") else label


def _clean(text: str) -> str:
    """Without NUL, which PostgreSQL can't store."""
    return text.replace("\0", "\ufffd")
