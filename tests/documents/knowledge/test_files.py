"""What a file is, by what is in it; how it comes to the disk; what keeps it out."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.base.models import User
from documents.knowledge.errors import FileInfected, FileRefused, FileTooLarge, ScanFailed
from documents.knowledge.files import media_types, store
from documents.knowledge.files.detection import detect_type
from documents.knowledge.files.names import clean_file_name
from documents.knowledge.files.scanning import Verdict
from documents.knowledge.services import (
    delete_resource,
    delete_space,
    purge_stray_files,
    upload_resource,
)
from documents.models import KnowledgeSpace, Resource
from tests.documents.knowledge import offices, pdfs
from tests.documents.knowledge.factories import make_resource, make_space, person, upload

DOCX = offices.docx(["Text"])
PDF = pdfs.text_pdf(["Text"])
HTML = b"<!DOCTYPE html>\n<html><body>Text</body></html>"


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("a.pdf", PDF, media_types.PDF),
        ("a.docx", DOCX, media_types.DOCX),
        ("a.pptx", offices.pptx([("a", "b")]), media_types.PPTX),
        ("a.xlsx", offices.xlsx({"a": [["b"]]}), media_types.XLSX),
        ("a.html", HTML, media_types.HTML),
        ("a.htm", b"<p>A piece of a page</p>", media_types.HTML),
        ("a.md", b"# Text", media_types.MARKDOWN),
        ("a.csv", "名,价\n茶,3\n".encode("gb18030"), media_types.TEXT),
        ("README", b"Text", media_types.TEXT),
        ("no ending", PDF, media_types.PDF),
    ],
)
def test_a_type_is_told_by_the_content(name: str, data: bytes, found: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert detect_type(path, name) == found


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
MACROS = offices.zipped(
    {"[Content_Types].xml": "", "word/document.xml": "", "word/vbaProject.bin": "x"}
)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.pdf", b"", "empty"),
        ("a.txt", b" \n\n", "empty"),
        ("a.png", PNG, "unsupported_type"),
        ("a.pdf", PNG, "unsupported_type"),
        ("a.zip", offices.zipped({"a.txt": "a"}), "unsupported_type"),
        ("a.docx", MACROS, "unsupported_type"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "unsupported_type"),
        (
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "encrypted",
        ),
        ("a.docx", PDF, "mismatched_type"),
        ("a.txt", HTML, "mismatched_type"),
        ("a.pdf", b"%PDF-1.7 and no end", "broken"),
        ("a.docx", DOCX[:-40], "broken"),
        # Two kinds in one: each would be taken alone.
        ("a.pdf", PDF + DOCX + b"%%EOF", "mismatched_type"),
        ("a.docx", b"PK\x03\x04 a picture, it says" + DOCX, "broken"),
        ("a.html", HTML + b" " * 70_000 + DOCX, "mismatched_type"),
        ("a.docx", DOCX + PDF, "broken"),
        ("a.docx", DOCX[:-2] + len(PDF).to_bytes(2, "little") + PDF, "broken"),  # as its comment
        (
            "a.docx",
            offices.zipped(
                {"[Content_Types].xml": "", "word/document.xml": "", "xl/workbook.xml": ""}
            ),
            "unsupported_type",
        ),
        ("a.docx", offices.bomb(), "zip_bomb"),
        ("a.docx", offices.zipped({str(n): "" for n in range(10_001)}), "zip_bomb"),
    ],
)
def test_what_is_something_else_is_refused(
    name: str, data: bytes, code: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(FileRefused) as refused:
        detect_type(path, name)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\Report 1.docx", "Report 1.docx"),
        ("fdp.\u202etxt", "fdp.txt"),
        ("a\r\nSet-Cookie: b.txt", "aSet-Cookie: b.txt"),
        ("..", "file"),
        ("", "file"),
        ("年度报告.pdf", "年度报告.pdf"),
        ("a" * 300 + ".pdf", "a" * 251 + ".pdf"),
    ],
)
def test_a_name_is_shown_and_leads_nowhere(given: str, kept: str) -> None:
    assert clean_file_name(given) == kept


# --- The store ---


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.django_db
def test_a_file_lies_under_a_name_of_its_own_for_its_owner_alone(
    alice: User, space: KnowledgeSpace, knowledge_dir: Path
) -> None:
    resource = upload(alice, space, b"Words.", "secret plans.txt")
    (file,) = files_in(knowledge_dir)
    assert "secret" not in str(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert store.path_of(resource.stored_name) == file


@pytest.mark.django_db
def test_what_is_too_large_is_stopped_as_it_comes(
    alice: User, space: KnowledgeSpace, knowledge_dir: Path, settings: Any
) -> None:
    settings.KNOWLEDGE_FILE_BYTES = 1_000_000
    read = []

    def two_gigabytes() -> Iterator[bytes]:
        for number in range(2_000):
            read.append(number)
            yield bytes(1_000_000)

    with pytest.raises(FileTooLarge):
        upload_resource(person(alice), space.pk, file_name="a.txt", chunks=two_gigabytes())
    assert len(read) == 2
    assert files_in(knowledge_dir) == []
    with pytest.raises(FileTooLarge):
        upload_resource(
            person(alice), space.pk, file_name="a.txt", chunks=two_gigabytes(), size_bytes=2 * 10**9
        )
    assert len(read) == 2


@pytest.mark.django_db
def test_a_refused_file_leaves_nothing(
    alice: User, space: KnowledgeSpace, knowledge_dir: Path
) -> None:
    with pytest.raises(FileRefused):
        upload(alice, space, PNG, "a.png")
    assert files_in(knowledge_dir) == []
    assert not Resource.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_deleted_file_is_gone_from_the_disk(alice: User, knowledge_dir: Path) -> None:
    space = make_space(alice)
    kept = make_resource(alice, make_space(alice, "Other"), "Others.")
    first, second = (make_resource(alice, space, f"Words {n}.") for n in range(2))
    delete_resource(person(alice), first.pk)
    assert not store.path_of(first.stored_name).exists()
    delete_space(person(alice), space.pk)
    assert not store.path_of(second.stored_name).exists()
    assert files_in(knowledge_dir) == [store.path_of(kept.stored_name)]


@pytest.mark.django_db(transaction=True)
def test_a_space_that_its_last_member_leaves_behind_goes_with_them(
    alice: User, knowledge_dir: Path
) -> None:
    make_resource(alice, make_space(alice), "Words.")
    alice.delete()
    assert not KnowledgeSpace.objects.exists()
    assert files_in(knowledge_dir) == []


@pytest.mark.django_db
def test_only_old_strays_are_swept(alice: User, space: KnowledgeSpace, knowledge_dir: Path) -> None:
    resource = upload(alice, space, b"Words.")
    known = store.path_of(resource.stored_name)
    stray, new = (known.with_name(name) for name in ("stray", "new"))
    for path in (stray, new):
        path.write_text("left behind")
    for path in (stray, known):
        os.utime(path, (0, 0))
    assert purge_stray_files() == 1
    assert sorted(files_in(knowledge_dir)) == sorted([known, new])


# --- The virus scanner ---


def scanner(path: Path) -> Verdict:
    if b"EICAR" in path.read_bytes():
        return Verdict(is_clean=False, reason="Eicar-Test-Signature")
    return Verdict(is_clean=True)


def broken_scanner(path: Path) -> Verdict:
    raise ConnectionError("no scanner")


def confused_scanner(path: Path) -> Any:
    return "fine"


@pytest.mark.django_db
def test_a_scanner_refuses_with_its_reason(
    alice: User, space: KnowledgeSpace, settings: Any, knowledge_dir: Path
) -> None:
    settings.KNOWLEDGE_SCANNER = f"{__name__}.scanner"
    assert upload(alice, space, b"Words.")
    with pytest.raises(FileInfected, match="Eicar-Test-Signature"):
        upload(alice, space, b"EICAR")
    assert len(files_in(knowledge_dir)) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["broken_scanner", "confused_scanner", "missing"])
def test_a_scanner_that_can_not_decide_refuses(
    name: str, alice: User, space: KnowledgeSpace, settings: Any
) -> None:
    settings.KNOWLEDGE_SCANNER = f"{__name__}.{name}"
    with pytest.raises(ScanFailed):
        upload(alice, space, b"Words.")
    assert not Resource.objects.exists()
