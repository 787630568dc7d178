"""One unit by its name, from pint's definitions.

pint is asked for single names only and never parses an expression: its own parser takes numbers,
sums and powers of any size, and its caches keep every combination for ever. It is built once, when
the first unit is asked for: that takes a good part of a second.
"""

import difflib
import math
import threading
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.unit_convert.aliases import EXACT, SAME
from tools.types.unit_convert.limits import MAX_NAME_CHARS
from tools.types.unit_convert.measures import Measure, Unit, Zero

_NO_DIMENSION = frozenset({"count"})  # 1/s of Bq; an angle stays one, so that rpm is not 0.1 Hz
_SHORT = 3  # up to here the case of a name means something: mW and MW
_built = threading.Lock()


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


def find_unit(name: str) -> Unit | None:
    """None: there is no such name. Raises `ToolFailure` (unit) for a logarithmic one."""
    if len(name) > MAX_NAME_CHARS:
        return None
    for spelling in _spellings(name):
        known = SAME.get(spelling, spelling)
        if known in EXACT:
            return Unit(known, _exact(known))
        if found := _by_pint(known):
            return found
    return None


def _spellings(name: str) -> list[str]:
    """`Nautical_Mile` is a word of English; the case of `MBIT` may be meant, and m is not M."""
    is_words = all(word.islower() or word.istitle() for word in name.split("_"))
    return [name, name.lower()] if is_words and len(name) > _SHORT else [name]


def near_names(name: str) -> list[str]:
    """Known names that look like this one, for the message."""
    with _built:
        known = [str(unit) for unit in _registry()._units if not str(unit).startswith("delta_")]
    return difflib.get_close_matches(name[:MAX_NAME_CHARS], [*known, *SAME, *EXACT], n=3)


def _exact(name: str) -> Measure:
    factor, parts = EXACT[name]
    whole = Measure(factor)
    for part, power in parts.items():
        unit = _by_pint(part)
        assert unit is not None, part
        whole = whole.times(unit.measure.power(power))
    return whole


@lru_cache(maxsize=2_000)
def _by_pint(name: str) -> Unit | None:
    with _built:
        registry = _registry()
        candidates = registry.parse_unit_name(name)
        if not candidates:
            return None
        prefix, unit, _suffix = candidates[0]
        times = Fraction(registry._prefixes[prefix].value) if prefix else Fraction(1)
        measure = _measure(registry, unit)
    if prefix and measure.zero is not Zero.ANY:
        fail("unit", _("%(name)s: a temperature takes no prefix.") % {"name": name})
    full = f"{prefix}{unit}"
    return Unit(full, Measure(measure.factor * times, measure.bases, measure.offset, measure.zero))


def _measure(registry: Any, name: str) -> Measure:
    converter = registry._units[name].converter
    if converter.is_logarithmic:
        fail("unit", _("%(name)s: logarithmic units are not converted.") % {"name": name})
    factor, roots = registry._get_root_units(
        registry.UnitsContainer({name: Fraction(1)}), check_nonmult=False
    )
    if not math.isfinite(factor):
        fail("unit", _("%(name)s has no fixed size.") % {"name": name})
    bases = {
        str(root): Fraction(power) for root, power in roots.items() if root not in _NO_DIMENSION
    }
    if not converter.is_multiplicative:
        scale, offset = Fraction(converter.scale), Fraction(converter.offset)
        return Measure(scale, bases, offset, Zero.POINT)
    zero = Zero.DIFFERENCE if name.startswith("delta_") else Zero.ANY
    return Measure(Fraction(factor), bases, zero=zero)
