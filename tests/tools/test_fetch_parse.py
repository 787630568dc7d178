"""Bytes to what the model reads: Markdown, JSON, text, or a description of the rest."""

import time
from typing import Any

import pytest

from config.base.outbound.client import OutboundResponse
from config.base.outbound.urls import parse_url
from tools.types.fetch.config import ParseMode
from tools.types.fetch.markdown import page_to_markdown
from tools.types.fetch.parse import MAX_JSON_DEPTH, Parsed, parse_response

BASE = "https://a.example/dir/page"


def markdown(html: str, limit: int = 100_000) -> str:
    return page_to_markdown(html, BASE, limit).markdown


def parsed(
    content: bytes, content_type: str = "", mode: ParseMode = "markdown", truncated: bool = False
) -> Parsed:
    response = OutboundResponse(
        url=parse_url(BASE),
        status_code=200,
        headers=(("content-type", content_type),),
        content=content,
        truncated=truncated,
        hops=(),
    )
    return parse_response(response, mode, 100_000)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("plain  text\n  here", "plain text here"),
        ("<h1>A</h1><h3>B <em>c</em></h3>", "# A\n\n### B *c*"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<b>x</b> <strong> y </strong><i></i>", "**x** **y**"),
        ("<b>a<b>b</b>c</b>", "**abc**"),
        ("<s>old</s> <code>a`b</code>", "~~old~~ ``a`b``"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ol><li>a<ul><li>x</ul><li>b</ol>", "1. a\n   - x\n2. b"),
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<pre>  a\n    b</pre>", "```\n  a\n    b\n```"),
        ("<pre><code><div>a</div><div>b</div></code></pre>", "```\na\n\nb\n```"),
        ("<pre>```x</pre>", "````\n```x\n````"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2|3</table>",
         "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |"),
        ("<table><tr><td><p>only</p><p>layout</p></table>", "only layout"),
        ("<table><tr><td><b>a</b><td>b<tr><td>c</table>",
         "| **a** | b |\n| --- | --- |\n| c |  |"),
        ("<p>&lt;b&gt; &amp;amp; &#233;&nbsp;x", "<b> &amp; é x"),
        ("1 < 2 <3 a<", "1 < 2 <3 a<"),
        ("<!-- no --><!doctype html><?x?></nonsense>yes", "yes"),
    ],
)  # fmt: skip
def test_it_writes_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="x">y</a>', "[y](https://a.example/dir/x)"),
        ("<a href=/x>y</a>", "[y](https://a.example/x)"),
        ("<a href='//b.example/'>y</a>", "[y](https://b.example/)"),
        ('<a href="a b(c)">y</a>', "[y](https://a.example/dir/a%20b%28c%29)"),
        ('<a href="mailto:a@b.example">y</a>', "[y](mailto:a@b.example)"),
        ('<a href="javascript:alert(1)">y</a>', "y"),
        ('<a href=" JAVASCRIPT:alert(1)">y</a>', "y"),
        ('<a href="data:text/html,x">y</a>', "y"),
        ('<a href="#part">y</a>', "y"),
        ('<a href="http://[broken">y</a>', "y"),
        ("<a>y</a><a href=x></a>", "y"),
        ('<base href="/b/"><a href="x">y</a>', "[y](https://a.example/b/x)"),
        ('<base href="javascript:x"><a href="x">y</a>', "[y](https://a.example/dir/x)"),
        ('<img src="i.png" alt="A pic">', "![A pic](https://a.example/dir/i.png)"),
        ('<img src="t.gif">x', "x"),
        ('<img src="data:image/png;base64,AAAA" alt="dot">', "dot"),
        ('<a href="/c"><h3>Card</h3><p>text</p></a>',
         "### [Card](https://a.example/c)\n\n[text](https://a.example/c)"),
    ],
)  # fmt: skip
def test_it_makes_links_absolute_and_drops_others(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<nav>n</nav><p>x</p><footer>f</footer><aside>a</aside>", "x"),
        ("<script>if (a</b>c) '<p>no'</script>x<style>p{}</style>", "x"),
        ("<noscript>n</noscript><template>t</template><svg><text>s</text></svg>x", "x"),
        ("<div hidden>h</div><p style='color:red;display : none'>h</p>x", "x"),
        ("<p aria-hidden=true>h</p><div role=navigation>n</div>x", "x"),
        ("<div><nav>never closed</div>x", "x"),
        ("<main>m</main><div>around</div>", "m"),
        ("<div role=main>m</div><div>around</div>", "m"),
        ("<div>around</div><article>a long article of some words</article>",
         "a long article of some words"),
        ("<article>one</article><article>two</article><article>six</article>",
         "one\n\ntwo\n\nsix"),
        ("<main></main><p>x</p>", "x"),
        ("<nav>only <b>this</b></nav>", "only **this**"),
        ("<title>T</title><p>x</p>", "# T\n\nx"),
        ("<title>T\n </title><h1>T</h1><p>x</p>", "# T\n\nx"),
        ("<title>T</title><nav>n</nav>", "# T\n\nn"),
        ("<svg><title>icon</title></svg><title>T</title>x", "# T\n\nx"),
    ],
)  # fmt: skip
def test_it_keeps_the_main_text(html: str, expected: str) -> None:
    assert markdown(html) == expected


HOSTILE = {
    "deep": "<div>" * 20_000 + "x",
    "lists": "<ol><li>x" * 8_000,
    "items": "<ol>" + "<li>x" * 15_000,
    "quotes": "<blockquote>" * 300 + "x<br>" * 15_000,
    "tags without end": "<a " * 33_000,
    "comments without end": "<!--" * 25_000,
    "declarations": "<![x" * 25_000,
    "formatting": "".join(f"<b id={number}>" for number in range(3000)) + "<p>x" * 10_000,
    "formatting in a paragraph": "<p>" + "<b>" * 199 + "<p>x" * 20_000,
    "tables": "<table><tr><td>" * 6_000,
    "rows": "<table>" + "<tr>" * 25_000 + "x",
    "wide": "<table><tr>" + "<td>x" * 15_000,
    "end tags": "</p>" * 25_000,
    "attributes": "<a " + "x=' " * 25_000,
    "blanks": "<a x" + " " * 100_000,
    "a long number": "&#" + "9" * 100_000 + ";",
    "quotes left open": "<a x=\"'>" * 12_000,
    "verbatim": "<pre>" * 10_000 + "x\n" * 25_000,
    "links": "<a href=x>y</a>" * 6_600,
    "a long base": "<base href=/" + "y" * 2000 + ">" + "<a href=x>y</a>" * 6_500,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_stays_quick_and_small_on_hostile_pages(name: str) -> None:
    html = HOSTILE[name]
    started = time.monotonic()
    page = page_to_markdown(html, BASE, 100_000)
    assert time.monotonic() - started < 5  # tenths of a second; others read it in minutes
    assert len(page.markdown) <= 100_000


def test_it_cuts_what_grows_beyond_the_limit() -> None:
    page = page_to_markdown("<p>word</p>" * 1000, BASE, 100)
    assert page.is_cut
    assert len(page.markdown) <= 100
    assert page.markdown.startswith("word\n\nword")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"a": [1, 2.5, "\xc3\xa9", null, true]}', {"a": [1, 2.5, "é", None, True]}),
        (b"[]", []),
        (b'"text"', "text"),
        (b"\xef\xbb\xbf{}", {}),
        (b'"\\u0000\\ud800"', "\ufffd?"),
        (b'{"\\u0000": 1}', {"\ufffd": 1}),
        (b"12345678901234567890", 12345678901234567890),
    ],
)
def test_it_reads_json(content: bytes, expected: Any) -> None:
    result = parsed(content, "application/json", "json")
    assert (result.content, result.warnings) == (expected, ())


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"<p>no</p>", b"{'a': 1}", b"NaN", b"[Infinity]", b"1e999", b"{} {}",
        b"9" * 5000, b"[" * 100_000,
        b"[" * (MAX_JSON_DEPTH + 2) + b"]" * (MAX_JSON_DEPTH + 2),
    ],
)  # fmt: skip
def test_it_gives_text_where_there_is_no_json(content: bytes) -> None:
    result = parsed(content, "application/json", "json")
    assert result.content == content.decode()
    assert result.warnings == ("The body is not valid JSON; it is given as text.",)


def test_it_says_that_a_cut_body_is_no_json() -> None:
    assert "was cut" in parsed(b'{"a":', "application/json", "json", truncated=True).warnings[0]


@pytest.mark.parametrize(
    ("content", "content_type", "expected"),
    [
        (b"<p>x</p>", "text/html", "x"),
        (b"<p>x</p>", "application/xhtml+xml", "x"),
        (b"<p>x</p>", "TEXT/HTML;charset=utf-8", "x"),
        (b"<!DOCTYPE html><p>x</p>", "", "x"),
        (b"<p>x</p>", "text/plain", "<p>x</p>"),
        (b"<p>x</p>", "", "<p>x</p>"),
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b"a,b", "text/csv", "a,b"),
        (b"<x/>", "application/atom+xml", "<x/>"),
        (b"abc", "application/octet-stream", "abc"),
        (b"a\0\0\1", "application/octet-stream",
         "[binary body, application/octet-stream, 4 bytes]"),
        (b"\x89PNG\0", "text/plain", "[binary body, text/plain, 5 bytes]"),
        (b"%PDF-1.7", "application/pdf", "[binary body, application/pdf, 8 bytes]"),
        (b"h\0i\0", "text/plain; charset=utf-16", "hi"),
        (b"", "image/png", "[binary body, image/png, 0 bytes]"),
        (b"<meta charset=gbk><p>\xc4\xe3", "text/html", "你"),
        (b"<meta http-equiv=x content='text/html; charset=gbk'><p>\xc4\xe3", "text/html", "你"),
        (b"<meta charset=utf-16><p>\xc3\xa9", "text/html", "é"),
        (b"<meta charset=zlib><p>\xc3\xa9", "text/html", "é"),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', "text/xml",
         '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'),
    ],
)  # fmt: skip
def test_it_reads_each_kind_of_body(content: bytes, content_type: str, expected: str) -> None:
    assert parsed(content, content_type).content == expected


def test_it_says_more_of_a_cut_binary_body() -> None:
    assert parsed(b"\0", "image/png", truncated=True).content == (
        "[binary body, image/png, more than 1 bytes]"
    )


def test_it_does_not_warn_of_a_character_that_was_cut() -> None:
    result = parsed("né".encode()[:-1], "text/plain", truncated=True)
    assert (result.content, result.warnings) == ("n", ())


def test_it_says_when_a_page_shows_nothing() -> None:
    result = parsed(b"<div id=app></div><script>run()</script>", "text/html")
    assert result.content == ""
    assert "no text" in result.warnings[0]
