"""Choices and forms of clinics and members."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from babel import Locale
from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from phonenumbers import SUPPORTED_REGIONS
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from clinicbot.admin_scope import TenantForm
from clinicbot.models import Clinic, Membership
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


class InvitationForm(TenantForm):
    """Somebody's login and role. A login that is new to us is made."""

    username = forms.CharField(
        label=_("Login"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=UnfoldAdminTextInputWidget,
        help_text=_("An e-mail address or a short name. Who has a login already keeps it."),
    )

    class Meta:
        model = Membership
        fields = ("role",)

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if Membership.objects.filter(clinic_id=self.clinic_id or 0, user__username__iexact=username).exists():
            raise forms.ValidationError(_("This person works at the clinic already."))
        return username

    def clean(self) -> dict[str, Any]:
        # The membership has no user before the use case finds or makes one, so its constraints cannot be checked here.
        self._validate_unique = self._validate_constraints = False
        return self.cleaned_data
