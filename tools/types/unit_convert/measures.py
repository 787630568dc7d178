"""What a unit measures: so many of a product of base units, and from which zero."""

from dataclasses import dataclass, field
from enum import Enum, auto
from fractions import Fraction


class Zero(Enum):
    """Of temperatures: 20 degC is a point on a scale, 20 delta_degC a difference of two."""

    ANY = auto()
    POINT = auto()
    DIFFERENCE = auto()


@dataclass(frozen=True, slots=True)
class Measure:
    """`value` of this unit is `value * factor + offset` of the product of `bases`."""

    factor: Fraction
    bases: dict[str, Fraction] = field(default_factory=dict)
    offset: Fraction = Fraction(0)
    zero: Zero = Zero.ANY

    def power(self, exponent: int) -> "Measure":
        bases = {name: power * exponent for name, power in self.bases.items()}
        return Measure(self.factor**exponent, bases)

    def times(self, other: "Measure") -> "Measure":
        """Within a product a temperature is a difference: W/(m*degC) is per degree."""
        names = [*self.bases, *(name for name in other.bases if name not in self.bases)]
        sums = {
            name: self.bases.get(name, Fraction(0)) + other.bases.get(name, Fraction(0))
            for name in names
        }
        bases = {name: power for name, power in sums.items() if power}
        return Measure(self.factor * other.factor, bases)


@dataclass(frozen=True, slots=True)
class Unit:
    """A parsed unit: its name in full, and what it measures."""

    name: str
    measure: Measure


type Term = tuple[str, int | Fraction]


def product_name(terms: list[Term]) -> str:
    """`kilogram*meter/second^2`; `1/second`; `watt/(meter*kelvin)`."""
    above = [_power_name(name, power) for name, power in terms if power > 0]
    below = [_power_name(name, -power) for name, power in terms if power < 0]
    text = "*".join(above) or "1"
    if not below:
        return text
    return f"{text}/{below[0]}" if len(below) == 1 else f"{text}/({'*'.join(below)})"


def _power_name(name: str, power: int | Fraction) -> str:
    if power == 1:
        return name
    return f"{name}^{power}" if power.denominator == 1 else f"{name}^({power})"
