"""What a memory may say of itself; each raises `InvalidInput` with the code that clients know."""

from django.db.models import TextChoices
from django.utils.translation import gettext as _

from agents.models.memory import (
    LEAST_IMPORTANCE,
    MAX_SUBJECT_LENGTH,
    MAX_TEXT_LENGTH,
    MOST_IMPORTANCE,
    MemoryLayer,
)
from config.base.errors import InvalidInput
from config.base.storable import is_storable


def clean_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise InvalidInput(_("There is nothing to remember."), code="required")
    if len(text) > MAX_TEXT_LENGTH:
        message = _("A memory has at most %(n)s characters.") % {"n": MAX_TEXT_LENGTH}
        raise InvalidInput(message, code="too_long")
    return _storable(text)


def clean_subject(subject: str) -> str:
    """On one line; it may be empty."""
    subject = " ".join(subject.split())
    if len(subject) > MAX_SUBJECT_LENGTH:
        message = _("A subject has at most %(n)s characters.") % {"n": MAX_SUBJECT_LENGTH}
        raise InvalidInput(message, code="too_long")
    return _storable(subject)


def clean_importance(importance: int) -> int:
    if not LEAST_IMPORTANCE <= importance <= MOST_IMPORTANCE:
        message = _("The importance is a number from %(least)s to %(most)s.")
        limits = {"least": LEAST_IMPORTANCE, "most": MOST_IMPORTANCE}
        raise InvalidInput(message % limits, code="invalid")
    return importance


def clean_layer(layer: str) -> str:
    return _one_of(MemoryLayer, layer)


def _one_of(choices: type[TextChoices], value: str) -> str:
    if value not in choices.values:
        message = _("Choose one of: %(names)s.") % {"names": ", ".join(choices.values)}
        raise InvalidInput(message, code="invalid_choice")
    return str(value)


def _storable(text: str) -> str:
    if not is_storable(text):
        raise InvalidInput(_("The text holds characters that can't be stored."), code="invalid")
    return text
