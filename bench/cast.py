"""Who is in the measured database, and what one of them has written."""

from collections.abc import Iterator

from django.test import Client

from config.base.models import User
from documents.enums import DocumentType
from documents.models import Document
from tests.processes.people import agent_with, person

DOCUMENTS = 100_000
LONG = 50_000  # characters
_PARAGRAPH = (
    "## Section {n}\n\n"
    "The *gate* decides **once**, and `audit` keeps what it said; see [the notes](https://example.org/{n}).\n\n"
    "- first point of {n}\n- second point, with a `name`\n  - a nested one\n\n"
    "| name | value |\n|------|------:|\n| rows | {n} |\n| cost | 3.5 |\n\n"
    "```python\ndef total(values: list[int]) -> int:\n    return sum(values)  # {n}\n```\n\n"
    "A longer paragraph follows, as people write them: it says in some sentences what was found, "
    "who found it, and what is to be done about it next week. Nothing in it is special.\n\n"
)


def make_people(count: int) -> list[str]:
    """Their tokens; `reader` is the first. All of them may speak with the agent."""
    agent_with("calculator", "document")
    return [person("reader" if n == 0 else f"person{n}")[1] for n in range(count)]


def reader() -> User:
    return User.objects.get(username="reader")


def session_of(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {name: morsel.value for name, morsel in client.cookies.items()}


def fill_library(owner: User) -> None:
    Document.objects.bulk_create(_short_ones(owner), batch_size=2_000)


def _short_ones(owner: User) -> Iterator[Document]:
    for n in range(DOCUMENTS):
        content = f"Note {n}. " + "Some words that say little. " * 20
        yield Document(
            owner=owner,
            type=DocumentType.MEMORY if n % 20 == 0 else DocumentType.DOCUMENT,
            title=f"Note {n * 7919 % DOCUMENTS}",
            content=content,
            summary=content[:120],
            tags=[f"tag{n % 50}"],
            tags_text=f"\ntag{n % 50}\n",
        )


def make_long_document(owner: User, n: int) -> Document:
    """As people and models write: headings, lists, tables, code; no two alike."""
    sections = LONG // len(_PARAGRAPH) + 2
    text = "".join(_PARAGRAPH.format(n=n * 1_000 + section) for section in range(sections))
    return Document.objects.create(
        owner=owner, type=DocumentType.DOCUMENT, title=f"Long {n}", content=text[:LONG]
    )
