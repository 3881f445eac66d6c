"""Public holidays as closures: this year's and the next, written anew when country, region, language or year changes."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.db.models import CharField, F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Concat

from appointments import wall_time
from appointments.models import Closure, ClosureSource, HolidayCalendar
from appointments.usecases.reminding import plan_clinic_again
from clinicbot.models import Clinic
from clinicbot.public_holidays import EDITION, public_holidays

SHOWN_NAME = 120
CLINICS_A_ROUND = 20


def write_due_holidays(*, now: datetime) -> int:
    """For the clinics whose calendar was made from something else, or never: how many, so many at a time."""
    made_from = HolidayCalendar.unscoped.filter(clinic=OuterRef("pk")).values("made_from")[:1]
    wanted = Concat(
        "country",
        Value("/"),
        "subdivision",
        Value("/"),
        "language",
        Value(_edition(now)),
        output_field=CharField(),
    )
    due = Clinic.objects.annotate(made_from=Coalesce(Subquery(made_from), Value("")), wanted=wanted).exclude(
        made_from=F("wanted")
    )
    clinics = list(due.order_by("pk")[:CLINICS_A_ROUND])
    for clinic in clinics:
        write_holidays(clinic, now=now)
    return len(clinics)


@transaction.atomic
def write_holidays(clinic: Clinic, *, now: datetime) -> None:
    """The days from today on. A holiday marked as a working day stays so; one that is none any more goes.

    Visits that stand on them stay, for a person to decide. Again at once: nothing changes.
    """
    calendar, _ = HolidayCalendar.objects.for_clinic(clinic).select_for_update().get_or_create(clinic=clinic)
    today = wall_time.local_date_of(now, zone=clinic.zone)
    wanted = _names_by_day(clinic, today=today)
    known = Closure.objects.for_clinic(clinic).filter(source=ClosureSource.HOLIDAY, begins_on__gte=today)
    gone, _by_model = known.filter(is_open=False).exclude(begins_on__in=wanted).delete()
    for closure in known.filter(begins_on__in=wanted):
        name = wanted.pop(closure.begins_on)
        if closure.reason != name:
            closure.reason = name
            closure.save(update_fields=["reason"])
    Closure.objects.bulk_create(
        Closure(clinic=clinic, begins_on=day, ends_on=day, reason=name, source=ClosureSource.HOLIDAY)
        for day, name in wanted.items()
    )
    if gone or wanted:
        plan_clinic_again(clinic.pk, now=now)
    calendar.made_from = f"{clinic.country}/{clinic.subdivision}/{clinic.language}{_edition(now)}"
    calendar.save(update_fields=["made_from"])


def _names_by_day(clinic: Clinic, *, today: date) -> dict[date, str]:
    found = public_holidays(
        clinic.country, region=clinic.subdivision, language=clinic.language, years=(today.year, today.year + 1)
    )
    return {day: name[:SHOWN_NAME] for day, name in sorted(found.items()) if day >= today}


def _edition(now: datetime) -> str:
    """The year, and which edition of the library: some governments move a holiday at short notice."""
    return f"/{now.year}/{EDITION}"
