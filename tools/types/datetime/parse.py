"""Text to a date or an instant: ISO first, then the grammar of its language."""

import datetime as dt
import re

from django.utils.translation import gettext as _

from config.base.folding import plain as plain_form
from tools.errors import fail
from tools.types.datetime import iso
from tools.types.datetime.iso import Moment
from tools.types.datetime.limits import MAX_TEXT_CHARS
from tools.types.datetime.parse_en import parse_english
from tools.types.datetime.parse_zh import parse_chinese
from tools.types.datetime.phrases import Reading
from tools.types.datetime.zones import get_zone, in_zone, resolve_local

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_NAMED_ZONE = re.compile(
    r"(?P<rest>.*\S)\s*(?P<zone>\b(?:UTC|GMT)|\s[A-Z][A-Za-z_]+/[A-Za-z_/+0-9-]+)"
)
_OFFSET = re.compile(
    r"(?P<rest>.*(?::[0-9]{2}(?:\.[0-9]+)?|[AaPp]\.?[Mm]\.?))\s*(?P<offset>[+-][0-9]{2}:?[0-9]{2}|Z)"
)
_ABBREVIATION = re.compile(
    r".*[\s0-9](?:[ECMPA][SD]T|BST|IST|CES?T|EES?T|WES?T|JST|KST|HKT|SGT|MSK|AE[SD]T|NZ[SD]T)"
)
_BEIJING_TIME = re.compile(r"北京时间")


def parse(text: str, zone: dt.tzinfo, now: dt.datetime) -> Moment:
    """A date, or a datetime with its offset.

    Raises `ToolFailure`: empty, limit, format, range, zone, gap, ambiguous, unsupported.
    """
    plain = plain_form(text, MAX_TEXT_CHARS + 1).strip()
    if max(len(text), len(plain)) > MAX_TEXT_CHARS:
        fail("limit", _("The text is longer than %(max)d characters.") % {"max": MAX_TEXT_CHARS})
    if not plain:
        fail("empty", _("There is nothing to read."))
    moment = iso.read(plain)
    if moment is None:
        plain, zone = _split_zone(plain, zone)
        moment = iso.read(plain) or _read_phrase(plain, Reading(in_zone(now, zone), zone))
    if moment is None:
        fail("format", _("%(text)s is not understood as a date or time.") % {"text": repr(text)})
    if isinstance(moment, dt.datetime) and moment.tzinfo is None:
        return resolve_local(moment, zone)
    return moment


def _read_phrase(text: str, reading: Reading) -> Moment | None:
    if _CHINESE.search(text):
        return parse_chinese(text, reading)
    return parse_english(text, reading)


def _split_zone(text: str, zone: dt.tzinfo) -> tuple[str, dt.tzinfo]:
    """A zone or offset that is written in the text holds for it."""
    if _BEIJING_TIME.search(text):
        return _BEIJING_TIME.sub("", text, count=1), get_zone("Asia/Shanghai")
    if found := _OFFSET.fullmatch(text):
        try:
            return found["rest"], iso.read_offset(found["offset"])
        except ValueError:
            fail("format", _("%(offset)s is not an offset.") % {"offset": found["offset"]})
    if found := _NAMED_ZONE.fullmatch(text):
        name = found["zone"].strip()
        return found["rest"], get_zone("UTC" if name == "GMT" else name)
    if _ABBREVIATION.fullmatch(text):
        fail("ambiguous", _("Short zone names have several meanings; write the IANA zone in tz."))
    return text, zone
