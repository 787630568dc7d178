"""What two texts can have in common, in English and Chinese, the same on every database.

Words are brought to their stem, lightly; a run of Chinese gives its pairs of characters, since
nothing divides its words. A question loses the words in which questions are asked.
"""

import re

from config.base.folding import fold

MAX_TEXT_CHARS = 10_000  # of a memory or a question; more is not looked at

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_PIECE = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_LEAST_STEM = 3
_KEPT_DOUBLE = "lsz"  # as in call, miss, buzz

_FILLER_WORDS = """
a about again all also am an and any anything are as at be been but by can could did do does for
from had has have how i if in is it its know known let m me memory memories mine my of on or our
please recall re remember remembered s said say shall should so some something still t tell that
the their them then there these they this those to told us ve was we were what when where which
who whom whose why will with would you your yours
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
# The longer ones first: at each place the first that fits is taken.
_ZH_FILLERS = re.compile(
    "有没有|是不是|能不能|记不记得|之前说过|以前说过|跟你说过|告诉过你"
    "|说过|告诉|记得|记忆|回忆|想起|知道|关于"
    "|什么|怎么|怎样|哪里|哪些|哪个|哪儿|哪天|哪年|几点|几月|几号|多少|几个|为何|为什么|是否|请问|一下|我们|你们|他们|她们|自己|还有"
    "|[我你您他她它的了吗呢吧啊呀嘛么是在有和与及或也都还就这那谁哪几请把被让给对从到]"
)


def terms_of(text: str) -> frozenset[str]:
    found: set[str] = set()
    for piece in _pieces(text):
        if _is_han(piece):
            found.update(piece)
            found.update(_pairs(piece))
        else:
            found.add(_stem(piece))
    return frozenset(found)


def terms_of_question(text: str) -> frozenset[str]:
    """Empty where nothing is asked for in particular."""
    found: set[str] = set()
    for piece in _pieces(text):
        if _is_han(piece):
            for run in filter(None, _ZH_FILLERS.split(piece)):
                found.update(_pairs(run) if len(run) > 1 else run)
        elif piece not in _FILLERS:
            found.add(_stem(piece))
    return frozenset(found)


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(fold(text, MAX_TEXT_CHARS))


def _is_han(piece: str) -> bool:
    return piece[0] >= "\u3400" and re.match(f"[{_HAN}]", piece) is not None


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)]


def _stem(word: str) -> str:
    """likes, liked and liking are like; cities is city; planned is plan."""
    if not word.isascii() or len(word) <= _LEAST_STEM:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    bare = word if word.endswith("ss") else _ENDING.sub("", word)
    if len(bare) < _LEAST_STEM:
        bare = word
    if bare != word and bare[-1] == bare[-2] and bare[-1] not in _KEPT_DOUBLE:
        bare = bare[:-1]
    return bare[:-1] if bare.endswith("e") and len(bare) > _LEAST_STEM else bare
