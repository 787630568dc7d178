"""What a person may change of a draft."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from config.base.errors import InvalidInput
from tools.models import ActionDraft
from tools.schemas import JSON


def only_editable(draft: ActionDraft, edits: JSON, *, also: Iterable[str] = ()) -> JSON:
    """The edits; raises `InvalidInput` naming those that can't be edited."""
    fixed = sorted(set(edits) - {*draft.plan["editable"], *also})
    if fixed:
        raise InvalidInput(
            _("These can't be edited: %(names)s.") % {"names": ", ".join(fixed)},
            code="not_editable",
        )
    return edits
