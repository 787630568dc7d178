"""What people, models or tools wrote, between quotation marks: it can't end them, nor hide in them.

Without Django: the offline model, which reads such words, also runs by itself.
"""

from config.base.hidden import is_hidden

_INNER = str.maketrans("“”„‟〝〞", "‘’‚‛‘’")


def quote(text: str, limit: int | None = None) -> str:
    """In quotation marks; empty where nothing is left of it."""
    words = quotable(text, limit)
    return f"“{words}”" if words else ""


def quotable(text: str, limit: int | None = None) -> str:
    """As it may stand between “ and ”: cut, on one line, without what can't be seen."""
    line = " ".join(text.split())  # of every kind: form feeds, U+2028
    words = "".join(character for character in line if not is_hidden(character))
    return words[:limit].strip().translate(_INNER)
