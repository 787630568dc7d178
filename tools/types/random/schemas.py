"""Config, input and output of the tool type `random`."""

from typing import Annotated, Any

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from tools.operations import OperationInput
from tools.tool_type import ToolConfig, ToolOutput
from tools.types.random.limits import MAX_COUNT, MAX_ITEMS, MAX_SEED_CHARS
from tools.types.random.operation_table import OPERATION_ARGUMENTS, OperationName

Number = StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)]


class RandomConfig(ToolConfig):
    max_items: int = Field(
        default=1_000, ge=2, le=MAX_ITEMS, description="Longer lists of items are refused."
    )
    max_count: int = Field(
        default=1_000, ge=1, le=MAX_COUNT, description="More draws in one call are refused."
    )


class RandomInput(OperationInput):
    """One flat object; each operation takes its own part of it and refuses the rest."""

    operations = OPERATION_ARGUMENTS
    of_each = frozenset({"seed"})

    operation: OperationName = Field(description="What to do; it says which arguments it takes.")
    items: list[Any] | None = Field(default=None, description="What to draw from: any JSON values.")
    count: int | None = Field(default=None, description="How many; 1 without it.")
    min: Number | None = Field(default=None, description="Smallest number, included.")
    max: Number | None = Field(
        default=None, description="Largest number; included for integers, not for floats."
    )
    unique: bool | None = Field(default=None, description="integers: no number twice.")
    sides: int | None = Field(default=None, description="dice: sides of each die; 6 without it.")
    seed: StrictInt | Annotated[StrictStr, Field(max_length=MAX_SEED_CHARS)] | None = Field(
        default=None, description="The same seed and arguments give the same answer for ever."
    )


class RandomOutput(ToolOutput):
    result: Any
    total: int | None = None
    seeded: bool
