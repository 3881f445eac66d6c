"""The kill switch: thrown by adding one, released by an action. Nothing is lost meanwhile."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_scope import TenantForm, active_clinic
from messaging.errors import SwitchAlreadyThrownError, SwitchNotThrownError
from messaging.models import KillSwitch
from messaging.usecases.switches import release_switch, throw_switch


class KillSwitchForm(TenantForm):
    class Meta:
        model = KillSwitch
        fields = ("reason",)

    def clean(self) -> dict[str, Any]:
        here = Q(clinic__isnull=True) if self.clinic_id is None else Q(clinic_id=self.clinic_id)
        if KillSwitch.objects.filter(here, released_at__isnull=True).exists():
            raise forms.ValidationError(str(SwitchAlreadyThrownError()))
        return super().clean() or {}


@admin.register(KillSwitch)
class KillSwitchAdmin(ReadOnlyAdmin[KillSwitch]):
    """Whoever works at a clinic stops that clinic; a superuser at none stops all."""

    form = KillSwitchForm
    list_display = ("id", "whose", "reason", "thrown_at", "thrown_by", "released_at", "released_by")
    ordering = ("-id",)
    fields = ("reason", "thrown_at", "thrown_by", "released_at", "released_by")
    readonly_fields = ("thrown_at", "thrown_by", "released_at", "released_by")
    actions = ("release_selected",)

    @admin.display(description=_("clinic"))
    def whose(self, switch: KillSwitch) -> str:
        return str(switch.clinic_id or _("all clinics"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "throw") and (active_clinic(request) is not None or is_superuser(request.user))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """A clinic's is thrown where it stands what that would hold."""
        if active_clinic(request) is not None and self.has_add_permission(request):
            return HttpResponseRedirect(resolve_url("settings-stop"))
        page: HttpResponse = super().add_view(request, form_url, extra_context)
        return page

    def has_throw_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "throw")

    def save_model(self, request: HttpRequest, obj: KillSwitch, form: Any, change: bool) -> None:
        obj.pk = throw_switch(active_clinic(request), reason=obj.reason, actor=Actor.of(request), now=clock.now())
        obj.refresh_from_db()

    def log_addition(self, request: HttpRequest, obj: KillSwitch, message: Any) -> list[LogEntry]:
        return []  # The use case wrote it down.

    @admin.action(description=_("Release: let sending go on"), permissions=["throw"])
    def release_selected(self, request: HttpRequest, queryset: QuerySet[KillSwitch]) -> None:
        actor, now, count = Actor.of(request), clock.now(), 0
        for switch_id in queryset.values_list("pk", flat=True):
            try:
                release_switch(switch_id, actor=actor, now=now)
                count += 1
            except SwitchNotThrownError as error:
                self.message_user(request, str(error))
        self.message_user(request, ngettext("%d switch released.", "%d switches released.", count) % count)
