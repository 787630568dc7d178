"""A form with a part whose fields can be changed by buttons of the form itself."""

from typing import TYPE_CHECKING

from django import forms
from django.forms.utils import ErrorDict

from tools.admin.schema.part import SchemaPart

_STEP = "step"  # brings fields and text in step: what is wrong with them is said

if TYPE_CHECKING:
    _Base = forms.BaseForm
else:
    _Base = object


class PartForm(_Base):
    part: SchemaPart  # not there for somebody who may only look

    @property
    def _act(self) -> str:
        part: SchemaPart | None = getattr(self, "part", None)
        return part.act if part else ""

    def is_valid(self) -> bool:
        return not self._act and super().is_valid()

    def full_clean(self) -> None:
        """Nothing is judged when a row was added: it is not filled in yet."""
        if self._act in ("", _STEP):
            super().full_clean()
            return
        self._errors = ErrorDict()
        self.cleaned_data = {}
