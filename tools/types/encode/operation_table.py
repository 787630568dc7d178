"""Which operation takes which arguments: for the validation and for the description."""

from typing import Literal, get_args

from tools.operations import Arguments

OperationName = Literal[
    "base64_encode",
    "base64_decode",
    "base64url_encode",
    "base64url_decode",
    "hex_encode",
    "hex_decode",
    "percent_encode",
    "percent_decode",
    "query_encode",
    "query_decode",
    "hash",
    "hmac",
    "uuid4",
    "uuid5",
    "uuid7",
]

_DATA = ("data",)

OPERATION_ARGUMENTS: dict[str, Arguments] = {
    "base64_encode": Arguments("RFC 4648 with padding", _DATA, optional=("data_as",)),
    "base64_decode": Arguments("text, or bytes", _DATA, optional=("bytes_as",)),
    "base64url_encode": Arguments("for URLs and JWTs, no padding", _DATA, optional=("data_as",)),
    "base64url_decode": Arguments("with or without padding", _DATA, optional=("bytes_as",)),
    "hex_encode": Arguments("two lower case digits a byte", _DATA, optional=("data_as",)),
    "hex_decode": Arguments(
        "spaces, colons, commas and 0x are ignored", _DATA, optional=("bytes_as",)
    ),
    "percent_encode": Arguments(
        "one part of a URL; every character but letters, digits and -._~ is encoded, those in "
        "`safe` are not",
        _DATA,
        optional=("data_as", "safe"),
    ),
    "percent_decode": Arguments("+ stays +", _DATA, optional=("bytes_as",)),
    "query_encode": Arguments("a=1&b=2, a space as +; a list repeats its name", ("fields",)),
    "query_decode": Arguments("[name, value] pairs in their order", _DATA),
    "hash": Arguments("digest of data", ("data", "algorithm"), optional=("data_as", "bytes_as")),
    "hmac": Arguments(
        "RFC 2104 code of data",
        ("data", "secret_key", "algorithm"),
        optional=("data_as", "key_as", "bytes_as"),
    ),
    "uuid4": Arguments("a random one"),
    "uuid5": Arguments("always the same for a name in a namespace", ("namespace", "name")),
    "uuid7": Arguments("a random one that sorts by time"),
}

assert set(OPERATION_ARGUMENTS) == set(get_args(OperationName))
