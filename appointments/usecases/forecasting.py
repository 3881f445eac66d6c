"""What will be sent, when and to whom, what will be held or left out, and why: as the planner and the sender see it. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from appointments.models import LIVE, PRESENT_OR_OVER, Appointment
from appointments.queries.bundles import Bundle
from appointments.queries.due_reminders import PlannedHouseholds, plan_households
from appointments.queries.forecasts import Forecast, ForeseenReminder, LeftOut
from appointments.queries.plans import LOOK_BACK_DAYS
from appointments.usecases.reminding import messages_of
from clinicbot.models import Clinic
from messaging.usecases.foreseeing import foresee, foresee_waiting


def forecast_of_visit(visit: Appointment, *, real: datetime, now: datetime) -> Forecast:
    """Its reminders to come, with those who are reminded along with it."""
    if not visit.can_change(now=now):
        return Forecast(reminders=(), left_out=())
    return _forecast([visit], until=visit.starts_at, only=visit.pk, real=real, now=now)


def forecast_of_clinic(clinic: Clinic, *, days: int, real: datetime, now: datetime) -> Forecast:
    """The reminders of the next days, and what waits now. A query or two for each moment at which something is due."""
    until = now + timedelta(days=days)
    coming = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, starts_at__gt=now, starts_at__lte=until + timedelta(days=LOOK_BACK_DAYS))
        .exclude(status__in=PRESENT_OR_OVER)
        .select_related("clinic", "patient")
        .order_by("starts_at", "pk")
    )
    forecast = _forecast(list(coming), until=until, only=None, real=real, now=now)
    waiting = foresee_waiting(clinic.pk, real=real, now=now)
    return Forecast(reminders=forecast.reminders, left_out=forecast.left_out, waiting=tuple(waiting))


def _forecast(
    visits: Sequence[Appointment], *, until: datetime, only: int | None, real: datetime, now: datetime
) -> Forecast:
    planned = plan_households(visits, now=now)
    bundles = [
        bundle
        for bundle in _bundles(planned)
        if now < bundle.at <= until and (only is None or any(visit.pk == only for visit in bundle.visits))
    ]
    pairs = messages_of(bundles)
    foreseen = foresee([message for _bundle, _visits, message in pairs], real=real, now=now)
    reminders = [
        ForeseenReminder(rule=bundle.rule, visits=members, foreseen=one)
        for (bundle, members, _message), one in zip(pairs, foreseen, strict=True)
    ]
    return Forecast(
        reminders=tuple(sorted(reminders, key=lambda one: one.foreseen.at)),
        left_out=tuple(_left_out(planned, until=until, only=only, now=now)),
    )


def _bundles(planned: PlannedHouseholds) -> list[Bundle]:
    return [
        bundle
        for household, visits in planned.visits.items()
        for rule in {one.rule.pk: one.rule for visit in visits for one in planned.plans[visit.pk].values()}.values()
        for bundle in planned.bundles_of(household, rule=rule)
    ]


def _left_out(planned: PlannedHouseholds, *, until: datetime, only: int | None, now: datetime) -> list[LeftOut]:
    left_out = [
        LeftOut(rule=one.rule, visit=visit, at=one.at, reason=one.left_out)
        for visits in planned.visits.values()
        for visit in visits
        if only is None or visit.pk == only
        for one in planned.plans[visit.pk].values()
        if one.left_out and now < one.at <= until
    ]
    return sorted(left_out, key=lambda one: (one.at, one.visit.pk))
