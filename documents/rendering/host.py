"""The `markdown` package as host. No setting of its own nests lists right at 2, 3 and 4 spaces, so
the extension hands the whole text to the CommonMark parser and stashes what comes back."""

import markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from documents.rendering.parser import to_html

# The host marks its stash with these two; in a text they would name a place in it.
_HOST_MARKS = str.maketrans({STX: "\N{REPLACEMENT CHARACTER}", ETX: "\N{REPLACEMENT CHARACTER}"})


class CommonMarkPreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        html = to_html("\n".join(lines).translate(_HOST_MARKS)).strip()
        return [self.md.htmlStash.store(html)] if html else []


class CommonMarkExtension(Extension):
    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802  (the host's name)
        md.preprocessors.deregister("normalize_whitespace")  # it widens tabs, in code too
        md.preprocessors.deregister("html_block")
        md.preprocessors.register(CommonMarkPreprocessor(md), "commonmark", 100)


def convert(text: str) -> str:
    """HTML that is not yet fit to be shown. Raises `RenderingTooLong`."""
    return markdown.markdown(text, extensions=[CommonMarkExtension()])
