"""Which operation takes which arguments: for the validation and for the description."""

from typing import Literal, get_args

from tools.operations import Arguments

OperationName = Literal["count", "extract", "replace", "split", "diff", "case", "dedupe"]

OPERATION_ARGUMENTS: dict[str, Arguments] = {
    "count": Arguments(
        "characters (Unicode code points), the same without white space, words, lines and UTF-8 "
        "bytes",
        required=("text",),
    ),
    "extract": Arguments(
        "every match with its start (0 is the first character), its groups in order and by name; "
        "with `group` the text of that group alone",
        required=("text",),
        one_of=("pattern", "find"),
        optional=("group", "ignore_case", "count"),
    ),
    "replace": Arguments(
        "the text with every match replaced; with `pattern`, the replacement may use \\1 and "
        "\\g<name>, with `find` it is taken as it is",
        required=("text", "replacement"),
        one_of=("pattern", "find"),
        optional=("ignore_case", "count"),
    ),
    "split": Arguments(
        "the parts between the matches",
        required=("text",),
        one_of=("pattern", "find"),
        optional=("ignore_case", "count"),
    ),
    "diff": Arguments(
        "what changes from `text` to `other`, line by line, as a unified diff; empty when they "
        "are equal",
        required=("text", "other"),
        optional=("context",),
    ),
    "case": Arguments("the text in that case; fold is for comparing", required=("text", "case")),
    "dedupe": Arguments(
        "the text without the lines that stood before, in their order",
        required=("text",),
        optional=("ignore_case",),
    ),
}

assert set(OPERATION_ARGUMENTS) == set(get_args(OperationName))
