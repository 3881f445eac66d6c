"""What is chosen when a file is brought in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from appointments.brought_files.columns import COLUMNS, NEEDED
from appointments.brought_files.tables import Table
from appointments.forms import StaffForm
from appointments.import_reasons import COLUMN_WORDS
from appointments.models import ImportKind, ImportRun

EXAMPLE = 24


class FileForm(StaffForm):
    what = forms.ChoiceField(
        label=_("What stands in the file"),
        choices=[(ImportKind.VISITS, _("Visits, with their patients")), (ImportKind.PATIENTS, _("Patients alone"))],
        widget=forms.RadioSelect,
        initial=ImportKind.VISITS,
        error_messages={"required": _("Say whether these are visits or patients.")},
    )
    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput({"accept": ".csv,.txt,.tsv,text/csv,text/plain"}),
        allow_empty_file=True,  # The use case says so in better words.
        error_messages={"required": _("Choose a file.")},
        help_text=_("CSV, as Excel saves it. Up to 4 MB and 10,000 lines."),
    )


class ColumnsForm(StaffForm):
    """For each of our columns, which of the file's it is."""

    all_agreed = forms.BooleanField(
        label=_("Everybody in this file has agreed to messages about their visits. It is on record with your name."),
        required=False,
    )

    def __init__(self, *args: Any, run: ImportRun, table: Table, **kwargs: Any) -> None:
        """Which fields there are hangs on the file, so what every form does at once waits for them."""
        forms.Form.__init__(self, *args, **kwargs)
        self._run, self.label_suffix = run, ""
        self.fields["all_agreed"].initial = run.all_agreed
        choices = [("", _("not in the file")), *_choices(table)]
        for name in COLUMNS[run.what]:
            self.fields[name] = forms.ChoiceField(
                label=COLUMN_WORDS[name],
                choices=choices,
                required=name in NEEDED[run.what],
                initial=str(run.columns.get(name, "")),
                widget=forms.Select({"class": "input"}),
                error_messages={"required": _("Say which column this is: without it no line can be brought in.")},
            )
        if self.is_bound:
            self._point_out()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        used: dict[str, str] = {}
        for name in COLUMNS[self._run.what]:
            place = cleaned.get(name) or ""
            if place in used:
                self.refuse(
                    name,
                    gettext("That column is chosen for %(other)s already.") % {"other": COLUMN_WORDS[used[place]]},
                )
            elif place:
                used[place] = name
        return cleaned

    def places(self) -> dict[str, int]:
        chosen = {name: self.cleaned_data.get(name) for name in COLUMNS[self._run.what]}
        return {name: int(place) for name, place in chosen.items() if place}

    def of_columns(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in COLUMNS[self._run.what])


def _choices(table: Table) -> Iterator[tuple[str, str]]:
    """Each with what stands below it."""
    first = table.rows[0].cells if table.rows else ()
    for place, heading in enumerate(table.headings):
        example = first[place][:EXAMPLE] if place < len(first) else ""
        words = heading or gettext("column %(number)d, without a heading") % {"number": place + 1}
        yield str(place), f"{words} ({example})" if example else words
