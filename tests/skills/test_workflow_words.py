"""What a message means to a workflow that is under way: documented words, nothing guessed."""

import pytest

from skills.shipped.meeting_notes import MeetingNotes
from skills.workflows.words import Said, Word, understand, understand_paused

NOTES = MeetingNotes()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *(
            (text, Word.PAUSE)
            for text in ("pause", "Later.", "/pause", "暂停", "稍后。", "ＰＡＵＳＥ")
        ),
        *((text, Word.CANCEL) for text in ("cancel", "/cancel", "取消！")),
        *((text, Word.BACK) for text in ("back", "/back", "返回", "上一步")),
        *((text, Word.SKIP) for text in ("skip", "/skip", "跳过")),
        *((text, Word.RESUME) for text in ("resume", "/resume", "恢复")),
        *(
            (text, Word.OTHER_SKILL)
            for text in (
                "/memory-recall tea",
                "/meeting-notes",
                "/weekly-review\nplease",
                "／Weekly-Review　please",
                "/weekly-review\tplease",
            )
        ),
        *(
            (text, Word.ANSWER)
            for text in (
                "pause the project",
                "Cancel the order",
                "let's go back to Berlin",
                "yes",
                "/etc/hosts is broken",
                "change the supplier to ACME",
                "把供应商改成ACME",
                "",
            )
        ),
    ],
)
def test_whole_words_steer_and_all_else_is_an_answer(text: str, word: Word) -> None:
    assert understand(text, NOTES, is_ready=False).word == word


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("change title to Budget 2028", "title", "Budget 2028"),
        ("Change the attendees to: Ann, Bob", "attendees", "Ann, Bob"),
        ("/change title: A: B", "title", "A: B"),
        ("/change 标题：预算", "标题", "预算"),
        ("把标题改成预算", "标题", "预算"),
        ("将参会人改为小安、小白", "参会人", "小安、小白"),
        ("修改决定：少花钱", "决定", "少花钱"),
        ("change actions to a\nb", "actions", "a\nb"),
        ("/change nothing: x", "nothing", "x"),
        ("/change", "", ""),
        ("／CHANGE title\n: a\nb", "title", "a\nb"),
    ],
)
def test_a_change_names_a_step_and_what_it_is_to_be(text: str, name: str, value: str) -> None:
    said = understand(text, NOTES, is_ready=False)
    assert said == Said(word=Word.CHANGE, name=name, text=value)


@pytest.mark.parametrize("text", ["write", "Yes", "写入", "/write"])
def test_once_all_is_answered_it_can_be_asked_for(text: str) -> None:
    assert understand(text, NOTES, is_ready=True).word == Word.WRITE


@pytest.mark.parametrize("word", ["later", "/cancel", "change title to x", "Ｑ１ “a”\nb"])
@pytest.mark.parametrize("command", ["/answer ", "／answer\n", "/Answer\u3000"])
def test_an_answer_can_be_any_words_as_they_were_written(word: str, command: str) -> None:
    said = understand(f"{command}{word}", NOTES, is_ready=False)
    assert said == Said(word=Word.ANSWER, text=word)


def test_of_a_paused_one_only_what_nobody_says_to_an_agent() -> None:
    assert understand_paused("resume") == Word.RESUME
    assert understand_paused("恢复") == Word.RESUME
    assert understand_paused("/cancel") == Word.CANCEL
    assert understand_paused("cancel") is None
    assert understand_paused("resume the talk") is None
