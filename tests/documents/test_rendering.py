"""What readers see: CommonMark with tables, tasks and footnotes, and anchors of our own."""

import pytest

from documents.rendering import outline, render, render_markdown
from tests.documents.html_checks import text_of

NESTED = "<ul>\n<li>a\n<ul>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>"


@pytest.mark.parametrize("indent", [2, 3, 4])
def test_it_nests_lists_at_two_three_and_four_spaces(indent: int) -> None:
    step = " " * indent
    text = f"- a\n{step}- b\n{step * 2}- c\n"
    if indent == 4:
        text = f"1. a\n{step}- b\n"
        assert "<ul>" in render_markdown(text)
        return
    assert render_markdown(text).strip() == NESTED


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a *b* **c** `d` ~~e~~", "<p>a <em>b</em> <strong>c</strong> <code>d</code> <s>e</s></p>"),
        ("> a\n> b", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>'),
        (
            "```py\na\tb\n```",
            '<pre class="highlight"><code class="language-py">a\tb\n</code></pre>',
        ),
        ("a\\\nb", "<p>a<br>\nb</p>"),
        ("---", "<hr>"),
        ("", ""),
        ("[a]: b", ""),
        ("a\r\nb\rc", "<p>a<br>\nb<br>\nc</p>"),
    ],
)
def test_it_renders_commonmark(markdown: str, html: str) -> None:
    assert render_markdown(markdown).strip() == html


def test_it_aligns_columns_by_class() -> None:
    html = render_markdown("| a | b | c |\n|:-|:-:|-:|\n| 1 | 2 | 3 |")
    assert '<td class="align-left">1</td>' in html
    assert '<td class="align-center">2</td>' in html
    assert '<td class="align-right">3</td>' in html


def test_it_shows_tasks_as_boxes_that_nobody_can_tick() -> None:
    html = render_markdown("- [ ] a\n- [x] b\n- c\n\n[ ] d")
    assert html.count('disabled="" type="checkbox"') == 2
    assert html.count('checked=""') == 1
    assert html.count('class="task-list-item"') == 2
    assert "[ ] d" in html


def test_it_links_footnotes_both_ways() -> None:
    html = render_markdown("a[^n] b[^n]\n\n[^n]: the note")
    for wanted in ('id="u-fn:1"', 'href="#u-fn:1"', 'id="u-fnref:1"', 'id="u-fnref:1:1"'):
        assert wanted in html
    assert 'href="#u-fnref:1:1"' in html


def test_it_gives_headings_anchors_of_their_own() -> None:
    text = "# A *b*\n\n## A b\n\n### A b-1\n\n# 标题\n\n# !\n\n[to it](#a-b-1)"
    assert [(item.level, item.text, item.anchor) for item in outline(text)] == [
        (1, "A b", "u-a-b"),
        (2, "A b", "u-a-b-1"),
        (3, "A b-1", "u-a-b-1-1"),
        (1, "标题", "u-标题"),
        (1, "!", "u-section"),
    ]
    html = render_markdown(text)
    assert '<h2 id="u-a-b-1">' in html
    assert 'href="#u-a-b-1"' in html


def test_it_takes_a_heading_in_a_title_for_no_heading() -> None:
    html = render_markdown('[a](x "<h2>")\n\n## b')
    assert html.count(" id=") == 1


def test_an_image_is_a_link_that_names_its_host() -> None:
    html = render_markdown("![a cat](https://evil.example/cat.png)")
    assert "<img" not in html
    assert 'class="remote-image" href="https://evil.example/cat.png"' in html
    assert "a cat (from evil.example)" in text_of(html)


def test_an_image_in_a_link_follows_it() -> None:
    html = render_markdown("[![a](https://evil.example/x) b](https://ok.example) c")
    assert text_of(html).strip() == "a b Image: a (from evil.example) c"


def test_links_tell_their_target_nothing() -> None:
    html = render_markdown("[a](https://e.example) <b@e.example> [c](d) [e](#f)")
    assert html.count('rel="noopener noreferrer nofollow"') == 3


def test_a_text_that_takes_too_long_is_shown_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.rendering.limits.CPU_SECONDS", -1)
    rendered = render("# a <script>")
    assert "<pre># a &lt;script&gt;</pre>" in rendered.html
    assert rendered.outline == []


def test_the_longest_ordinary_page_is_laid_out() -> None:
    section = "## A heading\n\nSome *text* with [a link](x) and `code`.\n\n- a\n- b\n\n"
    page = (section * 1_000)[:50_000]
    assert len(render(page).outline) == page.count("## A heading")


def test_it_takes_what_is_no_text() -> None:
    assert "�" in render_markdown("\x00a")
    assert render_markdown("\ud800a")
    assert "wzxhzdk" in render_markdown("\x02wzxhzdk:0\x03")
