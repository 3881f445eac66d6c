"""The check lists of who gives what, on a practitioner's page and on a service's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from appointments.queries.giving import count_not_given
from clinicbot import clock
from clinicbot.admin_scope import TenantForm
from clinicbot.models import Clinic


def check_list(label: Any, *, help_text: Any) -> forms.ModelMultipleChoiceField[Any]:
    """Of the clinic's own rows; the form fills it in."""
    return forms.ModelMultipleChoiceField(
        label=label, queryset=None, required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget, help_text=help_text
    )


class GivingForm(TenantForm):
    """A form with one check list: of all rows of the other kind, ticked as it stands; for a new row, those in use."""

    def fill(self, name: str, *, choices: QuerySet[Any], ticked: Iterable[Model] | None) -> None:
        if name not in self.fields:
            return
        self.fields[name].queryset = choices  # type: ignore[attr-defined]
        self.initial[name] = choices.filter(is_active=True) if ticked is None else ticked


def tell_what_stands(request: HttpRequest, *, clinic: Clinic, among: Q) -> None:
    """Visits to come that nobody may book like that any more."""
    if count := count_not_given(clinic, among=among, now=clock.now()):
        text = ngettext(
            "%d coming visit is with somebody who does not give its service. It stays until you move it.",
            "%d coming visits are with somebody who does not give their service. They stay until you move them.",
            count,
        )
        messages.warning(request, text % count)


GIVES = _("Gives these services")
GIVES_HELP = _("Only these can be booked with them.")
GIVEN_BY = _("Given by")
GIVEN_BY_HELP = _("Only with these can it be booked.")
