"""Visits that stand where nobody will be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from appointments.models import LIVE, Appointment, Closure
from appointments.queries.opening import span_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How many visits to come a closure runs into, and on which day the first of them is."""

    count: int
    first_on: date | None


def visits_standing_in(closure: Closure, *, now: datetime) -> Standing:
    """A holiday on which the clinic works runs into none."""
    if closure.is_open:
        return Standing(count=0, first_on=None)
    begins, ends = span_of(closure, zone=closure.clinic.zone)
    visits = Appointment.objects.for_clinic(closure.clinic_id).filter(
        LIVE, starts_at__lt=ends, ends_at__gt=begins, starts_at__gt=now
    )
    if closure.practitioner_id is not None:
        visits = visits.filter(practitioner_id=closure.practitioner_id)
    found: dict[str, Any] = visits.aggregate(count=Count("pk"), first_on=Min("local_date"))
    return Standing(**found)


def with_visits(closures: QuerySet[Closure], *, now: datetime) -> QuerySet[Closure]:
    """Each with `visits_on_days`: how many stand on its days and are to come. For a list, so by day, not by hour."""
    same_person = Q(practitioner_id=Coalesce(OuterRef("practitioner_id"), F("practitioner_id")))
    counted = (
        Appointment.unscoped.filter(
            LIVE,
            same_person,
            clinic=OuterRef("clinic"),
            local_date__gte=OuterRef("begins_on"),
            local_date__lte=OuterRef("ends_on"),
            starts_at__gt=now,
        )
        .order_by()
        .annotate(many=Func(F("pk"), function="COUNT"))
        .values("many")
    )
    return closures.annotate(visits_on_days=Subquery(counted, output_field=IntegerField()))
