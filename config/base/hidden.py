"""Characters that a person does not see and a model reads: taken out, or shown.

Controls, format characters (bidi, zero-width, tags), private use, what is not assigned; and
letters, marks and symbols that print nothing, among them variation selectors.
"""

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def is_hidden(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or bool(_BLANK.match(character))


def has_hidden(text: str) -> bool:
    return any(map(is_hidden, text))


def visible(text: str, limit: int) -> str:
    """Without them, and cut."""
    clean = "".join(one for one in text[: 4 * limit] if not is_hidden(one))
    return clean if len(clean) <= limit else f"{clean[:limit]}…"


def shown(text: str) -> str:
    """Each as what it is, for people: `⟨U+202E⟩`."""
    return "".join(f"⟨U+{ord(one):04X}⟩" if is_hidden(one) else one for one in text)
