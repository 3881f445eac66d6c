"""Who has come so far and who has said yes, so that the demo's day looks like one that is under way."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

from appointments.models import Appointment
from appointments.usecases.attendance import check_in, finish_visit, mark_no_show, take_in
from appointments.usecases.booking import confirm_appointment
from clinicbot.actors import Actor
from clinicbot.models import Clinic

SEED = 20260415
NO_SHOWS, YESES = 0.06, 0.6
STILL_UNSAID = 2
"""So many of the visits that ended last wait for somebody to say whether they came."""
SOON, EARLY, SEATED_AFTER = timedelta(minutes=15), timedelta(minutes=6), timedelta(minutes=3)


def note_the_day_so_far(clinic: Clinic, *, actor: Actor, until: date, now: datetime) -> None:
    """Of all visits before that day. The same dice each time."""
    dice = random.Random(SEED + clinic.pk)  # noqa: S311
    visits = list(Appointment.objects.for_clinic(clinic).filter(local_date__lt=until).order_by("starts_at", "pk"))
    over = [visit for visit in visits if visit.ends_at <= now]
    unsaid = {visit.pk for visit in sorted(over, key=lambda visit: visit.ends_at)[-STILL_UNSAID:]}
    for visit in visits:
        roll = dice.random()
        if visit.pk in unsaid:
            continue
        if visit.ends_at <= now and roll < NO_SHOWS:
            mark_no_show(clinic, appointment_id=visit.pk, actor=actor, now=visit.ends_at)
        elif visit.starts_at <= now + SOON:
            _is_here(clinic, visit, actor=actor, now=now)
        elif roll < YESES:
            confirm_appointment(clinic, appointment_id=visit.pk, actor=actor, now=now)


def _is_here(clinic: Clinic, visit: Appointment, *, actor: Actor, now: datetime) -> None:
    check_in(clinic, appointment_id=visit.pk, actor=actor, now=min(visit.starts_at - EARLY, now))
    if visit.starts_at + SEATED_AFTER <= now:
        take_in(clinic, appointment_id=visit.pk, actor=actor, now=visit.starts_at + SEATED_AFTER)
    if visit.ends_at <= now:
        finish_visit(clinic, appointment_id=visit.pk, actor=actor, now=visit.ends_at)
