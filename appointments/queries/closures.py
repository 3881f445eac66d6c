"""Visits that stand where nobody will be."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from appointments.models import LIVE, Appointment, Closure


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
