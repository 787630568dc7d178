"""The limits of a field, in words."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tools.docs.schema import FieldDoc
from tools.schemas import JSON


def limits_in_words(field: FieldDoc) -> str:
    said = dict.fromkeys(_alternative(limits) for limits in field.limits)
    return "; ".join(said)


def _alternative(limits: JSON) -> str:
    if "items" in limits:
        return _("each: %(limits)s") % {"limits": _alternative(limits["items"])}
    return ", ".join(part for name, value in limits.items() if (part := _one(name, value)))


def _one(name: str, value: Any) -> str:
    match name:
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            return f"{_SIGNS[name]} {value}"
        case "multipleOf":
            return _("a multiple of %(n)s") % {"n": value}
        case "pattern":
            return _("matches %(pattern)s") % {"pattern": value}
        case "uniqueItems":
            return _("none twice") if value else ""
    return _size(name, int(value))


_SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def _size(name: str, n: int) -> str:
    words = {
        "minLength": ngettext("at least %(n)d character", "at least %(n)d characters", n),
        "maxLength": ngettext("at most %(n)d character", "at most %(n)d characters", n),
        "minItems": ngettext("at least %(n)d item", "at least %(n)d items", n),
        "maxItems": ngettext("at most %(n)d item", "at most %(n)d items", n),
    }
    return words[name] % {"n": n}
