"""What reading may cost: a large or hostile file ends its own job, and the worker stays small."""

import resource as machine
import time
from typing import Any

import pytest

from config.base.models import User
from documents.enums import ReadFailure, ResourceState
from documents.knowledge import jobs
from documents.knowledge.extraction.passages import cut
from documents.knowledge.extraction.pieces import Piece
from documents.knowledge.services import write_passages
from documents.models import KnowledgeSpace, Resource, SearchEntry
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from tests.documents.knowledge import offices, pdfs
from tests.documents.knowledge.factories import make_resource, upload

pytestmark = pytest.mark.django_db
LINE = "Rule {page}.{line}: the pump of hall {page} is checked every {line} days by its crew."


def manual(pages: int) -> bytes:
    return pdfs.text_pdf(
        ["\n".join(LINE.format(page=page, line=line) for line in range(20)) for page in
         range(1, pages + 1)]
    )  # fmt: skip


def test_500_pages_are_read_page_by_page_and_the_worker_stays_small(
    alice: User, space: KnowledgeSpace
) -> None:
    upload(alice, space, manual(500), "manual.pdf")
    before = machine.getrusage(machine.RUSAGE_SELF).ru_maxrss
    run_due_jobs()
    grown_mb = (machine.getrusage(machine.RUSAGE_SELF).ru_maxrss - before) / 1024
    resource = Resource.objects.get()
    assert (resource.state, resource.pages) == (ResourceState.READY, 500)
    assert resource.passages.filter(page=437, text__contains="the pump of hall 437").exists()
    assert not resource.passages.filter(page=437, text__contains="hall 436").exists()
    assert grown_mb < 100


@pytest.mark.parametrize(
    ("setting", "value", "failure"),
    [
        ("KNOWLEDGE_TEXT_CHARS", 500, ReadFailure.TOO_LONG),
        ("KNOWLEDGE_PAGES", 2, ReadFailure.TOO_LONG),
        ("KNOWLEDGE_READ_SECONDS", 0.05, ReadFailure.TIMEOUT),
    ],
)
def test_past_a_limit_the_job_ends_with_the_reason(
    setting: str, value: float, failure: ReadFailure, alice: User, space: KnowledgeSpace,
    settings: Any,
) -> None:  # fmt: skip
    setattr(settings, setting, value)
    resource = make_resource(alice, space, manual(20), "manual.pdf")
    assert (resource.state, resource.failure) == (ResourceState.FAILED, failure)


def test_memory_has_an_end(alice: User, space: KnowledgeSpace, settings: Any) -> None:
    settings.KNOWLEDGE_READ_MB = 256
    rows = [[f"cell {row} {column}" for column in range(40)] for row in range(4_000)]
    resource = make_resource(alice, space, offices.xlsx({"Big": rows}), "big.xlsx")
    assert resource.state == ResourceState.FAILED
    assert resource.failure in (ReadFailure.TOO_LARGE, ReadFailure.BROKEN, ReadFailure.TIMEOUT)


def test_a_bomb_that_came_past_the_door_ends_its_job(
    alice: User, space: KnowledgeSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the door knew nothing of it: the child looks again, before it unpacks."""
    with monkeypatch.context() as blind:
        blind.setattr(
            "documents.knowledge.files.detection.archives.list_parts",
            lambda path: __import__("zipfile").ZipFile(path).infolist(),
        )
        upload(alice, space, offices.bomb(), "bomb.docx")
    other = upload(alice, space, b"Words.")
    run_due_jobs()
    bomb = Resource.objects.exclude(pk=other.pk).get()
    other.refresh_from_db()
    assert (bomb.state, bomb.failure) == (ResourceState.FAILED, ReadFailure.ZIP_BOMB)
    assert other.state == ResourceState.READY


def test_a_file_can_not_reach_out(alice: User, space: KnowledgeSpace) -> None:
    page = (
        '<!doctype html><html><body><img src="http://192.0.2.1/x.png">'
        '<iframe src="file:///etc/passwd"></iframe><p>Words.</p></body></html>'
    )
    resource = make_resource(alice, space, page, "page.html")
    text = "".join(resource.passages.values_list("text", flat=True))
    assert "Words." in text
    assert "root:" not in text


def test_what_is_not_foreseen_is_tried_again_and_then_told(
    alice: User, space: KnowledgeSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(resource: Resource) -> None:
        raise OSError("the disk")

    monkeypatch.setattr(jobs, "read_resource", fail)
    resource = make_resource(alice, space, b"Words.")
    assert resource.state == ResourceState.READING
    Job.objects.filter(kind="knowledge.read").update(attempts=2)
    job = Job.objects.get(kind="knowledge.read")
    make_due(job)
    run_due_jobs()
    resource.refresh_from_db()
    assert (resource.state, resource.failure) == (ResourceState.FAILED, ReadFailure.NOT_READ)


@pytest.mark.both
def test_an_attempt_that_died_half_way_is_begun_anew(
    alice: User, space: KnowledgeSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n\n".join(f"Paragraph {n}: " + "word " * 180 for n in range(100)).encode()
    written = write_passages

    def dies(*args: Any) -> Any:
        yield next(written(*args))
        raise OSError("killed")

    with monkeypatch.context() as broken:
        broken.setattr(jobs, "write_passages", dies)
        resource = make_resource(alice, space, text)
    assert 0 < resource.passages.count() < 100
    make_due(Job.objects.get(kind="knowledge.read"))
    run_due_jobs()
    resource.refresh_from_db()
    assert resource.state == ResourceState.READY
    assert resource.passages.count() == resource.passage_count
    numbers = SearchEntry.objects.filter(item_id=resource.pk).values_list("part", flat=True)
    assert sorted(numbers) == list(range(resource.passage_count))


# --- Passages ---


def test_nothing_is_lost_between_passages_and_each_knows_its_place() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "Some words here. " * n for n in range(120))
    passages = cut([Piece(text=text)])
    for passage in passages:
        start = passage["start"]
        assert text[start : start + len(passage["text"])] == passage["text"]
    said = "".join("".join(passage["text"].split()) for passage in passages)
    assert said == "".join(text.split())
    assert max(len(passage["text"]) for passage in passages) <= 1_500
    assert min(len(passage["text"]) for passage in passages[:-1]) > 300


def test_chinese_says_as_much_in_half_the_characters() -> None:
    passages = cut([Piece(text="水泵每九十天检查一次。" * 500)])
    assert max(len(passage["text"]) for passage in passages) <= 750


def test_cutting_takes_time_in_proportion() -> None:
    began = time.monotonic()
    passages = cut([Piece(text="x" * 2_000_000), Piece(text="\n \n" * 300_000)])
    assert time.monotonic() - began < 10
    assert len(passages) == 2_000
