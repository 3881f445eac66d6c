"""Whether a visit would fit somewhere else, and why not."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.models import Closure, Practitioner, Room, WorkingHours
from appointments.queries.fitting import fit_of
from appointments.slots import Slot
from appointments.usecases.booking import reschedule_appointment
from clinicbot.errors import ClinicBotError
from tests.appointments.making import DESK, Practice, make_practice
from tests.factories import ClinicFactory


def code(practice: Practice, slot: Slot, *, now: datetime) -> str:
    """What stands in the way, as the query and as the use case say."""
    visit = practice.book(now=now, at=time(19, 30))
    fit = fit_of(practice.clinic, visit=visit, slot=slot, now=now)
    tried = ""
    try:
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=fit.slot, actor=DESK, now=now)
    except ClinicBotError as error:
        tried = error.code
    said = fit.error.code if fit.error else ""
    assert said == tried
    return said


@pytest.fixture
def day(now: datetime) -> date:
    return (now + timedelta(days=7)).date()


def test_what_the_query_says_is_what_the_move_says(practice: Practice, now: datetime, day: date) -> None:
    Closure.objects.create(clinic=practice.clinic, begins_on=day, begins_at=time(9), ends_on=day, ends_at=time(10))
    practice.book(now=now, at=time(11))
    other = Practitioner.objects.create(clinic=practice.clinic, full_name="Gives nothing", initials="GN")
    foreign = make_practice(ClinicFactory.create(), now=now)
    asked = {
        "": practice.slot(day, time(12)),
        "slot_in_past": practice.slot(now.date(), time(8)),
        "clinic_closed": practice.slot(day, time(9, 30)),
        "outside_hours": practice.slot(day, time(7)),
        "slot_taken": practice.slot(day, time(11, 15)),
        "service_not_given": practice.slot(day, time(12), practitioner_id=other.pk),
        "not_at_this_clinic": practice.slot(day, time(12), practitioner_id=foreign.practitioner.pk),
    }

    found = {wanted: code(practice, slot, now=now) for wanted, slot in list(asked.items())[1:]}

    assert found == {wanted: wanted for wanted in found}
    assert code(practice, asked[""], now=now) == ""


def test_a_time_without_a_room_gets_the_usual_one_else_another_that_is_free(
    practice: Practice, now: datetime, day: date
) -> None:
    spare = Room.objects.create(clinic=practice.clinic, name="Zz spare")
    other = Practitioner.objects.create(clinic=practice.clinic, full_name="Other", initials="O")
    WorkingHours.objects.create(
        clinic=practice.clinic, practitioner=other, weekday=day.weekday(), begins=time(8), ends=time(20)
    )
    other.services.add(practice.service, through_defaults={"clinic": practice.clinic})
    visit = practice.book(now=now, at=time(19, 30))
    practice.book(now=now, at=time(11), slot=practice.slot(day, time(11), practitioner_id=other.pk))

    usual, taken = (
        fit_of(practice.clinic, visit=visit, slot=practice.slot(day, at, room_id=None), now=now)
        for at in (time(12), time(11))
    )
    asked = fit_of(practice.clinic, visit=visit, slot=practice.slot(day, time(11)), now=now)

    assert (usual.room, usual.slot.room_id, usual.error) == (practice.room, practice.room.pk, None)
    assert (taken.room, taken.error) == (spare, None)
    assert asked.error is not None
    assert asked.error.code == "slot_taken"


def test_a_visit_does_not_stand_in_its_own_way(practice: Practice, now: datetime, day: date) -> None:
    visit = practice.book(now=now, at=time(10))

    assert fit_of(practice.clinic, visit=visit, slot=practice.slot(day, time(10, 15)), now=now).error is None
