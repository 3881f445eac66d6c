"""What a clinic has entered so far, in one question: who treats, when, what for, when it reminds and writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, Subquery

from appointments.models import (
    CLOSES,
    OPENS,
    Patient,
    Practitioner,
    PractitionerService,
    ReminderRule,
    SendHours,
    Service,
    WorkingHours,
)
from appointments.queries.open_days import OpenDays
from appointments.queries.send_times import SendTimes
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeFacts:
    """`is_bookable`: somebody works, and gives a service. weekdays: those on which anybody works (0 is Monday)."""

    has_practitioner: bool
    has_service: bool
    has_hours: bool
    is_bookable: bool
    has_patient: bool
    has_rule: bool
    weekdays: frozenset[int]
    times: SendTimes


def practice_facts(clinic: Clinic) -> PracticeFacts:
    """One query."""
    working = WorkingHours.objects.for_clinic(clinic).filter(practitioner__is_active=True)
    given = PractitionerService.objects.for_clinic(clinic).filter(
        practitioner__is_active=True,
        service__is_active=True,
        practitioner__in=working.values("practitioner"),
    )
    send_hours = SendHours.objects.for_clinic(clinic)
    found = (
        Clinic.objects.filter(pk=clinic.pk)
        .annotate(
            has_practitioner=Exists(Practitioner.objects.for_clinic(clinic).filter(is_active=True)),
            has_service=Exists(Service.objects.for_clinic(clinic).filter(is_active=True)),
            has_hours=Exists(working),
            is_bookable=Exists(given),
            has_patient=Exists(Patient.objects.for_clinic(clinic)),
            has_rule=Exists(ReminderRule.objects.for_clinic(clinic).filter(is_active=True)),
            weekdays=ArraySubquery(working.values("weekday").distinct()),
            begins=Subquery(send_hours.values("begins")[:1]),
            ends=Subquery(send_hours.values("ends")[:1]),
            on_closed_days=Subquery(send_hours.values("on_closed_days")[:1]),
        )
        .values(
            "has_practitioner",
            "has_service",
            "has_hours",
            "is_bookable",
            "has_patient",
            "has_rule",
            "weekdays",
            "begins",
            "ends",
            "on_closed_days",
        )
        .get()
    )
    begins: time | None = found.pop("begins")
    ends: time | None = found.pop("ends")
    on_closed_days = bool(found.pop("on_closed_days"))
    weekdays = frozenset(found.pop("weekdays"))
    times = SendTimes(
        zone=clinic.zone,
        begins=begins or OPENS,
        ends=ends or CLOSES,
        on_closed_days=on_closed_days,
        days=OpenDays(weekdays=weekdays),
    )
    return PracticeFacts(**found, weekdays=weekdays, times=times)
