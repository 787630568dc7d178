"""What each operation does, from validated arguments."""

import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

from django.utils.translation import gettext as _

from config.base.ids import uuid7
from tools.errors import fail
from tools.types.encode import digests, octets, uuids
from tools.types.encode.limits import MAX_FIELDS
from tools.types.encode.operation_table import OperationName
from tools.types.encode.schemas import EncodeInput

_SAFE = set(string.ascii_letters + string.digits + string.punctuation) - {"%"}


@dataclass(frozen=True, slots=True)
class Encoded:
    result: str | list[tuple[str, str]]
    result_as: str = "text"
    warnings: tuple[str, ...] = ()


def run(arguments: EncodeInput, max_chars: int) -> Encoded:
    """Raises `ToolFailure`: encoding, algorithm, limit, empty."""
    _check_sizes(arguments, max_chars)
    return _OPERATIONS[arguments.operation](arguments)


def _check_sizes(arguments: EncodeInput, max_chars: int) -> None:
    fields = arguments.fields or {}
    values = [value for value in fields.values() if isinstance(value, str)]
    lists = [item for value in fields.values() if isinstance(value, list) for item in value]
    if len(values) + len(lists) > MAX_FIELDS:
        fail("limit", _("At most %(max)d fields.") % {"max": MAX_FIELDS})
    single = (
        arguments.data,
        arguments.secret_key,
        arguments.name,
        arguments.safe,
        arguments.namespace,
    )
    texts = [*fields, *values, *lists, *filter(None, single)]
    if sum(map(len, texts)) > max_chars:
        fail("limit", _("Together at most %(max)d characters.") % {"max": max_chars})


def _data(arguments: EncodeInput) -> bytes:
    return octets.to_bytes(arguments.data or "", arguments.data_as)


def _encoded(data: str) -> str:
    if not data.strip():
        fail("empty", _("There is nothing to decode."))
    return data


def _decoded(data: bytes, arguments: EncodeInput) -> Encoded:
    text = octets.text_or_none(data)
    if text is not None:
        return Encoded(text)
    form = arguments.bytes_as or "hex"
    warning = _("The bytes are no UTF-8 text; they are given as %(form)s.") % {"form": form}
    return Encoded(octets.from_bytes(data, form), form, (warning,))


def _encode(form: str) -> Callable[[EncodeInput], Encoded]:
    return lambda arguments: Encoded(octets.from_bytes(_data(arguments), form), form)


def _decode(decoder: Callable[[str], bytes]) -> Callable[[EncodeInput], Encoded]:
    return lambda arguments: _decoded(decoder(_encoded(arguments.data or "")), arguments)


def _percent_encode(arguments: EncodeInput) -> Encoded:
    safe = arguments.safe or ""
    if not set(safe) <= _SAFE:
        fail("encoding", _("safe holds ASCII letters, digits and signs without %."))
    return Encoded(quote(_data(arguments), safe=safe))


def _query_encode(arguments: EncodeInput) -> Encoded:
    if not arguments.fields:
        fail("empty", _("There are no fields."))
    return Encoded(urlencode(arguments.fields, doseq=True))


def _query_decode(arguments: EncodeInput) -> Encoded:
    query = _encoded(arguments.data or "").strip().removeprefix("?")
    octets.from_percent(query)
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except UnicodeDecodeError:
        fail("encoding", _("A value is no UTF-8 text; decode it with percent_decode."))
    except ValueError:
        fail("limit", _("At most %(max)d fields.") % {"max": MAX_FIELDS})
    return Encoded(pairs, "pairs")


def _digested(digest: bytes, arguments: EncodeInput) -> Encoded:
    form = arguments.bytes_as or "hex"
    warnings: tuple[str, ...] = ()
    if digests.is_legacy(arguments.algorithm or ""):
        warnings = (_("md5 and sha1 are broken: use them for checksums of old only."),)
    return Encoded(octets.from_bytes(digest, form), form, warnings)


def _hash(arguments: EncodeInput) -> Encoded:
    return _digested(digests.digest(_data(arguments), arguments.algorithm or ""), arguments)


def _hmac(arguments: EncodeInput) -> Encoded:
    key = octets.to_bytes(arguments.secret_key or "", arguments.key_as)
    if not key:
        fail("empty", _("The key is empty."))
    code = digests.keyed_digest(_data(arguments), key, arguments.algorithm or "")
    return _digested(code, arguments)


def _uuid5(arguments: EncodeInput) -> Encoded:
    return Encoded(str(uuids.named_uuid(arguments.namespace or "", arguments.name or "")))


_OPERATIONS: dict[OperationName, Callable[[EncodeInput], Encoded]] = {
    "base64_encode": _encode("base64"),
    "base64_decode": _decode(octets.from_base64),
    "base64url_encode": _encode("base64url"),
    "base64url_decode": _decode(octets.from_base64url),
    "hex_encode": _encode("hex"),
    "hex_decode": _decode(octets.from_hex),
    "percent_encode": _percent_encode,
    "percent_decode": _decode(octets.from_percent),
    "query_encode": _query_encode,
    "query_decode": _query_decode,
    "hash": _hash,
    "hmac": _hmac,
    "uuid4": lambda _arguments: Encoded(str(uuid.uuid4())),
    "uuid5": _uuid5,
    "uuid7": lambda _arguments: Encoded(str(uuid7())),
}
