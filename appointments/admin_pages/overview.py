"""The settings of one clinic on one page, in sentences, and the way to them from nothing."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from appointments.models import ReminderRule
from appointments.queries.rule_words import sentence_of_hours, to_whom_of_rule, when_of_rule
from appointments.queries.set_up import Step, set_up_of
from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.admin_pages import OVERVIEW, render_settings, settings_page
from clinicbot.models import Clinic, Language
from messaging.queries.stops import ACCOUNT, list_stops

START = "settings-start"


@require_safe
@settings_page(OVERVIEW)
def overview(request: ClinicRequest) -> HttpResponse:
    """Seven queries of its own."""
    clinic, reading = request.clinic, clock.read()
    set_up = set_up_of(clinic, real=reading.real)
    rules = ReminderRule.objects.for_clinic(clinic).filter(is_active=True, service=None)
    stops = list_stops(clinic.pk)
    context = {
        "set_up": set_up,
        "rules": [
            (when_of_rule(rule, clinic=clinic), to_whom_of_rule(rule))
            for rule in sorted(rules, key=lambda one: (-_hours_ahead(one), one.pk))
        ],
        "hours_words": sentence_of_hours(set_up.practice.times, clinic=clinic),
        "languages": [
            (language.label, set_up.sending.in_use[language], language == clinic.language) for language in Language
        ],
        "switches": [stop for stop in stops if stop.what != ACCOUNT],
        "paused": {stop.id for stop in stops if stop.what == ACCOUNT},
        "roles": [(role.label, count) for role, count in set_up.people.by_role.items()],
        "now": reading.now,
    }
    return render_settings(request, "settings/overview.html", context, section=OVERVIEW, title=_("Settings"))


@require_safe
@settings_page(START)
def start(request: ClinicRequest) -> HttpResponse:
    """The check-list. Five queries of its own."""
    set_up = set_up_of(request.clinic, real=clock.real())
    context: dict[str, Any] = {
        "set_up": set_up,
        "steps": [(step, _address_of(step, clinic=request.clinic), step is set_up.next_step) for step in set_up.steps],
    }
    title = _("Set-up check-list")
    return render_settings(request, "settings/start.html", context, section=START, title=title)


def _address_of(step: Step, *, clinic: Clinic) -> str:
    """Where it is done, once there is a way to it from here."""
    if not step.route:
        return ""
    return reverse(step.route, args=[clinic.pk] if step.route.endswith("clinic_change") else [])


def _hours_ahead(rule: ReminderRule) -> int:
    return rule.hours_before or 0 if rule.days_before is None else rule.days_before * 24
