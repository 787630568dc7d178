"""What a message can ask for: the vocabulary of a plan.

An intent is built from the user's words alone. `needs` names the tool types it calls.
"""

from dataclasses import dataclass
from typing import ClassVar

DOCUMENT, MEMORY, ANY = "document", "memory", ""


@dataclass(frozen=True, slots=True)
class Named:
    """A document as the user names it: by whole id, or by title, or by the end of its id."""

    kind: str = ANY
    title: str = ""
    short_id: str = ""
    id: str = ""


class Intent:
    needs: ClassVar[tuple[str, ...]] = ()

    @property
    def takes_it(self) -> bool:
        """Whether it works on what the step before it brought."""
        return False


@dataclass(frozen=True, slots=True)
class Fetch(Intent):
    needs: ClassVar[tuple[str, ...]] = ("fetch",)
    url: str


@dataclass(frozen=True, slots=True)
class Explain(Intent):
    """ "…and tell me what it says": it is shown, and it is said that nothing is summarised."""

    @property
    def takes_it(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Calculate(Intent):
    needs: ClassVar[tuple[str, ...]] = ("calculator",)
    expression: str
    shown: str


@dataclass(frozen=True, slots=True)
class Now(Intent):
    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    place: str = ""
    wants: str = "time"  # or "date"


@dataclass(frozen=True, slots=True)
class DateOf(Intent):
    """Which day a phrase means: "next Monday", "100天后"."""

    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    phrase: str


@dataclass(frozen=True, slots=True)
class Weekday(Intent):
    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    date: str


@dataclass(frozen=True, slots=True)
class IsoWeek(Intent):
    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    phrase: str = ""  # empty: today


@dataclass(frozen=True, slots=True)
class AddToDate(Intent):
    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    date: str
    amount: int
    unit: str  # days, weeks, months, years


@dataclass(frozen=True, slots=True)
class DaysBetween(Intent):
    """Days from one date or phrase to another."""

    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Convert(Intent):
    """A wall-clock time of one place in another; an empty place is the user's own."""

    needs: ClassVar[tuple[str, ...]] = ("datetime",)
    when: str
    from_place: str
    to_place: str


@dataclass(frozen=True, slots=True)
class Save(Intent):
    """Keep what the step before brought."""

    needs: ClassVar[tuple[str, ...]] = ("document",)
    kind: str = DOCUMENT
    title: str = ""

    @property
    def takes_it(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Create(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    kind: str
    title: str
    content: str
    once: bool = False  # first look whether it is kept already


@dataclass(frozen=True, slots=True)
class Recall(Intent):
    """What the memory documents say about a topic; an empty topic: the latest of them."""

    needs: ClassVar[tuple[str, ...]] = ("document",)
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Capture(Intent):
    """Suggest a memory, which the person confirms on a card."""

    needs: ClassVar[tuple[str, ...]] = ("memory_capture",)
    text: str


@dataclass(frozen=True, slots=True)
class RecallConfirmed(Intent):
    """What memories say about a topic, and without any what memory documents say."""

    needs: ClassVar[tuple[str, ...]] = ("memory_search",)
    topic: str = ""
    also_documents: bool = False


@dataclass(frozen=True, slots=True)
class AskKnowledge(Intent):
    """What the files of the knowledge say; of one that the user named, or of all."""

    needs: ClassVar[tuple[str, ...]] = ("knowledge_search",)
    query: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class SendFile(Intent):
    """A file of the knowledge itself: by words, or the one that was talked about before."""

    needs: ClassVar[tuple[str, ...]] = ("knowledge_resource",)
    words: str = ""
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class ListDocuments(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    kind: str = ANY
    page: int = 1


@dataclass(frozen=True, slots=True)
class Search(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    kind: str
    query: str


@dataclass(frozen=True, slots=True)
class Read(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    named: Named


@dataclass(frozen=True, slots=True)
class Delete(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    named: Named


@dataclass(frozen=True, slots=True)
class Change(Intent):
    """Replace the content, or append to it; without a text: what the step before brought."""

    needs: ClassVar[tuple[str, ...]] = ("document",)
    named: Named
    text: str = ""
    append: bool = True

    @property
    def takes_it(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True)
class Rename(Intent):
    needs: ClassVar[tuple[str, ...]] = ("document",)
    named: Named
    title: str


@dataclass(frozen=True, slots=True)
class Say(Intent):
    """Nothing to call: an answer by its key in `answers`."""

    key: str
    subject: str = ""
