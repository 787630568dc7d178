"""The name that a file came with: shown, never a path."""

import re

from config.base.hidden import is_hidden
from documents.models.knowledge import FILE_NAME_LENGTH

_LONGEST_ENDING = 20


def clean_file_name(given: str) -> str:
    """Its last part, without what can't be seen; cut before its ending."""
    last = re.split(r"[/\\]", given)[-1]
    seen = "".join(one for one in last if not is_hidden(one) and one not in "\n\t")
    name = " ".join(seen.split()).strip(". ") or "file"
    if len(name) <= FILE_NAME_LENGTH:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > _LONGEST_ENDING:
        return name[:FILE_NAME_LENGTH]
    return f"{stem[: FILE_NAME_LENGTH - len(ending) - 1]}.{ending}"


def title_of(file_name: str) -> str:
    stem, _dot, _ending = file_name.rpartition(".")
    return stem.replace("_", " ").strip() or file_name
