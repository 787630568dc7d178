"""The suggestion as its card shows it: what, for whom, instead of what, and where it comes from."""

from collections.abc import Set

from django.utils.translation import gettext as _

from agents.types.memory_capture.schemas import COMPANY, KEEP_BOTH, PRIVATE
from agents.types.memory_capture.suggestion import Suggestion
from config.base.provenance import Provenance
from tools.enums import Risk
from tools.quoting import quotable
from tools.schemas import JSON, Plan, Preview, Target
from tools.tool_type import ToolType

_EDITABLE = ("text", "subject", "importance", "layer", "agents", "visibility")
_TITLE_CHARS = 120


def plan_of(suggestion: Suggestion, provenance: Set[str]) -> Plan:
    similar = suggestion.similar
    return Plan(
        title=_("Remember this"),
        scope=_scope(suggestion),
        arguments=ToolType.arguments_json(suggestion.arguments),
        targets=(Target("memory", str(similar.pk), similar.revision, _short(similar.text)),)
        if similar
        else (),
        preview=Preview("text", _told(suggestion, provenance)),
        risk=Risk.L2,
        editable=(*_EDITABLE, *(("if_similar",) if similar else ())),
        missing_fields=suggestion.missing,
        sources=_sources(provenance),
    )


def _scope(suggestion: Suggestion) -> str:
    if suggestion.arguments.visibility == COMPANY:
        return suggestion.project_name
    return _("only you") if suggestion.arguments.visibility == PRIVATE else ""


def _told(suggestion: Suggestion, provenance: Set[str]) -> str:
    lines = [suggestion.arguments.text.strip(), "", where_from(provenance)]
    if suggestion.similar:
        lines.append(_beside(suggestion) % {"text": _short(suggestion.similar.text)})
    return "\n".join(lines)


def _beside(suggestion: Suggestion) -> str:
    if suggestion.replaces:
        return _("Instead of: “%(text)s”")
    if suggestion.arguments.if_similar == KEEP_BOTH:
        return _("Beside: “%(text)s”")
    return _("Remembered already: “%(text)s”")


def where_from(provenance: Set[str]) -> str:
    if Provenance.UNTRUSTED in provenance:
        return _("Take care: before this was suggested, something that somebody else wrote was "
                 "read. It may come from there.")  # fmt: skip
    if Provenance.PRIVATE in provenance:
        return _("It may come from your own data, which was read before.")
    return _("It comes from what you said.")


def _sources(provenance: Set[str]) -> tuple[JSON, ...]:
    names = sorted(provenance) or [Provenance.OWN.value]
    return tuple(
        {"type": name, "label": str(Provenance(name).label), "verified_at": None} for name in names
    )


def _short(text: str) -> str:
    return quotable(text, _TITLE_CHARS)
