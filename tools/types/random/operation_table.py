"""Which operation takes which arguments: for the validation and for the description."""

from typing import Literal, get_args

from tools.operations import Arguments

OperationName = Literal["choice", "sample", "shuffle", "integers", "floats", "dice"]

OPERATION_ARGUMENTS: dict[str, Arguments] = {
    "choice": Arguments("one of the items", ("items",)),
    "sample": Arguments(
        "a list of `count` different places of items", ("items",), optional=("count",)
    ),
    "shuffle": Arguments("all the items in random order", ("items",)),
    "integers": Arguments(
        "a list of whole numbers from min to max", ("min", "max"), optional=("count", "unique")
    ),
    "floats": Arguments(
        "a list of numbers from min (0) to below max (1)", optional=("min", "max", "count")
    ),
    "dice": Arguments(
        "a list of rolls from 1 to sides, and their total", optional=("count", "sides")
    ),
}

assert set(OPERATION_ARGUMENTS) == set(get_args(OperationName))
