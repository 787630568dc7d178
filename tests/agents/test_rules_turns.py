"""What the offline model makes of results: the next call, or the words at the end."""

import json

import pytest

from agents.model_clients.protocol import JSON, ModelRequest, TextDelta
from agents.model_clients.rules import RulesClient
from agents.testing import play_turn
from tests.agents.rules_cases import (
    ID_1,
    ID_2,
    Call,
    ask,
    calls_in,
    clock,
    content,
    document,
    failed,
    listed,
    look_up,
    ok,
    page,
    prompt,
    row,
)

FETCH_AND_SAVE = "fetch http://x.test/a and save it as a document called Notes"
CREATED = ok(id=ID_1, title="Notes", type="document", revision=1, created_at="2026-11-29")


def full(id_: str = ID_1) -> Call:
    return document("read", id=id_, full_content=True)


NEXT_CALL: list[tuple[str, list[JSON], Call]] = [
    (
        FETCH_AND_SAVE,
        [page("# Hello\n\nworld")],
        document("create", title="Notes", content="# Hello\n\nworld", type="document"),
    ),
    (
        "抓取 http://x.test 并保存为记忆，标题为X",
        [page("你好")],
        document("create", title="X", content="你好", type="memory"),
    ),
    (
        "fetch http://x.test/a/ and save it",
        [page("text")],
        document("create", title="x.test/a", content="text", type="document"),
    ),
    (
        "calculate 15*23 and save it as a memory called Result",
        [ok(result="345")],
        document("create", title="Result", content="15*23 = 345", type="memory"),
    ),
    ("delete the document Notes", [listed(row())], document("delete", id=ID_1)),
    ("delete the document notes", [listed(row())], document("delete", id=ID_1)),
    (
        "delete the document Notes",
        [listed(row(ID_2, "Notes of June"), row())],
        document("delete", id=ID_1),
    ),
    (
        "delete the document Notes",
        [listed(row(), row(ID_2, kind="memory"))],
        document("delete", id=ID_1),
    ),
    (
        "delete the document Notes #bbbb2222",
        [listed(row(), row(ID_2))],
        document("delete", id=ID_2),
    ),
    ("delete document #bbbb2222", [listed(row(), row(ID_2))], document("delete", id=ID_2)),
    (
        "delete the document Notes",
        [listed(row(ID_2, "Notes of June"), more=True, next_page=2)],
        look_up("Notes", page=2),
    ),
    ("read the document Notes", [listed(row())], full()),
    ("读取文档笔记", [listed(row(title="笔记"))], full()),
    ("append butter to the document Notes", [listed(row())], full()),
    (
        "append butter to the document Notes",
        [listed(row()), content("milk\n", revision=4)],
        document("update", id=ID_1, content="milk\n\nbutter", expected_revision=4),
    ),
    (
        "replace the content of the document Notes with only bread",
        [listed(row(revision=7))],
        document("update", id=ID_1, content="only bread", expected_revision=7),
    ),
    (
        "把文档笔记的内容替换为只有面包",
        [listed(row(title="笔记", revision=2))],
        document("update", id=ID_1, content="只有面包", expected_revision=2),
    ),
    (
        "rename the document Notes to Plans",
        [listed(row())],
        document("update", id=ID_1, title="Plans", expected_revision=3),
    ),
    (
        "fetch http://x.test and append it to the document Notes",
        [page("new"), listed(row()), content("old")],
        document("update", id=ID_1, content="old\n\nnew", expected_revision=3),
    ),
    ("what do you remember about colour?", [listed(row())], full()),
    (
        "what is my favourite colour?",
        [listed()],
        look_up("favourite", filter_type="memory"),
    ),
    ("我最喜欢的颜色是什么", [listed()], look_up("颜色", filter_type="memory")),
    (
        "how many days until 2026-12-25?",
        [ok(result="2026-11-29")],
        clock("days_between", **{"from": "2026-11-29", "to": "2026-12-25"}),
    ),
    (
        "what is 3pm London in New York?",
        [ok(result="2026-11-29T15:00:00+00:00")],
        clock(
            "convert",
            **{
                "datetime": "2026-11-29T15:00:00",
                "from": "Europe/London",
                "to": "America/New_York",
            },
        ),
    ),
    ("what week is it?", [ok(result="2026-11-29")], clock("iso_week", date="2026-11-29")),
    ("what is 2+2 and what time is it?", [ok(result="4")], clock("now", tz="Asia/Shanghai")),
]


@pytest.mark.parametrize(("message", "results", "expected"), NEXT_CALL)
def test_it_goes_on_with(message: str, results: list[JSON], expected: Call) -> None:
    assert calls_in(ask(message, results)) == [expected]


AT_THE_END: list[tuple[str, list[JSON], list[str]]] = [
    ("fetch http://x.test", [page("# Hello\nworld")], ["status 200", "> # Hello\n> world"]),
    ("fetch http://x.test", [page("gone", 404)], ["status 404", "> gone"]),
    ("fetch http://x.test", [page("")], ["no text"]),
    ("fetch http://x.test and tell me what it says", [page("abc")], ["can't summarise", "> abc"]),
    ("总结一下 http://x.test", [page("甲乙")], ["无法总结", "> 甲乙"]),
    (FETCH_AND_SAVE, [page("x"), CREATED], ["http://x.test/a", f"[Notes](/documents/{ID_1}/)"]),
    (FETCH_AND_SAVE, [page("gone", 404)], ["status 404", "did not go on"]),
    (
        "fetch http://x.test and email it to Bob",
        [page("x")],
        ["did not understand", "email it to Bob"],
    ),
    ("2+2*3", [ok(result="8")], ["2+2*3 = 8"]),
    ("80的12.5%是多少", [ok(result="10")], ["80的12.5% = 10"]),
    ("1/0", [failed("divzero", "Division by zero.")], ["`calculator`", "Division by zero."]),
    (
        "what time is it in Tokyo?",
        [ok(result="2026-11-29T21:00:00+09:00")],
        ["21:00", "Sunday, 29 November 2026", "in Tokyo", "Asia/Tokyo"],
    ),
    (
        "东京现在几点",
        [ok(result="2026-11-29T21:00:00+09:00")],
        ["东京现在是2026年11月29日", "星期日", "21:00"],
    ),
    ("what day is tomorrow?", [ok(result="2026-11-30")], ["Monday, 30 November 2026"]),
    ("下周一是几号", [ok(result="2026-11-30")], ["下周一是2026年11月30日（星期一）"]),
    ("what day of the week is 2026-03-20?", [ok(result="Friday")], ["Friday"]),
    ("2026-03-20是星期几", [ok(result=5)], ["星期五"]),
    ("how many days between 2026-01-01 and 2026-03-01", [ok(result=59)], ["59 days"]),
    (
        "convert 2026-03-20 12:00 from London to New York",
        [ok(result="2026-03-20T08:00:00-04:00")],
        ["12:00 on Friday, 20 March 2026 (Europe/London) is 08:00", "(America/New_York)"],
    ),
    (
        "convert tomorrow 2026-03-20 from London to New York",
        [ok(result="2026-03-20")],
        ["Name a time of day"],
    ),
    ("delete the document Notes", [listed(row()), ok(id=ID_1, deleted=True)], ["Deleted: Notes."]),
    ("delete the document Notes", [listed()], ["no document called “Notes”"]),
    (
        "delete the document Notes",
        [listed(row(title="Notes of June"))],
        ["no document called “Notes”", "Similar titles", "Notes of June"],
    ),
    (
        "delete the document Notes",
        [listed(row(), row(ID_2))],
        ["Several match", "delete document Notes #aaaa1111", "#bbbb2222", "2026-11-29"],
    ),
    (
        "删除文档笔记",
        [listed(row(title="笔记"), row(ID_2, "笔记"))],
        ["有多个匹配", "删除文档 笔记 #aaaa1111"],
    ),
    (
        "delete the document Notes",
        [listed(row(), more=True)] * 3,
        ["Too many documents match"],
    ),
    ("read the document Notes", [listed(row()), content("a\nb")], ["**Notes**", "> a\n> b"]),
    (
        "read the document Notes",
        [listed(row()), ok(id=ID_1, title="Notes", content="start", content_length=90_000)],
        ["> start", "90000 characters"],
    ),
    (
        "read the document Notes",
        [listed(row()), content("word " * 2000)],
        ["> word word", "10000 characters"],
    ),
    (
        "append x to the document Notes",
        [listed(row()), ok(id=ID_1, title="Notes", content="start", content_length=90_000)],
        ["too long", "nothing was changed"],
    ),
    (
        "list my documents",
        [listed(row())],
        ["1 shown", f"[Notes](/documents/{ID_1}/)", "#aaaa1111"],
    ),
    ("list my documents", [listed(row(), more=True, next_page=2)], ["page 2"]),
    ("list my memories", [listed()], ["no memories yet"]),
    ("列出我的文档", [listed()], ["还没有文档"]),
    ("search my documents for tax", [listed(row())], ["“tax”", "about Notes"]),
    ("search my documents for tax", [listed()], ["nothing for “tax”"]),
    (
        "what do you remember about colour?",
        [listed(row(title="My favourite colour")), content("My favourite colour is green")],
        ["**My favourite colour** (2026-11-29)", "> My favourite colour is green"],
    ),
    ("what do you remember about colour?", [listed()], ["nothing about “colour”", "remember that"]),
    ("what do you remember?", [listed()], ["kept nothing yet"]),
    ("remember that I like tea", [listed(), CREATED], ["Saved as the memory [I like tea]"]),
    # What a person decided.
    ("delete the document Notes", [listed(row()), failed("dismissed")], ["Nothing was done"]),
    ("删除文档笔记", [listed(row(title="笔记")), failed("dismissed")], ["没有执行"]),
    (
        "delete the document Notes",
        [listed(row()), failed("answered", "Delete the other one")],
        ["Nothing was done", "“Delete the other one”"],
    ),
    (
        "delete the document Notes",
        [listed(row()), failed("answered", "Nothing was done. Their words: Hmm: Their words: no")],
        ["You answered: “Hmm: Their words: no”"],
    ),
    ("delete the document Notes", [listed(row()), failed("expired")], ["expired"]),
    ("delete the document Notes", [listed(row()), failed("cancelled")], ["cancelled"]),
    (
        "delete the document Notes",
        [listed(row()), failed("outcome_unknown", "Nobody can say.")],
        ["whether it was done", "Nobody can say."],
    ),
    # What failed ends the plan.
    (
        FETCH_AND_SAVE,
        [failed("address_refused", "This address is refused.")],
        ["This address is refused.", "The rest of your request was not done."],
    ),
    (FETCH_AND_SAVE, [page("x"), failed("too_long", "At most 50000.")], ["At most 50000."]),
    ("delete the document Notes", [failed("denied", "Not allowed.")], ["Not allowed."]),
    (FETCH_AND_SAVE, [ok(status_code=200)], ["no `content`"]),
]


LISTING = document("list", filter_type="document")


def answered(words: str) -> JSON:
    return failed("answered", f"Nothing was done. Their words: {words}")


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("list my documents", LISTING),
        ("no, list my documents instead", LISTING),
        ("No. Instead list my documents.", LISTING),
        ("list my documents, instead", LISTING),
        ("不，列出我的文档", LISTING),
        ("calculate 2+2 instead", ("calculator", {"expression": "2+2"})),
    ],
)
def test_what_a_person_answers_on_a_card_is_done_as_if_it_were_a_new_message(
    words: str, call: Call
) -> None:
    results = [listed(row()), answered(words)]
    reply = ask("delete the document Notes", results)
    assert calls_in(reply) == [call]
    assert reply.tool_calls[0].id == "call_3"
    done = ok(result="4") if call[0] == "calculator" else listed(row())
    end = ask("delete the document Notes", [*results, done])
    assert end.tool_calls == ()
    assert "4" in end.text or "Notes" in end.text


def test_an_answer_to_a_card_of_an_answer_counts_too() -> None:
    first = [listed(row()), answered("delete the document Plans"), listed(row(title="Plans"))]
    reply = ask("delete the document Notes", [*first, answered("2+2")])
    assert calls_in(reply) == [("calculator", {"expression": "2+2"})]


@pytest.mark.parametrize(("message", "results", "parts"), AT_THE_END)
def test_it_ends_with(message: str, results: list[JSON], parts: list[str]) -> None:
    reply = ask(message, results)
    assert reply.tool_calls == ()
    assert [part for part in parts if part not in reply.text] == []


def test_it_plays_three_requests_in_their_order() -> None:
    played = play_turn(
        RulesClient(),
        "fetch http://x.test, save it as a document called Notes and then calculate 2+2",
        {
            "fetch": lambda _: page("hello"),
            "document": lambda _: CREATED,
            "calculator": lambda _: ok(result="4"),
        },
    )
    assert [name for name, _ in played.calls] == ["fetch", "document", "calculator"]
    assert "Notes" in played.text
    assert "2+2 = 4" in played.text


def test_it_reads_back_several_memories_in_one_step() -> None:
    rows = (row(ID_1, "One"), row(ID_2, "Two"))
    answers = {
        "list": listed(*rows),
        ID_1: content("first", ID_1, "One"),
        ID_2: content("second", ID_2, "Two"),
    }
    played = play_turn(
        RulesClient(),
        "what do you remember?",
        {"document": lambda a: answers[a["action"] if a["action"] == "list" else a["id"]]},
    )
    assert [len(m.tool_calls) for m in played.messages if m.tool_calls] == [1, 2]
    assert "> first" in played.text
    assert "> second" in played.text


def test_it_says_what_is_left_when_the_steps_are_used_up() -> None:
    played = play_turn(
        RulesClient(),
        FETCH_AND_SAVE,
        {"fetch": lambda _: page("hello"), "document": lambda _: CREATED},
        max_steps=1,
    )
    assert [name for name, _ in played.calls] == ["fetch"]
    assert "all the steps" in played.text


def test_it_numbers_its_calls_within_the_turn() -> None:
    ids = [
        call.id for step in range(2) for call in ask(FETCH_AND_SAVE, [page("x")] * step).tool_calls
    ]
    assert ids == ["call_1", "call_2"]


def test_it_stops_when_a_result_is_missing() -> None:
    request = prompt(FETCH_AND_SAVE, [page("x")])
    without = ModelRequest(request.messages[:-1], request.tools)
    assert "missing" in RulesClient().complete(without).text


@pytest.mark.parametrize(
    "broken", ["", "no json", "[]", "{}", '{"success": "yes"}', '{"error": 1}']
)
def test_it_stops_at_a_result_that_is_none(broken: str) -> None:
    request = prompt(FETCH_AND_SAVE, [page("x")])
    last = request.messages[-1]
    messages = (*request.messages[:-1], type(last)("tool", broken, tool_call_id=last.tool_call_id))
    reply = RulesClient().complete(ModelRequest(messages, request.tools))
    assert reply.tool_calls == ()
    assert "did not succeed" in reply.text


def test_it_streams_the_same_reply_in_pieces() -> None:
    request = prompt("hello")
    *pieces, last = RulesClient().stream(request)
    assert last == RulesClient().complete(request)
    texts = [piece.text for piece in pieces if isinstance(piece, TextDelta)]
    assert len(texts) > 5
    assert "".join(texts) == RulesClient().complete(request).text


def test_it_is_free_of_charge_and_counts_roughly() -> None:
    usage = ask("hello").usage
    assert usage.cost_usd == 0
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


def test_its_arguments_are_also_given_as_json() -> None:
    (call,) = ask("删除文档笔记").tool_calls
    assert json.loads(call.raw_arguments) == call.arguments


@pytest.mark.parametrize("text", ["a\nb\n", "  a\nb", "\n\na\nb\n\n", "a"])
def test_a_text_that_is_shown_whole_is_not_said_to_go_on(text: str) -> None:
    answer = ask("read the document Notes", [listed(row()), content(text)]).text
    assert "goes on" not in answer
