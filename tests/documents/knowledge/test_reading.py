"""From an uploaded file to passages: the right text in its place, or a clear reason."""

import pytest

from config.base.models import User
from documents.enums import ReadFailure, ResourceState
from documents.models import KnowledgeSpace, Resource
from jobs.models import Job
from tests.documents.knowledge import offices, pdfs
from tests.documents.knowledge.factories import events_of, make_resource

pytestmark = pytest.mark.django_db

WORDS = "The pump is checked every 90 days. 水泵每九十天检查一次。"
HTML = (
    "<!doctype html><html><head><title>Rules</title><script>steal()</script></head>"
    "<body><h1>Pumps</h1><p>The pump is checked every 90 days. 水泵每九十天检查一次。</p>"
    "</body></html>"
)
FILES = {
    "rules.pdf": pdfs.text_pdf(
        ["Contents", "The pump is checked every 90 days.\n水泵每九十天检查一次。"]
    ),
    "rules.docx": offices.docx(["# Pumps", WORDS]),
    "rules.pptx": offices.pptx([("Contents", "All rules"), ("Pumps", WORDS)]),
    "rules.xlsx": offices.xlsx({"Contents": [["what"]], "Pumps": [["rule"], [WORDS]]}),
    "rules.html": HTML.encode(),
    "rules.md": f"# Pumps\n\n{WORDS}\n".encode(),
    "rules.txt": WORDS.encode(),
}
PLACES = {  # page and heading of the words
    "rules.pdf": (2, ""),
    "rules.docx": (None, "Pumps"),
    "rules.pptx": (2, "Pumps"),
    "rules.xlsx": (None, "Pumps"),
    "rules.html": (None, "Pumps"),
    "rules.md": (None, "Pumps"),
    "rules.txt": (None, ""),
}


def texts_of(resource: Resource) -> str:
    return "\n".join(resource.passages.order_by("number").values_list("text", flat=True))


@pytest.mark.both
@pytest.mark.parametrize("name", FILES)
def test_its_words_are_found_in_their_place(name: str, alice: User, space: KnowledgeSpace) -> None:
    resource = make_resource(alice, space, FILES[name], name)
    assert (resource.state, resource.failure) == (ResourceState.READY, "")
    passage = resource.passages.get(text__contains="every 90 days")
    assert "水泵每九十天检查一次" in passage.text
    assert (passage.page, passage.heading) == PLACES[name]
    assert "steal" not in texts_of(resource)
    assert events_of("resource", resource.pk) == ["resource.uploaded", "resource.read"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "cp1252"])
def test_text_is_read_in_each_encoding(encoding: str, alice: User, space: KnowledgeSpace) -> None:
    text = "Größe und Café, naïve façade." if encoding == "cp1252" else WORDS
    resource = make_resource(alice, space, text.encode(encoding))
    assert texts_of(resource) == text


@pytest.mark.parametrize(
    ("name", "data", "failure"),
    [
        ("scan.pdf", pdfs.picture_pdf(3), ReadFailure.SCANNED),
        ("blank.pdf", pdfs.blank_pdf(), ReadFailure.EMPTY),
        ("locked.pdf", pdfs.locked_pdf("Hidden"), ReadFailure.ENCRYPTED),
        ("torn.pdf", b"%PDF-1.7\nnothing that a PDF has\n%%EOF\n", ReadFailure.BROKEN),
        (
            "torn.docx",
            offices.zipped({"[Content_Types].xml": "", "word/document.xml": "<w:"}),
            ReadFailure.BROKEN,
        ),
        ("empty.docx", offices.docx([]), ReadFailure.EMPTY),
    ],
)
def test_what_can_not_be_read_says_why(
    name: str, data: bytes, failure: ReadFailure, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, data, name)
    assert (resource.state, resource.failure) == (ResourceState.FAILED, failure)
    assert not resource.passages.exists()
    job = Job.objects.get(kind="knowledge.read")
    assert (job.status, job.last_error_code) == ("failed", failure)
    assert str(failure.label) == job.last_error_message
