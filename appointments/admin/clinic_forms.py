"""The clinic's settings, with what another address means for those who know the old one, said before it is saved."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminRadioSelectWidget

from appointments.usecases.relocating import MoveEffect, effect_of_address
from clinicbot import clock
from clinicbot.admin_forms import ClinicForm

TELL, LEAVE = "tell", "leave"


class MovingClinicForm(ClinicForm):
    those_who_know = forms.ChoiceField(
        label=_("Those who know the old address"),
        required=False,
        choices=[(TELL, _("Tell them")), (LEAVE, _("Tell nobody: it was only misspelt"))],
        widget=UnfoldAdminRadioSelectWidget,
    )

    effect: MoveEffect | None = None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors and self.instance.pk is not None and "address" in self.changed_data:
            self._look_ahead(cleaned["address"], answer=cleaned.get("those_who_know", ""))
        return cleaned

    @property
    def tells(self) -> bool:
        return bool(self.cleaned_data.get("those_who_know") == TELL)

    def _look_ahead(self, address: str, *, answer: str) -> None:
        reading = clock.read()
        self.effect = effect_of_address(self.instance.pk, address=address, real=reading.real, now=reading.now)
        if self.effect is None:
            return
        self["those_who_know"].help_text = _preview(self.effect)
        if not answer:
            self.add_error("those_who_know", _question(self.effect))
            self.data = cast(QueryDict, self.data).copy()
            self.data[self.add_prefix("those_who_know")] = TELL  # What is right unless somebody says otherwise.


def _question(effect: MoveEffect) -> str:
    known = ngettext("%d visit knows the old address.", "%d visits know the old address.", effect.visits)
    ask = gettext("Tell them? Look at what they would read, then save again.")
    return f"{known % effect.visits} {ask}"


def _preview(effect: MoveEffect) -> SafeString:
    """How many are told how, and the first text in the language of who reads it."""
    lines = [
        ngettext("It concerns %d person.", "It concerns %d people.", effect.people) % effect.people,
        ngettext("%d message goes out.", "%d messages go out.", len(effect.going)) % len(effect.going),
    ]
    if effect.left_to_staff:
        left = ngettext(
            "%d cannot go, and becomes a task: somebody to call.",
            "%d cannot go, and become tasks: people to call.",
            effect.left_to_staff,
        )
        lines.append(left % effect.left_to_staff)
    said = format_html_join(" ", "{}", ((line,) for line in lines))
    first = format_html('<q lang="{}">{}</q>', effect.language, effect.first.body)
    return format_html("{} {} {}", said, _("The first reads:"), first)
