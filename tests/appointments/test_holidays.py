"""Public holidays close the clinic, by country and region, in its language, unless it says that it works."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from appointments.errors import ClinicClosedError
from appointments.models import Closure, ClosureSource
from appointments.usecases.holidays import write_due_holidays, write_holidays
from clinicbot.models import Clinic
from tests.appointments.making import Practice
from tests.factories import ClinicFactory

LABOUR_DAY = date(2026, 5, 1)
CHRISTMAS_NEXT_YEAR = date(2027, 12, 25)


def names(clinic: Clinic) -> dict[date, str]:
    return dict(Closure.objects.for_clinic(clinic).values_list("begins_on", "reason"))


def test_this_year_and_the_next_are_closed_on_holidays_named_as_the_clinic_says(clinic: Clinic, now: datetime) -> None:
    write_due_holidays(now=now)

    written = names(clinic)
    assert (written[LABOUR_DAY], written[CHRISTMAS_NEXT_YEAR]) == ("Fiesta del Trabajo", "Natividad del Señor")
    assert date(2026, 1, 1) not in written  # Over.


def test_nothing_is_due_twice_and_written_again_it_is_the_same(clinic: Clinic, now: datetime) -> None:
    assert write_due_holidays(now=now) == 1
    before = list(Closure.objects.for_clinic(clinic).order_by("pk").values())

    assert write_due_holidays(now=now) == 0
    write_holidays(clinic, now=now)

    assert list(Closure.objects.for_clinic(clinic).order_by("pk").values()) == before


def test_a_new_year_brings_the_one_after_it(clinic: Clinic, now: datetime) -> None:
    write_due_holidays(now=now)

    assert write_due_holidays(now=datetime(2027, 1, 2, tzinfo=UTC)) == 1

    assert date(2028, 12, 25) in names(clinic)


def test_another_country_or_region_has_other_holidays(clinic: Clinic, now: datetime) -> None:
    write_due_holidays(now=now)
    Clinic.objects.filter(pk=clinic.pk).update(country="BR", language="pt", subdivision="SP")

    assert write_due_holidays(now=now) == 1

    written = names(clinic)
    assert written[date(2026, 4, 21)] == "Tiradentes"
    assert date(2026, 7, 9) in written  # São Paulo's own.
    assert date(2026, 12, 8) not in written  # Spain's.


def test_a_holiday_on_which_the_clinic_works_stays_a_working_day(practice: Practice, now: datetime) -> None:
    write_due_holidays(now=now)
    with pytest.raises(ClinicClosedError):
        practice.book(now=now, day=LABOUR_DAY)
    Closure.objects.for_clinic(practice.clinic).filter(begins_on=LABOUR_DAY).update(is_open=True)

    write_holidays(practice.clinic, now=now)

    assert practice.book(now=now, day=LABOUR_DAY, at=time(10)).is_live


def test_what_staff_entered_and_other_clinics_stay_as_they_are(clinic: Clinic, now: datetime) -> None:
    own = Closure.objects.create(clinic=clinic, begins_on=LABOUR_DAY, ends_on=LABOUR_DAY, reason="Works")
    other = ClinicFactory.create(country="XX")
    theirs = Closure.objects.create(clinic=other, begins_on=LABOUR_DAY, ends_on=LABOUR_DAY)

    assert write_due_holidays(now=now) == 2

    kept = Closure.unscoped.filter(source=ClosureSource.STAFF).order_by("pk")
    assert [closure.pk for closure in kept] == [own.pk, theirs.pk]
    assert list(Closure.objects.for_clinic(other)) == [theirs]  # No holidays are known for that country.


def test_a_visit_that_stands_on_a_holiday_stays(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=LABOUR_DAY)

    write_due_holidays(now=now)

    visit.refresh_from_db()
    assert visit.is_live
