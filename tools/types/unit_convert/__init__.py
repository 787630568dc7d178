"""Units of measurement: pint says what they are, the arithmetic is exact and our own."""
