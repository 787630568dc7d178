"""What unit_convert refuses.

Sizes are judged before anything is multiplied: within these limits no number has more than some
thousand digits.
"""

MAX_UNIT_CHARS = 200
MAX_NUMBER_CHARS = 400
MAX_DECIMAL_EXPONENT = 500
MAX_NAME_CHARS = 50
MAX_FACTORS = 20
MAX_EXPONENT = 12
MAX_DEPTH = 5
SHOWN_DIGITS = 15
