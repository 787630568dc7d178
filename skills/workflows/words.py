"""What a message means to a workflow: whole words that are documented, and nothing guessed.

While it waits for an answer every other message is one; `/answer` makes one even of these words.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import get_language

from skills.definitions import WorkflowSkill
from skills.messages import after_command, command_of
from skills.selector import find_commanded
from skills.steps import Step, fold


class Word(StrEnum):
    ANSWER = "answer"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    BACK = "back"
    SKIP = "skip"
    CHANGE = "change"
    WRITE = "write"
    OTHER_SKILL = "other_skill"  # a command of another skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """`name` and `text` of a change: of which step, and what it is to be; `text` of an answer."""

    word: Word
    text: str = ""
    name: str = ""


WORDS: dict[Word, tuple[str, ...]] = {
    Word.PAUSE: ("/pause", "pause", "later", "暂停", "稍后"),
    Word.RESUME: ("/resume", "resume", "恢复"),
    Word.CANCEL: ("/cancel", "cancel", "取消"),
    Word.BACK: ("/back", "back", "返回", "上一步"),
    Word.SKIP: ("/skip", "skip", "跳过"),
}
# Once nothing is left to answer.
WRITE_WORDS = ("/write", "write", "write it", "yes", "写入", "写吧", "是")
# Which of them a button says, by the language of the person.
_WRITE_WORD = {"en": "write", "zh-hans": "写入"}
# Of a paused one: what could as well be said to the agent is not among them.
PAUSED_WORDS = {Word.RESUME: WORDS[Word.RESUME], Word.CANCEL: ("/cancel",)}

_CHANGES = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"change (?:the )?(?P<name>[^:\n]{1,40}?) to:?\s+(?P<text>\S.*)",
        r"[把将](?P<name>[^:：\n]{1,40}?)改[成为][:：]?\s*(?P<text>\S.*)",
        r"修改(?P<name>[^:：\n]{1,40}?)[:：]\s*(?P<text>\S.*)",
    )
)


def understand(text: str, skill: WorkflowSkill, *, is_ready: bool) -> Said:
    """What the person says to an active workflow of this skill."""
    text = text.strip()
    command = command_of(text)
    if command == "/answer":
        return Said(word=Word.ANSWER, text=after_command(text))
    if word := _whole_word(text, is_ready=is_ready):
        return Said(word=word)
    if command == "/change":
        name, *new = re.split("[:：]", after_command(text), maxsplit=1)
        return Said(word=Word.CHANGE, name=name.strip(), text="".join(new).strip())
    if change := _change(text, skill):
        return change
    if find_commanded(text):
        return Said(word=Word.OTHER_SKILL)
    return Said(word=Word.ANSWER, text=text)


def understand_paused(text: str) -> Word | None:
    """Whether the person goes on with a paused workflow, or drops it."""
    return next((word for word, words in PAUSED_WORDS.items() if _is_one_of(text, words)), None)


def find_step(skill: WorkflowSkill, name: str) -> Step | None:
    """By its name, its label or what else it is called."""
    return next((step for step in skill.steps if step.is_called(name)), None)


def write_word() -> str:
    """As the person says it who is being answered."""
    return _WRITE_WORD.get(get_language() or "en", _WRITE_WORD["en"])


def _whole_word(text: str, *, is_ready: bool) -> Word | None:
    if is_ready and _is_one_of(text, WRITE_WORDS):
        return Word.WRITE
    return next((word for word, words in WORDS.items() if _is_one_of(text, words)), None)


def _is_one_of(text: str, words: tuple[str, ...]) -> bool:
    return len(text) < 40 and fold(text) in words


def _change(text: str, skill: WorkflowSkill) -> Said | None:
    """Only of something that the workflow has asked for: else it is an answer."""
    for pattern in _CHANGES:
        found = pattern.fullmatch(text)
        if found and find_step(skill, found["name"]):
            return Said(word=Word.CHANGE, name=found["name"], text=found["text"])
    return None
