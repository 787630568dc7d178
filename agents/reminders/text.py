"""What a reminder says: a template of ours in three lines, with the person's note in the middle.

Nobody but us writes lines one and three, so they stand here and not in a catalogue; the Chinese
ones are those of seed 4. The note is quoted: one line of plain text, whatever it holds.
"""

from dataclasses import dataclass

from skills.definitions import MAX_NOTE_LENGTH
from tools.quoting import quote


@dataclass(frozen=True, slots=True)
class Template:
    opening: str
    review: str  # where there is no note
    question: str


_ENGLISH = Template(
    "It is time for the goal check-in that we agreed on.",
    "What have you reached so far, what is in the way, and what comes next?",
    "How far have you come?",
)
_CHINESE = Template(
    "我们约定的目标复盘时间到了。",
    "回顾一下：哪些已经完成，哪些遇到了阻碍，下一步准备做什么？",
    "现在进展到哪里了？",
)


def render_reminder(note: str, language: str) -> str:
    """Plain text in exactly three lines; show it as such, never as Markdown."""
    template = _CHINESE if language.casefold().startswith("zh") else _ENGLISH
    noted = quote(note, MAX_NOTE_LENGTH) or template.review
    return f"{template.opening}\n{noted}\n{template.question}"
