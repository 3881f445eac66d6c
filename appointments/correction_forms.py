"""What staff correct of a patient. Such a form may be old when it is sent, so it says what it was drawn from."""

from __future__ import annotations

from typing import ClassVar, Self, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from appointments.forms import StaffForm
from appointments.models import Patient
from clinicbot.human_text import HumanTextField, is_same_text
from clinicbot.models import Language


def _drawn() -> forms.CharField:
    return forms.CharField(required=False, strip=False, widget=forms.HiddenInput)


class CorrectionForm(StaffForm):
    """columns: the patient's that it shows; beside each a hidden `drawn_` field with what stood there."""

    columns: ClassVar[tuple[str, ...]]

    def __init__(self, data: QueryDict | None = None, *, patient: Patient) -> None:
        shown = {name: getattr(patient, name) for name in self.columns}
        super().__init__(data, initial={**shown, **{f"drawn_{name}": value for name, value in shown.items()}})

    def wanted(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self.columns}

    def drawn_from(self) -> dict[str, str]:
        """What the page showed when it was opened; nothing of what it does not say."""
        return {name: self.cleaned_data[f"drawn_{name}"] for name in self.columns if f"drawn_{name}" in self.data}

    def again(self, *, patient: Patient) -> Self:
        """With what was typed, on the patient as they are now; what nobody touched here shows that."""
        data = cast(QueryDict, self.data).copy()
        for name, drawn in self.drawn_from().items():
            present = getattr(patient, name)
            if is_same_text(self.cleaned_data[name], drawn):
                data[name] = present
            data[f"drawn_{name}"] = present
        return type(self)(data, patient=patient)


class NameForm(CorrectionForm):
    """A patient's name and language."""

    columns = ("full_name", "language")

    full_name = HumanTextField(label=_("Name"), max_length=160)
    language = forms.ChoiceField(label=_("Language of messages"), choices=Language)
    drawn_full_name = _drawn()
    drawn_language = _drawn()


class NoteForm(CorrectionForm):
    """What the desk should know of a patient."""

    columns = ("note",)

    note = HumanTextField(
        label=_("Note (the patient does not see it)"),
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 3}),
    )
    drawn_note = _drawn()
