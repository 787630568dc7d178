"""Where the chance comes from, and what is drawn from it.

Python promises that a seed gives the same `random()` in every version, but nothing of `shuffle`
or `sample`; those are therefore made here from `random()` alone, so that a seed gives the same
answer for ever.
"""

import random
import secrets

_CHUNK_BITS = 32  # of the 53 that a `random()` has


class Chance:
    """Mersenne Twister for a seed; otherwise the system's cryptographic source."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._source = secrets.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311 (repeatable on purpose)

    def fraction(self) -> float:
        """At least 0, below 1."""
        return self._source.random()

    def below(self, limit: int) -> int:
        """Each of 0 … limit - 1 with the same chance: what falls outside is drawn again."""
        bits = (limit - 1).bit_length()
        while (number := self._bits(bits)) >= limit:
            pass
        return number

    def _bits(self, count: int) -> int:
        number = 0
        for _chunk in range(0, count, _CHUNK_BITS):
            number = number << _CHUNK_BITS | int(self.fraction() * 2**_CHUNK_BITS)
        return number >> (-count % _CHUNK_BITS)

    def between(self, low: int, high: int) -> int:
        """Both included."""
        return low + self.below(high - low + 1)

    def drawn[T](self, items: list[T], count: int) -> list[T]:
        """`count` of them in random order, each place at most once (Fisher and Yates)."""
        rest = list(items)
        for place in range(count):
            other = self.between(place, len(rest) - 1)
            rest[place], rest[other] = rest[other], rest[place]
        return rest[:count]

    def distinct(self, low: int, high: int, count: int) -> list[int]:
        """Different whole numbers; the same as drawing from the whole list, without making it."""
        moved: dict[int, int] = {}
        found = []
        for place in range(count):
            other = self.between(place, high - low)
            found.append(low + moved.get(other, other))
            moved[other] = moved.get(place, place)
        return found
