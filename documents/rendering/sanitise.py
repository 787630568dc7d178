"""The allow list. Nothing outside it survives, whatever the parser may one day let through."""

import re

import nh3

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code"),
    *("em", "strong", "s", "sup", "a", "ul", "ol", "li", "input", "section"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "title", "class"},
    "ol": {"start", "class"},
    "ul": {"class"},
    "li": {"class"},
    "sup": {"class"},
    "section": {"class"},
    "hr": {"class"},
    "code": {"class"},
    "th": {"class"},
    "td": {"class"},
    "input": {"checked"},
}
_CLASS = re.compile(
    r"language-[\w+#.\-]{1,40}|remote-image|task-list-item|contains-task-list"
    r"|footnotes|footnotes-sep|footnotes-list|footnote-item|footnote-ref|footnote-backref"
    r"|align-(?:left|center|right)|math|math-display"
)


def _filter_attribute(_tag: str, attribute: str, value: str) -> str | None:
    if attribute != "class":
        return value
    return " ".join(name for name in value.split() if _CLASS.fullmatch(name)) or None


_cleaner = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    attribute_filter=_filter_attribute,
    url_schemes={"http", "https", "mailto", "tel"},
    set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
    link_rel=None,  # `finish` sets it, for what needs it
    strip_comments=True,
)


def sanitise(html: str) -> str:
    return _cleaner.clean(html)
