"""From a sum in words to an expression of the `calculator` tool; nothing is computed here."""

import re

from config.base.folding import plain

MAX_WORDS_CHARS = 4_000  # no sum of a person is longer

_FUNCTIONS = (
    "sqrt|cbrt|root|sinh|cosh|tanh|asin|acos|atan|sin|cos|tan|log10|log2|log|ln|exp|abs|round|"
    "floor|ceil|min|max|factorial|gcd|lcm|mod|pi|tau|e"
)
_NUMBER = r"\d+(?:\.\d+)?"
_TERM = rf"(?:{_NUMBER}|\([^()]*\))"

# In this order: the longer phrase before the shorter one that it holds.
_REWRITES: tuple[tuple[str, str], ...] = (
    (r"(?<=\d),(?=\d{3}(?!\d))(?![^(]*\))", ""),  # 1,000; not within max(100,200)
    (r"[−–—]", "-"),
    (r"[×✕·]", "*"),
    (r"÷", "/"),
    (r"(?<=[\d)])\s*x\s*(?=[\d(])", "*"),
    (rf"({_NUMBER})\s*(?:%|percent|per cent)\s+off\s+(?:of\s+)?({_TERM})", r"\2*(1-\1%)"),
    (rf"({_NUMBER})\s*(?:%|percent|per cent)\s+of\s+({_TERM})", r"(\1%)*\2"),
    (rf"({_NUMBER})\s*%\s*的\s*({_TERM})", r"(\1%)*\2"),
    (rf"({_TERM})\s*的\s*({_NUMBER})\s*%", r"(\2%)*\1"),
    (rf"({_TERM})\s*的\s*百分之\s*({_NUMBER})", r"(\2%)*\1"),
    (rf"百分之\s*({_NUMBER})", r"\1%"),
    (r"\s*(?:percent|per cent)", "%"),
    (rf"({_NUMBER}/{_NUMBER})\s+of\s+({_TERM})", r"(\1)*\2"),
    (rf"half\s+of\s+({_TERM})", r"\1/2"),
    (r"\s+(?:modulo|mod)\s+", " % "),
    (rf"(?:the\s+)?square\s+root\s+of\s+({_TERM})", r"sqrt(\1)"),
    (rf"(?:the\s+)?cube\s+root\s+of\s+({_TERM})", r"cbrt(\1)"),
    (rf"({_TERM})\s*的?(?:平方根|开方|开平方)", r"sqrt(\1)"),
    (rf"({_TERM})\s*的?(?:立方根|开立方)", r"cbrt(\1)"),
    (rf"(?:根号|√)\s*({_TERM})", r"sqrt(\1)"),
    (rf"({_TERM})\s*的\s*({_TERM})\s*次方", r"\1**\2"),
    (rf"({_TERM})\s*的?平方", r"\1**2"),
    (rf"({_TERM})\s*的?立方", r"\1**3"),
    (rf"({_TERM})\s*(?:的阶乘|!)", r"factorial(\1)"),
    (rf"(?:the\s+)?factorial\s+of\s+({_TERM})", r"factorial(\1)"),
    (r"²", "**2"),
    (r"³", "**3"),
    (r"\s+squared\b", "**2"),
    (r"\s+cubed\b", "**3"),
    (r"\s+(?:raised\s+)?to\s+the\s+(?:power\s+(?:of\s+)?)?(?=[\d(])", "**"),
    (r"\^", "**"),
    (r"\s+(?:multiplied\s+by|times)\s+", "*"),
    (r"\s+(?:divided\s+by|over)\s+", "/"),
    (r"\s+plus\s+", "+"),
    (r"\s+minus\s+", "-"),
    (r"\s*(?:加上|加)\s*", "+"),
    (r"\s*(?:减去|减)\s*", "-"),
    (r"\s*(?:乘以|乘上|乘)\s*", "*"),
    (r"\s*(?:除以)\s*", "/"),
)
_ALLOWED = re.compile(rf"(?:[\d\s.+\-*/%(),<>=!]|(?<![a-z])(?:{_FUNCTIONS})(?![a-z]))+")
_DOES_SOMETHING = re.compile(rf"(?:[\d)%]|pi|tau|e)\s*[-+*/%<>=!]|(?<![a-z])(?:{_FUNCTIONS})\s*\(")
_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}")
_TRAILING = re.compile(r"\s*(?:[=?？。，,;]|\.(?!\d)|等于|是多少|得多少|多少|几)+\s*$")


_WORD = re.compile(
    r"\b(?:(zero)|(one)|(two)|(three)|(four)|(five)|(six)|(seven)|(eight)|(nine)|(ten)|(eleven)"
    r"|(twelve))\b"
)
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_CHINESE_NUMBER = re.compile(
    r"(?:([一二两三四五六七八九])百零?)?(?:([一二两三四五六七八九])?(十))?([零一二两三四五六七八九])?"
)


def _chinese_number(match: re.Match[str]) -> str:
    """A numeral below 1000; an empty match stays empty."""
    hundreds, tens, ten, ones = match.groups()
    if not match.group():
        return ""
    tens_value = _DIGITS[tens or "一"] if ten else 0
    return str(_DIGITS.get(hundreds, 0) * 100 + tens_value * 10 + _DIGITS.get(ones, 0))


def with_digits(text: str) -> str:
    """Small numbers written as words, in digits. 百分之 (percent) is no number."""
    text = _WORD.sub(lambda match: str((match.lastindex or 1) - 1), text)
    parts = text.split("百分之")
    return "百分之".join(_CHINESE_NUMBER.sub(_chinese_number, part) for part in parts)


def find_expression(words: str) -> str | None:
    """The expression that the words mean, or None when they are no sum."""
    if len(words) > MAX_WORDS_CHARS:
        return None
    text = plain(words.replace("²", "**2").replace("³", "**3"), 3 * MAX_WORDS_CHARS)
    text = _TRAILING.sub("", text.casefold()).strip()
    text = with_digits(text)
    for pattern, replacement in _REWRITES:
        text = re.sub(pattern, replacement, text)
    text = " ".join(text.split())
    if _DATE.search(text) or not re.search(r"\d", text):
        return None
    if not _ALLOWED.fullmatch(text) or not _DOES_SOMETHING.search(text):
        return None
    return text
