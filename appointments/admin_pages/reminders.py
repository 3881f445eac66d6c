"""When the clinic reminds, in sentences, and what one patient would hear of it: the planner's own answer, while things are changed."""

from __future__ import annotations

from datetime import time
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from appointments.admin.rule_forms import RuleForm, SendHoursForm
from appointments.admin.sample_form import SampleForm, sample_form
from appointments.models import ReminderRule, SendHours, Service
from appointments.queries.rule_effects import NOT_SAVED, SendHoursWish, effect_of_rule
from appointments.queries.rule_words import sentence_of_hours, to_whom_of_rule, when_of_rule
from appointments.queries.rules_ribbon import ribbon_of_rules
from appointments.queries.sample_plans import plan_of_sample
from appointments.queries.send_times import send_times
from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.admin_pages import render_settings, settings_page
from clinicbot.admin_scope import form_of_clinic
from clinicbot.clinic_time import at_clinic, clock_time
from clinicbot.models import Clinic

SECTION = "settings-reminders"
MOST_NAMED = 5


@require_safe
@settings_page(SECTION)
def reminders(request: ClinicRequest) -> HttpResponse:
    clinic, now = request.clinic, clock.now()
    rules = list(ReminderRule.objects.for_clinic(clinic).select_related("service"))
    rules.sort(key=lambda rule: (rule.service_id is not None, rule.service_id or 0, -_hours_ahead(rule), rule.pk))
    times = send_times([clinic], from_day=at_clinic(now, clinic).date())[clinic.pk]
    hours = SendHours.objects.for_clinic(clinic).values_list("pk", flat=True).first()
    context = {
        "rules": [
            (rule, when_of_rule(rule, clinic=clinic), to_whom_of_rule(rule), rule.service_id is not None)
            for rule in rules
        ],
        "ribbon": ribbon_of_rules([rule for rule in rules if rule.service_id is None]),
        "hours_id": hours,
        "hours_words": sentence_of_hours(times, clinic=clinic),
        "strip": strip_of(SendHoursWish(begins=times.begins, ends=times.ends), clinic=clinic),
        "sample_form": sample_form(clinic, now=now),
    }
    return render_settings(request, "settings/reminders.html", context, section=SECTION, title=_("Reminders"))


@require_safe
@settings_page(SECTION)
def sample(request: ClinicRequest) -> HttpResponse:
    """What one patient would hear: with the rules as they are, or with the rule or the hours that somebody is typing."""
    clinic = request.clinic
    form = SampleForm(clinic, request.GET)
    rule_form, hours_form = _rule_being_typed(request), _hours_being_typed(request)
    context: dict[str, Any] = {"clinic": clinic, "sample_form": form, "lines": [], "language": clinic.language}
    if form.is_valid():
        language = form.cleaned_data["language"]
        context["language"] = language
        context["visit_at"] = form.sample.starts_at
        context["lines"] = plan_of_sample(
            clinic,
            sample=form.sample,
            language=language,
            wished_rule=_wished_rule(rule_form, clinic=clinic),
            wished_hours=hours_form.wish() if hours_form and hours_form.is_valid() else None,
        )
    context["is_as_typed"] = any(one is not None and one.is_valid() for one in (rule_form, hours_form))
    context["cannot_read"] = any(one is not None and not one.is_valid() for one in (rule_form, hours_form))
    if hours_form is not None and hours_form.is_valid():
        context["strip"] = strip_of(hours_form.wish(), clinic=clinic)
    return render(request, "settings/sample_live.html", context)


@require_safe
@settings_page(SECTION)
def effect(request: ClinicRequest) -> HttpResponse:
    """What saving the rule that somebody is typing would do to the visits that are booked."""
    form = _rule_being_typed(request)
    found = None
    if form is not None and form.is_valid():
        rule_id = form.instance.pk
        found = effect_of_rule(request.clinic, wish=form.wish(), rule_id=rule_id, now=clock.now())
    due = found.due_visits if found else ()
    context = {"effect": found, "clinic": request.clinic, "shown": due[:MOST_NAMED], "more": len(due[MOST_NAMED:])}
    return render(request, "settings/effect_live.html", context)


def strip_of(wish: SendHoursWish, *, clinic: Clinic) -> dict[str, Any]:
    """The sending hours as a part of the day, in percent, and the hours at its edges."""
    begins, ends = (_share_of_day(at) for at in (wish.begins, wish.ends))
    return {
        "left": begins,
        "width": round(ends - begins, 2),
        "begins": clock_time(wish.begins, clinic),
        "ends": clock_time(wish.ends, clinic),
        "right": ends,
        "hours": [round(hour * 100 / 24 + 0.2, 2) for hour in range(24)],
    }


def _share_of_day(at: time) -> float:
    return round((at.hour * 60 + at.minute) / (24 * 60) * 100, 2)


def _rule_being_typed(request: HttpRequest) -> RuleForm | None:
    """The rule's form of the page that asks; it looks ahead in a request of its own."""
    if "rule" not in request.GET:
        return None
    clinic: Clinic = request.clinic  # type: ignore[attr-defined]
    found = ReminderRule.objects.for_clinic(clinic).filter(pk=_number(request.GET, "rule")).first()
    form: RuleForm = form_of_clinic(RuleForm, clinic.pk)(request.GET, instance=found)
    form.is_only_tried = True
    form.fields["service"].queryset = Service.objects.for_clinic(clinic)  # type: ignore[attr-defined]
    return form


def _hours_being_typed(request: HttpRequest) -> SendHoursForm | None:
    if "hours" not in request.GET:
        return None
    clinic: Clinic = request.clinic  # type: ignore[attr-defined]
    found = SendHours.objects.for_clinic(clinic).first()
    form: SendHoursForm = form_of_clinic(SendHoursForm, clinic.pk)(request.GET, instance=found)
    form.is_only_tried = True
    return form


def _wished_rule(form: RuleForm | None, *, clinic: Clinic) -> ReminderRule | None:
    if form is None or not form.is_valid():
        return None
    wish = form.wish()
    return ReminderRule(
        pk=form.instance.pk or NOT_SAVED,
        clinic=clinic,
        **{name: getattr(wish, name) for name in wish.__dataclass_fields__},
    )


def _number(data: QueryDict, name: str) -> int:
    text = data.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0


def _hours_ahead(rule: ReminderRule) -> int:
    return rule.hours_before or 0 if rule.days_before is None else rule.days_before * 24
