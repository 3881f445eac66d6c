"""Nobody's messages change their way on a birthday: a person at the clinic asks who has come of age for a number of their own."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction

from appointments.models import Patient
from appointments.models.people import ContactRole
from messaging.contracts import Person, TaskReason
from messaging.queries.tasks import ever_asked
from messaging.usecases.tasks import open_task

OF_AGE_YEARS = 18
LOOKS_BACK = timedelta(days=31)
"""A birthday that no tick saw is asked about later, but not that of somebody who was taken in long after it."""


@transaction.atomic
def ask_who_came_of_age(*, now: datetime) -> int:
    """One task, ever, for each who is reached at a guardian's number only. Says how many were new. Two queries where there are none."""
    today = now.date()
    # Over all clinics: each task is its patient's clinic's.
    grown = Patient.unscoped.filter(
        born_on__gt=_years_before(today - LOOKS_BACK),
        born_on__lte=_years_before(today),
        reached_at__role=ContactRole.GUARDIAN,
    ).exclude(reached_at__role=ContactRole.OWN)
    keys = {(patient.clinic_id, f"patient:{patient.pk}:of_age"): patient.pk for patient in grown.distinct()}
    news = keys.keys() - ever_asked(keys)
    for clinic_id, key in sorted(news):
        open_task(
            clinic_id,
            reason=TaskReason.OF_AGE,
            unique_key=key,
            person=Person("patient", keys[clinic_id, key]),
            now=now,
        )
    return len(news)


def _years_before(day: date) -> date:
    """Eighteen years earlier; the 29th of February has the 28th where there is none."""
    return date(day.year - OF_AGE_YEARS, day.month, min(day.day, 28) if day.month == 2 else day.day)
