"""What may never stand in rendered text: one function a check, each gives what it objects to.

The sample cases name the checks; here every check is held against every case.
"""

import re
from collections.abc import Callable, Iterator

from bs4 import BeautifulSoup, Tag

type Check = Callable[[list[Tag]], Iterator[object]]

_URL_ATTRIBUTES = {
    *("href", "src", "srcset", "action", "formaction", "data", "poster", "background", "cite"),
    *("xlink:href", "ping", "longdesc", "usemap", "manifest", "data-src"),
}
_LOADING = {
    *("img", "source", "video", "audio", "track", "link", "iframe", "embed", "object", "image"),
    *("use", "feimage", "picture", "frame", "portal", "script"),
}
_LOADING_ATTRIBUTES = {"src", "srcset", "poster", "background", "data", "ping", "xlink:href"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
_ALLOWED_SCHEMES = {"http", "https", "mailto", "tel"}
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\ufeff]")
_FRAMEWORK = re.compile(
    r"(data-)?hx-|x-|v-|ng-|@|:|data-(controller|action|method|remote|confirm|bind)|is$"
)


def tags_of(html: str) -> list[Tag]:
    return list(BeautifulSoup(html, "html.parser").find_all(True))


def text_of(html: str) -> str:
    return BeautifulSoup(html, "html.parser").get_text()


def named(*names: str) -> Check:
    return lambda tags: (tag for tag in tags if tag.name in names)


def attributes(tags: list[Tag]) -> Iterator[tuple[Tag, str, str]]:
    for tag in tags:
        for name, value in tag.attrs.items():
            yield tag, name.lower(), " ".join(value) if isinstance(value, list) else str(value)


def no_event_attr(tags: list[Tag]) -> Iterator[object]:
    return (tag for tag, name, _value in attributes(tags) if name.startswith("on"))


def no_bad_url(tags: list[Tag]) -> Iterator[object]:
    for tag, name, value in attributes(tags):
        scheme = _SCHEME.match(_CONTROLS.sub("", value)) if name in _URL_ATTRIBUTES else None
        if scheme and scheme[1].lower() not in _ALLOWED_SCHEMES:
            yield tag


def no_remote_load(tags: list[Tag]) -> Iterator[object]:
    yield from named(*_LOADING)(tags)
    yield from (tag for tag, name, _value in attributes(tags) if name in _LOADING_ATTRIBUTES)


def no_style(tags: list[Tag]) -> Iterator[object]:
    yield from named("style")(tags)
    yield from (tag for tag, name, _value in attributes(tags) if name == "style")


def no_form(tags: list[Tag]) -> Iterator[object]:
    yield from named(
        *("form", "button", "select", "option", "textarea", "label", "output", "fieldset", "keygen")
    )(tags)
    yield from (tag for tag, name, _value in attributes(tags) if name in {"formaction", "form"})
    for tag in tags:
        if tag.name == "input" and (tag.get("type") != "checkbox" or not tag.has_attr("disabled")):
            yield tag


def no_clobber(tags: list[Tag]) -> Iterator[object]:
    for tag, name, value in attributes(tags):
        if name == "name" or (name == "id" and not value.startswith("u-")):
            yield tag


def no_target_opener(tags: list[Tag]) -> Iterator[object]:
    for tag in tags:
        href = str(tag.get("href", "#"))
        if tag.has_attr("target") or (not href.startswith("#") and "noopener" not in tag["rel"]):
            yield tag


def no_framework_attr(tags: list[Tag]) -> Iterator[object]:
    return (tag for tag, name, _value in attributes(tags) if _FRAMEWORK.match(name))


def unique_ids(tags: list[Tag]) -> Iterator[object]:
    seen: set[str] = set()
    for _tag, name, value in attributes(tags):
        if name == "id" and value in seen:
            yield value
        seen.add(value if name == "id" else "")


def no_link_in_a_link(tags: list[Tag]) -> Iterator[object]:
    return (tag for tag in tags if tag.name == "a" and tag.find_parent("a"))


CHECKS: dict[str, Check] = {
    "no_script": named("script"),
    "no_event_attr": no_event_attr,
    "no_bad_url": no_bad_url,
    "no_remote_load": no_remote_load,
    "no_style": no_style,
    "no_frame": named("iframe", "frame", "frameset", "object", "embed", "applet", "portal"),
    "no_form": no_form,
    "no_meta": named("meta", "base", "link", "title", "html", "head", "body"),
    "no_foreign": named("svg", "math"),
    "no_clobber": no_clobber,
    "no_target_opener": no_target_opener,
    "no_template": named(
        *("template", "noscript", "xmp", "plaintext", "noembed", "noframes", "textarea", "title")
    ),
    "no_framework_attr": no_framework_attr,
    "unique_ids": unique_ids,
    "no_link_in_a_link": no_link_in_a_link,
}
IN_A_BROWSER = {"no_dialog", "no_nav"}  # tests/browser/test_markdown_xss.py
ELSEWHERE = {"text", "quick"}  # the text a case names; tests/documents/test_rendering_limits.py
