"""What a clinic has entered so far, in one question: who treats, when, what for, when it reminds and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, Subquery

from appointments.models import (
    CLOSES,
    OPENS,
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
    """`is_bookable`: somebody works, and gives a service."""

    has_practitioner: bool
    has_service: bool
    has_hours: bool
    is_bookable: bool
    has_rule: bool
    times: SendTimes


def practice_annotations(clinic: Clinic) -> dict[str, Any]:
    """What to ask of the clinic's row, so that one question may ask more beside it."""
    working = WorkingHours.objects.for_clinic(clinic).filter(practitioner__is_active=True)
    given = PractitionerService.objects.for_clinic(clinic).filter(
        practitioner__is_active=True,
        service__is_active=True,
        practitioner__in=working.values("practitioner"),
    )
    send_hours = SendHours.objects.for_clinic(clinic)
    return {
        "has_practitioner": Exists(Practitioner.objects.for_clinic(clinic).filter(is_active=True)),
        "has_service": Exists(Service.objects.for_clinic(clinic).filter(is_active=True)),
        "has_hours": Exists(working),
        "is_bookable": Exists(given),
        "has_rule": Exists(ReminderRule.objects.for_clinic(clinic).filter(is_active=True)),
        "weekdays": ArraySubquery(working.values("weekday").distinct()),
        "begins": Subquery(send_hours.values("begins")[:1]),
        "ends": Subquery(send_hours.values("ends")[:1]),
        "on_closed_days": Subquery(send_hours.values("on_closed_days")[:1]),
    }


def practice_facts(clinic: Clinic, found: Mapping[str, Any]) -> PracticeFacts:
    """What was found under these names. Its sending times know of weekdays, and not of closures."""
    return PracticeFacts(
        **{name: found[name] for name in ("has_practitioner", "has_service", "has_hours", "is_bookable", "has_rule")},
        times=SendTimes(
            zone=clinic.zone,
            begins=found["begins"] or OPENS,
            ends=found["ends"] or CLOSES,
            on_closed_days=bool(found["on_closed_days"]),
            days=OpenDays(weekdays=frozenset(found["weekdays"])),
        ),
    )
