"""What table_query refuses."""

MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CELLS = 100_000  # of rows and columns together, so that any query ends within a second
MAX_CELL_CHARS = 10_000
MAX_CSV_CHARS = 5_000_000
MAX_RESULT_ROWS = 5_000
MAX_CONDITIONS = 20
MAX_CONDITION_DEPTH = 5
MAX_CHOICES = 1_000
MAX_STEPS = 10  # sort keys, group columns, aggregates: of each
MAX_DIGITS = 100  # of a number
SHOWN_DIGITS = 15
