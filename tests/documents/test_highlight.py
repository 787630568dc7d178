"""Code gets colours, and nothing but colours: the text stays what it was, hostile or not."""

import pytest
from django.utils.html import escape

from documents.rendering import render
from documents.rendering.highlight import LANGUAGES, MAX_BLOCK, highlight
from tests.documents.html_checks import CHECKS, tags_of, text_of

CODE = 'def f(x):\n    """<b>&amp;</b>"""\n    return x < 1  # done\n'


def fenced(language: str, code: str) -> str:
    return f"```{language}\n{code}\n```\n"


def test_code_is_highlighted_by_class() -> None:
    html = render(fenced("python", CODE)).html
    assert '<pre class="highlight"><code class="language-python"><span class="k">def</span>' in html
    assert '<span class="c1"># done</span>' in html
    assert text_of(html).strip("\n") == CODE.strip("\n")


@pytest.mark.parametrize("language", ["", "klingon", "../etc", "python3"])
def test_what_no_lexer_knows_stays_plain(language: str) -> None:
    assert "<span" not in render(fenced(language, CODE)).html


@pytest.mark.parametrize(
    "code", ["x = 1\n" * (MAX_BLOCK // 6 + 1), "\n" * 100 + "x = 1", "x = '" + "a" * 200 + "'"]
)
def test_what_lexers_may_take_long_for_stays_plain(code: str) -> None:
    html = render(fenced("python", code)).html
    assert "<span" not in html
    assert text_of(html).strip("\n") == code.strip("\n")


HOSTILE = "</code></pre><script>alert(1)</script><img src=x onerror=alert(1)> \" ' & &lt; `"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_language_lets_a_tag_through_or_changes_the_text(language: str) -> None:
    html = render(fenced(language, HOSTILE + "\n")).html
    assert [found for check in CHECKS.values() for found in check(tags_of(html))] == []
    assert {tag.name for tag in tags_of(html)} <= {"pre", "code", "span"}
    assert text_of(html).strip() == HOSTILE


def test_time_that_is_spent_leaves_the_rest_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.rendering.highlight.CPU_SECONDS", -1.0)
    block = f'<pre><code class="language-python">{escape(CODE)}</code></pre>'
    assert highlight(block) == block


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("$E = mc^2$", '<code class="math">$E = mc^2$</code>'),
        ("$a*b*c$", '<code class="math">$a*b*c$</code>'),
        ("$$\na_1 *b* <i>\n$$", '<code class="math math-display">$$\na_1 *b* &lt;i&gt;\n$$</code>'),
        ("$5 or $10", "$5 or $10"),
        ("US$5 and *so* on", "US$5 and <em>so</em> on"),
        ("$x$5", "$x$5"),
        (r"\$a *b*$", "$a <em>b</em>$"),
    ],
)
def test_formulas_stay_text_and_prices_are_none(text: str, html: str) -> None:
    assert render(text).html.strip() == f"<p>{html}</p>"
