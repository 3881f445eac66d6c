"""When the clinic reminds, and at which hours."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from appointments.admin.rule_forms import RuleForm, SendHoursForm
from appointments.admin.sample_form import sample_form
from appointments.models import ReminderRule, SendHours
from appointments.queries.rule_words import title_of_rule
from appointments.usecases.rules import add_rule, change_rule, set_send_hours
from clinicbot import clock
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import active_clinic


class ShowsWhatPatientsGet:
    """Below the fields: what a patient would hear with what is typed, and what saving would do to the visits that are booked."""

    change_form_template = "settings/rule_form.html"
    change_form_after_template = "settings/rule_form_preview.html"
    asks_about_rule: ClassVar[bool] = False

    class Media:
        css: ClassVar[dict[str, tuple[str, ...]]] = {"all": ("css/tokens.css", "css/settings.css")}

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        clinic = active_clinic(request)
        shown = {"is_rule": self.asks_about_rule}
        if clinic is not None:
            shown["sample_form"] = sample_form(clinic, now=clock.now())  # type: ignore[assignment]
        return super().changeform_view(request, object_id, form_url, {**shown, **(extra_context or {})})  # type: ignore[misc]

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._back(request) or super().response_post_save_add(request, obj)  # type: ignore[misc]

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._back(request) or super().response_post_save_change(request, obj)  # type: ignore[misc]

    def _back(self, request: HttpRequest) -> HttpResponse | None:
        """To the page where all of it stands, which is a clinic's."""
        return HttpResponseRedirect(resolve_url("settings-reminders")) if active_clinic(request) else None


@admin.register(ReminderRule)
class ReminderRuleAdmin(ShowsWhatPatientsGet, TenantAdmin[ReminderRule]):
    asks_about_rule = True
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
class SendHoursAdmin(ShowsWhatPatientsGet, TenantAdmin[SendHours]):
    """One row a clinic."""

    form = SendHoursForm
    list_display = ("id", "begins", "ends", "on_closed_days")
    fields = SendHoursForm.Meta.fields

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """A clinic that has hours changes them. Asked here, for whether one may add is asked on every page of the admin."""
        clinic = active_clinic(request)
        there = SendHours.objects.for_clinic(clinic).values_list("pk", flat=True).first() if clinic else None
        if there is not None:
            if request.method == "POST":
                self.message_user(
                    request, _("Somebody has set them meanwhile. Look at them, then save."), messages.ERROR
                )
            return HttpResponseRedirect(resolve_url("admin:appointments_sendhours_change", there))
        page: HttpResponse = super().add_view(request, form_url, extra_context)
        return page

    def has_delete_permission(self, request: HttpRequest, obj: SendHours | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: SendHours, form: Any, change: bool) -> None:
        saved = set_send_hours(obj.clinic, wish=form.wish(), now=clock.now())
        obj.__dict__.update(saved.__dict__)
