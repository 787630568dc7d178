"""The shorter ways give the same HTML as markdown-it's own, down to the character."""

from typing import Any

import pytest
from markdown_it import MarkdownIt, rules_core
from markdown_it.common.normalize_url import normalizeLink
from markdown_it.parser_inline import ParserInline
from markdown_it.renderer import RendererHTML

from documents.rendering import parser
from documents.rendering.limits import start_clock
from documents.rendering.quick import normal_link
from tests.documents.xss_cases import CASES

TEXTS = [
    "",
    "plain",
    "# A title: with - signs + more = 3 > 2 {a} @b %c #d\n\nwords\nin two lines  \nand a break",
    "- a\n- b\n  - c\n\n    > quoted\n\n1. one\n2. two\n\n   loose\n\n- \n\n---\n***",
    "| a | b:c |\n|:--|--:|\n| x | *y* |\n|   | `z|` |",
    "```python\nx = 1\n```\n\n    indented\n\n~~~\nplain\n~~~",
    "a ~~b~~ [c](d 'e') ![f](g) <https://h.example> [i]: j\n\n[k]\n\n[k]: https://l.example/m?n=o#p",
    "words[^1] and $x_1*y*$, then $$\nz\n$$ &amp; \\* `code` __strong__ ^up\n\n[^1]: a note\n",
    "- [ ] to do\n- [x] done: **twice**\n\n<b>raw</b>\n\n<div>\nraw\n</div>\n",
]


@pytest.fixture(scope="module")
def long_way() -> MarkdownIt:
    md = parser._make_parser()
    md.enable(["html_block", "html_inline"])
    md.core.ruler.at("inline", rules_core.inline)
    md.inline.terminator_re = ParserInline().terminator_re
    md.normalizeLink = normalizeLink  # type: ignore[method-assign]  # as in the parser
    ours = vars(md.renderer)["rules"]
    md.renderer = RendererHTML(md)
    own = {name: rule for name, rule in ours.items() if name not in md.renderer.rules}
    md.renderer.rules |= own | {"image": ours["image"]}
    return md


def laid_out_by(md: MarkdownIt, text: str) -> Any:
    env: dict[str, Any] = {}
    start_clock(env, text)
    return md.render(text, env)


@pytest.mark.parametrize(
    "text", [*TEXTS, *(pytest.param(c.markdown, id=c.id) for c in CASES if c.kind != "nest")]
)
def test_it_lays_out_as_the_long_way_does(text: str, long_way: MarkdownIt) -> None:
    assert parser.to_html(text) == laid_out_by(long_way, text)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://a-b.example.org/c/d.e_f-g?h=i&j=k#l",
        "https://Example.org/ä",
        "https://ex..ample.org/",
        "https://-a.example/",
        "https://" + "a" * 300 + "/b",
        "//example.org/%zz",
        "mailto:a@exämple.org",
        "#part",
        "a b",
    ],
)
def test_an_address_is_encoded_as_the_long_way_does(url: str) -> None:
    assert normal_link(url) == normalizeLink(url)
