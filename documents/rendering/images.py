"""Images are never loaded by themselves: a page that a model wrote must not call home.

An image becomes a link that names its host; the reader decides.
"""

from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token


def take_images_out_of_links(md: MarkdownIt) -> None:
    """A link can't stand in a link, so what stands for the image follows the link around it."""
    md.core.ruler.after("inline", "images_out_of_links", _take_out)


def _take_out(state: StateCore) -> None:
    for block in state.tokens:
        if block.children and any(child.type == "image" for child in block.children):
            block.children = _without_nested_images(block.children)


def _without_nested_images(children: list[Token]) -> list[Token]:
    result: list[Token] = []
    waiting: list[Token] = []
    depth = 0
    for token in children:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "image" and depth:
            waiting.append(token)
            result.append(_text(plain_alt(token) or _("image")))
        else:
            result.append(token)
        if waiting and not depth:
            for image in waiting:
                result += [_text(" "), image]
            waiting = []
    return result


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token


def plain_alt(image: Token) -> str:
    parts = []
    for child in image.children or []:
        if child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        else:
            parts.append(plain_alt(child) if child.type == "image" else child.content)
    return "".join(parts).strip()


def host_of(url: str) -> str:
    """ "" for an address on this site, or one that names no host."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def render_image(_self: Any, tokens: list[Token], index: int, _options: Any, _env: Any) -> str:
    image = tokens[index]
    url = str(image.attrs.get("src", ""))
    label = escapeHtml(_label(plain_alt(image), host_of(url)))
    if not url:
        return label
    return f'<a class="remote-image" href="{escapeHtml(url)}">{label}</a>'


def _label(alt: str, host: str) -> str:
    if alt and host:
        return _("Image: %(alt)s (from %(host)s)") % {"alt": alt, "host": host}
    if host:
        return _("Image from %(host)s") % {"host": host}
    return _("Image: %(alt)s") % {"alt": alt} if alt else _("Image")
