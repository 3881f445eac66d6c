"""Sending accounts: whose number, its token (written, never shown), paused and resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.widgets import UnfoldAdminTextInputWidget

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import TenantForm
from messaging.channels.base import EMAIL
from messaging.models import SendingAccount
from messaging.usecases.accounts import pause_account, resume_account
from messaging.usecases.setting_up import have_templates

LEADS_TO_TEMPLATES = {"external_id", "parent_id", "new_token"}
ONLY_WHATSAPP = ("external_id", "parent_id", "display_address", "new_token", "quality")


class SendingAccountForm(TenantForm):
    new_token = forms.CharField(
        label=_("Access token"),
        required=False,
        strip=True,
        widget=UnfoldAdminTextInputWidget({"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Kept encrypted and never shown. Leave it empty to keep the one that is there."),
    )

    class Meta:
        model = SendingAccount
        fields = ("label", "external_id", "parent_id", "display_address", "rate_per_second")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.instance.pk is None and not cleaned.get("new_token"):
            self.add_error("new_token", _("Without a token nothing can be sent."))
        if cleaned.get("rate_per_second") is not None and cleaned["rate_per_second"] <= 0:
            self.add_error("rate_per_second", _("More than nothing a second, or pause the account."))
        return cleaned


def _is_mail(account: SendingAccount | None) -> bool:
    return account is not None and account.channel == EMAIL


@admin.register(SendingAccount)
class SendingAccountAdmin(TenantAdmin[SendingAccount]):
    form = SendingAccountForm
    list_display = ("id", "clinic_id", "channel", "label", "state", "paused_at", "quality", "templates_synced_at")
    list_filter = ("state",)
    readonly_fields = ("channel", "state", "paused_at", "paused_reason", "paused_detail", "resume_at", "quality")
    fields = (
        "label",
        "external_id",
        "parent_id",
        "display_address",
        "new_token",
        "rate_per_second",
        *readonly_fields,
    )
    actions = ("pause_selected", "resume_selected")

    def get_fields(self, request: HttpRequest, obj: SendingAccount | None = None) -> Sequence[str]:
        """E-mail goes by the installation's server: there is no number, and no token."""
        return [name for name in self.fields if name not in ONLY_WHATSAPP] if _is_mail(obj) else self.fields

    def get_form(
        self, request: HttpRequest, obj: SendingAccount | None = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        kwargs["form"] = TenantForm if _is_mail(obj) else SendingAccountForm
        return super().get_form(request, obj, change, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: SendingAccount | None = None) -> Sequence[str]:
        """How fast is for whoever runs the installation to say."""
        return self.readonly_fields if is_superuser(request.user) else (*self.readonly_fields, "rate_per_second")

    def save_model(self, request: HttpRequest, obj: SendingAccount, form: Any, change: bool) -> None:
        if not change:
            obj.channel = "whatsapp"
        if token := form.cleaned_data.get("new_token"):
            obj.access_token = token
        names = [name for name in form.cleaned_data if name != "new_token"]
        # Only what the form holds: a wave may have charged the bucket, or paused the account, while it stood open.
        obj.save(update_fields=[*names, "access_token"] if change else None)
        if not change or LEADS_TO_TEMPLATES & set(form.changed_data):
            have_templates(obj, now=clock.now())

    def has_delete_permission(self, request: HttpRequest, obj: SendingAccount | None = None) -> bool:
        return False  # Its messages' story hangs on it; a pause stops it.

    def has_pause_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "pause")

    @admin.action(description=_("Pause: hold its messages"), permissions=["pause"])
    def pause_selected(self, request: HttpRequest, queryset: QuerySet[SendingAccount]) -> None:
        actor, now = Actor.of(request), clock.now()
        count = self._each(
            queryset,
            lambda clinic_id, pk: pause_account(clinic_id, account_id=pk, reason="", actor=actor, now=now),
        )
        self.message_user(request, ngettext("%d account paused.", "%d accounts paused.", count) % count)

    @admin.action(description=_("Resume, slowly at first"), permissions=["pause"])
    def resume_selected(self, request: HttpRequest, queryset: QuerySet[SendingAccount]) -> None:
        actor, reading = Actor.of(request), clock.read()
        count = self._each(
            queryset,
            lambda clinic_id, pk: resume_account(
                clinic_id, account_id=pk, actor=actor, real=reading.real, now=reading.now
            ),
        )
        self.message_user(request, ngettext("%d account resumed.", "%d accounts resumed.", count) % count)

    def _each(self, queryset: QuerySet[SendingAccount], use_case: Callable[[int, int], bool]) -> int:
        return sum(use_case(clinic_id, pk) for clinic_id, pk in queryset.values_list("clinic_id", "pk"))
