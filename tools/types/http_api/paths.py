"""The path of a call: a template whose braces are filled so that no value leaves its segment."""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from django.utils.translation import gettext as _

from tools.errors import ToolFailure

_BRACES = re.compile(r"\{([^{}/]{1,100})\}")
_CONTROLS = re.compile(r"[\x00-\x20\x7f]")
_SAFE = "/:@!$&'()*+,;=~%-._"
_DECODED_TIMES = 4  # servers and proxies that decode more often are beyond help


def check_template(path: str, *, braces: bool = True) -> None:
    """Raises `ValueError`, for whoever wrote it."""
    bare = _BRACES.sub("x", path) if braces else path
    if any(letter in bare for letter in "?#\\{}") or _CONTROLS.search(bare):
        raise ValueError(_("The path has a query, a blank, a backslash or a brace too many."))
    if _climbs(bare):
        raise ValueError(_("The path has a segment of dots."))


def placeholders(path: str) -> set[str]:
    return set(_BRACES.findall(path))


def fill(path: str, texts: Mapping[str, str]) -> str:
    """`texts` are encoded already. Raises `ToolFailure` when a value would change the path."""
    segments = [_fill_segment(segment, texts) for segment in path.split("/")]
    return "/".join(segments)


def _fill_segment(segment: str, texts: Mapping[str, str]) -> str:
    at, filled = 0, ""
    for brace in _BRACES.finditer(segment):
        filled += quote(segment[at : brace.start()], safe=_SAFE) + texts[brace[1]]
        at = brace.end()
    filled += quote(segment[at:], safe=_SAFE)
    if at and (not filled or _climbs(filled)):
        raise ToolFailure(
            _("An argument of the path is empty, or leads elsewhere."), code="path_argument"
        )
    return filled


def _climbs(text: str) -> bool:
    """Whether some server could read a segment of dots in it, however often it decodes."""
    for _time in range(_DECODED_TIMES):
        parts = re.split(r"[/\\]", text)
        # A server may cut what follows a semicolon off each segment (RFC 3986, 3.3).
        if any(part.partition(";")[0] in {".", ".."} for part in parts):
            return True
        text = unquote(text)
    return False
