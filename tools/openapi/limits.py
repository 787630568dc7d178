"""What a document may cost. No Django here: the child that parses reads them too."""

MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
MAX_NODES = 1_000_000  # values of a document, with what aliases repeat
MAX_CHARS = 16_000_000  # of all its texts, likewise
MAX_DEPTH = 100
PARSE_SECONDS = 20.0
PARSE_MEMORY_MB = 2048  # of addresses; trees of a million values are that large
FETCH_SECONDS = 20.0

MAX_OPERATIONS = 1500
MAX_CHOSEN = 500  # in one import
MAX_REFERENCE_CHAIN = 20
MAX_SCHEMA_DEPTH = 40
MAX_DEFINITIONS = 200  # of one operation
MAX_PATTERNS = 1000  # different ones, over all operations; those of more are not checked here
MAX_CONVERTED_NODES = 3_000_000  # over all operations
MAX_CONFIG_CHARS = 40_000_000  # likewise

DESCRIPTION_CHARS = 300  # of a parameter or a property
ABOUT_CHARS = 1000  # of an operation
