"""What stands in the index in place of a word: a digest that means nothing outside its scope.

So whoever reads the index reads no text, a search of one holder can't meet another's words, and
what is forgotten leaves none behind.
"""

from base64 import b32encode
from dataclasses import dataclass
from hashlib import blake2b

from documents.search.tokens import terms_of

_DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class Scope:
    id: int
    salt: bytes

    def word(self, term: str) -> str:
        """Letters and digits only: it stands in queries of the word index as it is."""
        digest = blake2b(term.encode(), digest_size=_DIGEST_BYTES, key=self.salt).digest()
        return b32encode(digest).rstrip(b"=").decode().lower()

    def words_of(self, text: str) -> list[str]:
        known: dict[str, str] = {}
        return [
            known.get(term) or known.setdefault(term, self.word(term)) for term in terms_of(text)
        ]
