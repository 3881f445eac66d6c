"""When the clinic reminds, and at which hours."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from appointments.admin.rule_forms import RuleForm, SendHoursForm
from appointments.models import ReminderRule, SendHours
from appointments.queries.rule_words import title_of_rule
from appointments.usecases.rules import add_rule, change_rule, set_send_hours
from clinicbot import clock
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import active_clinic


@admin.register(ReminderRule)
class ReminderRuleAdmin(TenantAdmin[ReminderRule]):
    form = RuleForm
    list_display = ("id", "when", "service", "only_if_unconfirmed", "version", "is_active")
    list_filter = ("is_active", "service")
    list_select_related = ("service",)
    readonly_fields = ("version",)

    def get_fields(self, request: HttpRequest, obj: ReminderRule | None = None) -> tuple[str, ...]:
        """What is asked of those that are due already is asked once the rule is known."""
        asked = ("those_due",) if request.method == "POST" else ()
        return (*RuleForm.Meta.fields, *asked, *(("version",) if obj else ()))

    @admin.display(description=_("when"))
    def when(self, rule: ReminderRule) -> str:
        return title_of_rule(rule)

    def has_delete_permission(self, request: HttpRequest, obj: ReminderRule | None = None) -> bool:
        return False  # What it sent is told by its number. Out of use, it reminds nobody.

    def save_model(self, request: HttpRequest, obj: ReminderRule, form: Any, change: bool) -> None:
        now = clock.now()
        if change:
            saved = change_rule(obj.clinic, rule_id=obj.pk, wish=form.wish(), sends_due=form.sends_due, now=now)
        else:
            saved = add_rule(obj.clinic, wish=form.wish(), sends_due=form.sends_due, now=now)
        obj.__dict__.update(saved.__dict__)
        if form.effect is not None:
            self._tell_effect(request, form)

    def _tell_effect(self, request: HttpRequest, form: RuleForm) -> None:
        effect = form.effect
        if effect is None:
            return
        told = ngettext(
            "The reminders of %d visit were planned again.",
            "The reminders of %d visits were planned again.",
            effect.visits,
        )
        parts = [told % effect.visits]
        if effect.due and form.sends_due:
            parts.append(ngettext("%d goes now.", "%d go now.", effect.due) % effect.due)
        elif effect.due:
            parts.append(ngettext("%d is left out.", "%d are left out.", effect.due) % effect.due)
        self.message_user(request, " ".join(parts), messages.INFO)


@admin.register(SendHours)
class SendHoursAdmin(TenantAdmin[SendHours]):
    """One row a clinic."""

    form = SendHoursForm
    list_display = ("id", "begins", "ends", "on_closed_days")
    fields = SendHoursForm.Meta.fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Asked on every page of the admin, for its list of pages; whether the row is there matters on this one's own."""
        if not super().has_add_permission(request):
            return False
        route = request.resolver_match.url_name if request.resolver_match else None
        if route is not None and not route.startswith("appointments_sendhours"):
            return True
        clinic = active_clinic(request)
        return clinic is None or not SendHours.objects.for_clinic(clinic).exists()

    def has_delete_permission(self, request: HttpRequest, obj: SendHours | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: SendHours, form: Any, change: bool) -> None:
        saved = set_send_hours(obj.clinic, wish=form.wish(), now=clock.now())
        obj.__dict__.update(saved.__dict__)
