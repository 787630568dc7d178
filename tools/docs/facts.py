"""What a type says of itself beside its fields, in words."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from tools.docs.types import TypeDocs
from tools.enums import LogPayload, Risk


def facts_of(docs: TypeDocs) -> list[tuple[str, str]]:
    """Name and words of each, in one order for all types."""
    facts = [*_of_annotations(docs.annotations or {})]
    facts.append((_("Log"), str(_kept(docs.log_payload))))
    facts.append((_("Time limit"), _("%(n)g s") % {"n": docs.timeout_seconds}))
    facts.append((_("For roles"), ", ".join(docs.roles) if docs.roles else _("all")))
    if docs.needs_set_up:
        facts.append((_("Set-up"), _("needs settings before it can be used")))
    if not docs.first_party:
        facts.append((_("Made by"), _("somebody else: what it says of itself is not trusted")))
    return facts


def _of_annotations(annotations: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Of the worst that the settings allow."""
    if not annotations:
        return
    yield _("Risk at worst"), str(Risk[annotations["risk"]].label)
    traits = {
        "read_only": _("only reads"),
        "destructive": _("can destroy"),
        "idempotent": _("twice is the same as once"),
        "open_world": _("talks to something outside"),
        "requires_approval": _("waits for a person's approval"),
        "needs_consent": _("needs a person's consent"),
    }
    if not annotations["read_only"]:
        traits["read_only"] = ""
        yield _("Writes"), _("yes")
    yield (
        _("Traits"),
        ", ".join(words for key, words in traits.items() if words and annotations[key]),
    )
    if codes := annotations["permission_codes"]:
        yield _("Permissions"), ", ".join(codes)


def _kept(payload: str) -> Any:
    return {
        LogPayload.FULL: _("arguments and result, known secrets masked"),
        LogPayload.MASKED: _("arguments and result, masked"),
        LogPayload.NONE: _("no content, only digest and sizes"),
    }[LogPayload(payload)]
