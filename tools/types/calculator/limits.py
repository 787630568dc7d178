"""What the calculator refuses.

A running big-integer operation cannot be stopped (it holds the interpreter), so size is judged
before computing; the limits are small enough that any input ends well within 2 s and 256 MB.
"""

MAX_CHARS = 4_000
MAX_STEPS = 1_500
MAX_DEPTH = 60
MAX_SECONDS = 1.2
MAX_BITS = 16_384  # of an integer, a numerator or a denominator
MAX_DIGITS = 4_933  # about MAX_BITS in decimal
MAX_ROUND_DIGITS = 1_000
MAX_TRIG_MAGNITUDE = 100  # decimal exponent; the circle constant is known well past it
MAX_INEXACT_EXPONENT = 40  # decimal exponent; above it no 15 digits would be left

PRECISION = 60  # digits of inexact intermediate results
NOISE_DIGITS = 45  # a difference this many digits below its operands is rounding, not a value
SHOWN_DIGITS = 15
