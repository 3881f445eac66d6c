"""Choices and forms of clinics and members."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from babel import Locale
from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from phonenumbers import SUPPORTED_REGIONS
from unfold.widgets import UnfoldAdminSelectWidget

from clinicbot import clock
from clinicbot.admin_scope import TenantForm
from clinicbot.emails import to_email
from clinicbot.errors import MalformedEmailError
from clinicbot.inviting import MOST_AN_HOUR, may_write
from clinicbot.models import Clinic, Invitation
from clinicbot.public_holidays import list_regions


def list_zones() -> list[tuple[str, str]]:
    return [(zone, zone.replace("_", " ")) for zone in sorted(available_timezones()) if "/" in zone]


def list_countries() -> list[tuple[str, str]]:
    """Those whose phone numbers we can read, named in the page's language."""
    names = Locale.parse((get_language() or "en")[:2]).territories
    return sorted(((code, names.get(code, code)) for code in SUPPORTED_REGIONS), key=lambda country: country[1])


class ClinicForm(TenantForm):
    """The regions are those of the country that is saved; with another country the old one's region goes."""

    subdivision = forms.ChoiceField(
        label=_("Region"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Adds the region's own public holidays. After a change of country, save first."),
    )

    class Meta:
        model = Clinic
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "subdivision" in self.fields:
            choices = [("", _("The whole country's only")), *list_regions(self.instance.country)]
            self.fields["subdivision"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("subdivision") not in dict(list_regions(cleaned.get("country", ""))):
            cleaned["subdivision"] = ""
        return cleaned


TOO_OFTEN = _("That address got %d letters within the hour. Try again in an hour.")


class InvitationForm(TenantForm):
    """To whom and as what. Whether somebody reads there, or has a login, is not said."""

    class Meta:
        model = Invitation
        fields = ("email", "role")

    def clean_email(self) -> str:
        try:
            return to_email(self.cleaned_data["email"])
        except MalformedEmailError as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        clinic = Clinic.objects.filter(pk=self.clinic_id or 0).first()
        email = self.cleaned_data.get("email")
        if clinic is not None and email and not may_write(clinic, email=email, now=clock.now()):
            self.add_error("email", TOO_OFTEN % MOST_AN_HOUR)
        # An address that is invited already is sent another letter, so that it is taken is no error.
        self._validate_unique = self._validate_constraints = False
        return self.cleaned_data
