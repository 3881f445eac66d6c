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
from unfold.widgets import UnfoldAdminTextInputWidget

from clinicbot.admin_scope import TenantForm
from clinicbot.models import Membership


def list_zones() -> list[tuple[str, str]]:
    return [(zone, zone.replace("_", " ")) for zone in sorted(available_timezones()) if "/" in zone]


def list_countries() -> list[tuple[str, str]]:
    """Those whose phone numbers we can read, named in the page's language."""
    names = Locale.parse((get_language() or "en")[:2]).territories
    return sorted(((code, names.get(code, code)) for code in SUPPORTED_REGIONS), key=lambda country: country[1])


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
