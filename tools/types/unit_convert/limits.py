"""What unit_convert refuses, and the one way it says so.

Sizes are judged before anything is multiplied: within these limits no number has more than some
thousand digits.
"""

from typing import Any, Never

from tools.errors import ToolFailure

MAX_UNIT_CHARS = 200
MAX_NUMBER_CHARS = 400
MAX_DECIMAL_EXPONENT = 500
MAX_NAME_CHARS = 50
MAX_FACTORS = 20
MAX_EXPONENT = 12
MAX_DEPTH = 5
SHOWN_DIGITS = 15


def fail(code: str, message: str, **details: Any) -> Never:
    raise ToolFailure(message, code=code, **details)
