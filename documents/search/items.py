"""What can be found: an item of one holder, in one part or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from documents.search.tokens import date_words

_MOST_POSITIONS = 2**21
_SESSIONS = 2**42  # 63 bits with the position: two sessions of a scope hardly ever meet


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    text: str  # is read into words and a vector, and not kept
    heading: str = ""  # read with it
    start: int = 0  # of the part in its item's text, in characters: what that is its source knows
    end: int = 0

    @property
    def said(self) -> str:
        return f"{self.heading}\n{self.text}" if self.heading else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    kind: str
    holder_id: UUID  # a user, a project, a space: whose it is. What holders have never mixes
    id: UUID
    parts: Sequence[Part]
    happened_at: datetime
    session_id: UUID | None = None  # what was said beside it says something of it
    position: int = 0  # of the first part in the session
    subject: str = ""  # whom, or what, it is about
    importance: float = 0.0  # 0 to 1

    def place_of(self, number: int) -> int | None:
        """Of a part: one more than that of what came right before it in the session."""
        position = self.position + number + 1  # 0 is kept free: nothing comes before the first
        if self.session is None or position >= _MOST_POSITIONS:
            return None
        digest = blake2b(self.session.bytes, digest_size=8).digest()
        session = int.from_bytes(digest) % _SESSIONS
        return session * _MOST_POSITIONS + position

    def text_of(self, part: Part) -> str:
        """What is made into words; the end of a long one is not looked at."""
        return " ".join(filter(None, [self.subject, date_words(self.happened_at), part.said]))

    @property
    def session(self) -> UUID | None:
        """In which its parts stand beside each other: many of them are one by themselves."""
        return self.session_id or (self.id if len(self.parts) > 1 else None)

    def meant_by(self, part: Part) -> str:
        """What is made into a vector."""
        return f"{self.subject}: {part.said}" if self.subject else part.said
