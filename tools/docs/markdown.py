"""The docs of tool types as Markdown."""

import json
import re
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from tools.docs.facts import facts_of
from tools.docs.limits import limits_in_words
from tools.docs.schema import FieldDoc
from tools.docs.types import TypeDocs


def markdown_of(docs: Iterable[TypeDocs]) -> str:
    title = _("Tool types")  # xgettext does not look into f-strings
    parts = [f"# {title}", *("\n\n".join(_sections(one)) for one in docs)]
    return "\n\n".join(parts) + "\n"


def _sections(docs: TypeDocs) -> Iterator[str]:
    yield f"## {docs.label} (`{docs.name}`)"
    if docs.purpose:
        yield docs.purpose
    yield "\n".join(f"- {name}: {text}" for name, text in facts_of(docs))
    yield f"### {_('Settings')}"
    yield _table(docs.config) or _("Nothing to set.")
    if docs.example is not None:
        yield _("Below it is described with these settings:")
        yield _block(json.dumps(docs.example, indent=2, ensure_ascii=False), "json")
    yield f"### {_('Arguments')}"
    if docs.arguments is None:
        yield _("They depend on the settings.")
    else:
        yield _table(docs.arguments) or _("None.")
    yield from _errors(docs)
    if docs.description:
        yield f"### {_('What the model reads')}"
        yield _block(docs.description, "text")


def _errors(docs: TypeDocs) -> Iterator[str]:
    if docs.error_codes:
        yield f"### {_('Error codes')}"
        lines = ((f"`{one.code}`", one.meaning) for one in docs.error_codes)
        yield "\n".join("- " + ": ".join(filter(None, line)) for line in lines)


def _table(fields: list[FieldDoc]) -> str:
    if not fields:
        return ""
    titles = [_("Field"), _("Kind"), _("Default"), _("Limits"), _("Meaning")]
    rows = [titles, ["---"] * len(titles), *map(_cells, fields)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(field: FieldDoc) -> list[str]:
    default = "" if field.default is None else json.dumps(field.default, ensure_ascii=False)
    return [
        _code(field.path),
        _cell(field.kind),
        _cell(_("required")) if field.required else _code(default),
        _cell(limits_in_words(field)),
        _cell(field.help),
    ]


def _cell(text: str) -> str:
    """On one line; what Markdown or HTML would read as theirs is text."""
    return re.sub(r"([|\\`*<>\[\]])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    return f"`` {text.replace('|', '\\|')} ``" if "`" in text else _short_code(text)


def _short_code(text: str) -> str:
    return f"`{text.replace('|', '\\|')}`" if text else ""


def _block(text: str, language: str) -> str:
    """Fenced by more than what is in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
