"""What each operation draws, from validated arguments."""

import math
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tools.errors import fail
from tools.types.random.generators import Chance
from tools.types.random.limits import MAX_SIDES, MAX_WHOLE
from tools.types.random.operation_table import OperationName
from tools.types.random.schemas import RandomConfig, RandomInput


def run(arguments: RandomInput, config: RandomConfig) -> Any:
    """Raises `ToolFailure`: empty, range, count, limit."""
    _check_sizes(arguments, config)
    return _OPERATIONS[arguments.operation](arguments, Chance(_seed(arguments)))


def _check_sizes(arguments: RandomInput, config: RandomConfig) -> None:
    if arguments.items is not None:
        if not arguments.items:
            fail("empty", _("There are no items."))
        if len(arguments.items) > config.max_items:
            fail("limit", _("At most %(max)d items.") % {"max": config.max_items})
    if _count(arguments) < 1:
        fail("count", _("count is at least 1."))
    if _count(arguments) > config.max_count:
        most = config.max_count
        text = ngettext(
            "At most %(max)d draw in one call.", "At most %(max)d draws in one call.", most
        )
        fail("limit", text % {"max": most})


def _count(arguments: RandomInput) -> int:
    return 1 if arguments.count is None else arguments.count


def _seed(arguments: RandomInput) -> int | str | None:
    seed = arguments.seed
    if isinstance(seed, int) and abs(seed) > MAX_WHOLE:
        fail("limit", _("A seed has at most 18 digits; a text may be longer."))
    return seed


def _choice(arguments: RandomInput, chance: Chance) -> Any:
    items = arguments.items or []
    return items[chance.below(len(items))]


def _sample(arguments: RandomInput, chance: Chance) -> list[Any]:
    items, count = arguments.items or [], _count(arguments)
    if count > len(items):
        fail(
            "count",
            _("There are only %(items)d items to draw from.") % {"items": len(items)},
        )
    return chance.drawn(items, count)


def _shuffle(arguments: RandomInput, chance: Chance) -> list[Any]:
    items = arguments.items or []
    return chance.drawn(items, len(items))


def _integers(arguments: RandomInput, chance: Chance) -> list[int]:
    low, high = _whole(arguments.min), _whole(arguments.max)
    if low > high:
        fail("range", _("min is larger than max."))
    count = _count(arguments)
    if not arguments.unique:
        return [chance.between(low, high) for _draw in range(count)]
    if count > high - low + 1:
        fail("count", _("There are not so many different numbers from min to max."))
    return chance.distinct(low, high, count)


def _whole(number: float | None) -> int:
    if number is None or not float(number).is_integer():
        fail("range", _("min and max are whole numbers."))
    if abs(number) > MAX_WHOLE:
        fail("range", _("min and max have at most 18 digits."))
    return int(number)


def _floats(arguments: RandomInput, chance: Chance) -> list[float]:
    low = 0.0 if arguments.min is None else _finite(arguments.min)
    high = 1.0 if arguments.max is None else _finite(arguments.max)
    if low >= high or not math.isfinite(high - low):
        fail("range", _("min is smaller than max, and both are no farther apart than a float is."))
    # Rounding can reach max, which is not to be drawn.
    below = math.nextafter(high, low)
    return [
        min(low + (high - low) * chance.fraction(), below) for _draw in range(_count(arguments))
    ]


def _finite(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        fail("range", _("That number is too large."))


def _dice(arguments: RandomInput, chance: Chance) -> list[int]:
    sides = 6 if arguments.sides is None else arguments.sides
    if not 2 <= sides <= MAX_SIDES:
        fail("range", _("A die has 2 to %(max)d sides.") % {"max": MAX_SIDES})
    return [chance.between(1, sides) for _draw in range(_count(arguments))]


_OPERATIONS: dict[OperationName, Callable[[RandomInput, Chance], Any]] = {
    "choice": _choice,
    "sample": _sample,
    "shuffle": _shuffle,
    "integers": _integers,
    "floats": _floats,
    "dice": _dice,
}
