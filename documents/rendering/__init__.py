"""Markdown to HTML that is safe to show: the only way to make it.

Three steps, in this order: CommonMark to HTML (`host`, `parser`; raw HTML comes out as text), the
allow list (`sanitise`), and last what only we may add (`finish`): ids, anchors, `rel`.
"""

from documents.rendering.page import outline, render, render_markdown
from documents.rendering.rendered import Rendered

__all__ = ["Rendered", "outline", "render", "render_markdown"]
