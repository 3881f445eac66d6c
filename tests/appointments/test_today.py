"""What a day shows of each visit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from django.urls import reverse

from appointments.message_names import NOTICE
from appointments.models import Appointment, Closure, Service
from appointments.queries.day_gaps import Free
from appointments.queries.day_rows import Row
from appointments.queries.today import Day, Gap, day_at
from appointments.usecases.attendance import check_in, finish_visit, mark_no_show, take_in
from appointments.usecases.booking import cancel_appointment, confirm_appointment
from clinicbot.actors import Actor
from clinicbot.models import Role
from messaging.models import Message, MessageState
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import DESK, Practice, gives_all
from tests.appointments.pages import at_desk, booked, day_ahead


def rows(day: Day) -> list[Row]:
    return [item for lane in day.lanes for item in lane.items if isinstance(item, Row)]


def tomorrow(practice: Practice, now: datetime, *, only: str = "") -> Day:
    return day_at(practice.clinic, day=(now + timedelta(days=1)).date(), now=now, only=only)


def book(practice: Practice, now: datetime, at: time = time(10, 30)) -> int:
    return practice.book(now=now, day=(now + timedelta(days=1)).date(), at=at).pk


def test_an_asked_visit_without_an_answer_is_not_confirmed(speaking: Practice, now: datetime) -> None:
    book(speaking, now)
    run(now=now)

    (row,) = rows(tomorrow(speaking, now))

    assert (row.chip, row.marks) == ("unconfirmed", ("sent",))


def test_a_yes_by_tap_or_by_phone_is_quiet(speaking: Practice, now: datetime) -> None:
    by_tap, by_phone = book(speaking, now), book(speaking, now, time(12))
    run(now=now)
    first = Message.objects.for_clinic(speaking.clinic).filter(subjects__subject_id=str(by_tap)).get()
    hear(speaking.clinic, now=now, action="confirm", answers=first)
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=by_phone, actor=DESK, now=now)

    tapped, phoned = rows(tomorrow(speaking, now))

    assert (tapped.chip, tapped.marks[-1]) == ("", "yes")
    assert (phoned.chip, phoned.marks) == ("", ("sent", "yes"))


def test_a_wish_to_change_and_a_failure_are_counted_and_can_be_looked_at_alone(
    speaking: Practice, now: datetime
) -> None:
    book(speaking, now)
    run(now=now)
    Message.objects.for_clinic(speaking.clinic).update(answered_with="change")  # As the webhook notes a tap.
    lost = book(speaking, now, time(12))
    run(now=now)
    Message.objects.for_clinic(speaking.clinic).filter(subjects__subject_id=str(lost)).update(state=MessageState.FAILED)

    day, only = tomorrow(speaking, now), tomorrow(speaking, now, only="failed")

    assert (day.counts["change"], day.counts["failed"]) == (1, 1)
    assert [row.chip for row in rows(day)] == ["change", "failed"]
    assert [row.visit.pk for row in rows(only)] == [lost]
    assert only.booked == 2


def test_what_nobody_understood_needs_a_person(speaking: Practice, now: datetime) -> None:
    book(speaking, now)
    run(now=now)
    hear(speaking.clinic, now=now, text="hm?", answers=last_message(speaking.clinic, NOTICE))
    run(now=now)

    (row,) = rows(tomorrow(speaking, now))

    assert "person" in row.flags


def test_cancelled_visits_leave_the_day(speaking: Practice, now: datetime) -> None:
    visit = book(speaking, now)
    cancel_appointment(speaking.clinic, appointment_id=visit, actor=Actor.system(), now=now)

    assert rows(tomorrow(speaking, now)) == []


def test_breaks_and_now_stand_among_the_visits(speaking: Practice, now: datetime) -> None:
    speaking.practitioner.hours.update(ends=time(13))
    for hours in list(speaking.practitioner.hours.all()):
        hours.pk, hours.begins, hours.ends = None, time(15), time(20)
        hours.save()
    for at in (time(9, 30), time(12), time(16)):
        speaking.book(now=now, day=now.date(), at=at)

    lane = day_at(speaking.clinic, day=now.date(), now=now + timedelta(hours=3)).lanes[0]

    kinds = ["now" if item is None else type(item).__name__ for item in lane.items]
    assert [kind for kind in kinds if kind != "Free"] == ["Row", "now", "Row", "Gap", "Row"]
    assert next(item for item in lane.items if isinstance(item, Gap)) == Gap(begins=time(13), ends=time(15))
    assert (lane.booked, lane.done) == (3, 1)


def noted(practice: Practice, visit: Appointment, *does: Callable[..., Appointment], now: datetime) -> None:
    for one in does:
        one(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)


def test_who_is_here_since_when_and_what_comes_next(practice: Practice, now: datetime) -> None:
    to_come, waits, seated, over, silent = (
        practice.book(now=now, day=now.date(), at=at)
        for at in (time(13, 30), time(11), time(10, 30), time(10), time(9, 30))
    )
    noon = now + timedelta(hours=4)  # 13:00
    noted(practice, waits, check_in, now=noon - timedelta(minutes=31))
    noted(practice, seated, check_in, take_in, now=noon)
    noted(practice, over, take_in, finish_visit, now=noon)

    day = day_at(practice.clinic, day=now.date(), now=noon)
    by_id = {row.visit.pk: row for row in rows(day)}

    assert [by_id[visit.pk].step for visit in (to_come, waits, seated, over, silent)] == ["here", "in", "done", "", ""]
    assert (by_id[to_come.pk].is_next, by_id[silent.pk].chip) == (True, "outcome")
    assert (day.waiting, day.seated, day.done) == (1, 1, 2)
    assert (day.counts["waits"], day.counts["outcome"], day.counts["first"]) == (1, 1, 1)
    assert [row.visit.pk for row in rows(day_at(practice.clinic, day=now.date(), now=noon, only="outcome"))] == [
        silent.pk
    ]


def test_who_is_expected_soon_or_late_is_next(practice: Practice, now: datetime) -> None:
    for at in (time(10), time(11, 30), time(12)):
        practice.book(now=now, day=now.date(), at=at)

    day = day_at(practice.clinic, day=now.date(), now=now + timedelta(hours=1, minutes=10))  # 10:10

    assert [row.is_next for row in rows(day)] == [True, True, False]


def test_nobody_can_be_here_on_another_day(practice: Practice, now: datetime) -> None:
    book(practice, now)

    assert [row.step for row in rows(tomorrow(practice, now))] == [""]


def test_a_visit_is_the_first_unless_they_came_before(practice: Practice, now: datetime) -> None:
    """Who did not come the first time has never been here; a visit brought in is no first one."""
    missed = practice.book(now=now, day=now.date(), at=time(10))
    noted(practice, missed, mark_no_show, now=missed.starts_at)
    came = practice.add("Bea Lu", now=now)
    noted(practice, practice.book(now=now, day=now.date(), at=time(11), patient=came), take_in, now=now)
    first = book(practice, now)
    practice.book(now=now, day=(now + timedelta(days=1)).date(), at=time(12), patient=came)

    flagged = [row.visit.pk for row in rows(tomorrow(practice, now)) if "first" in row.flags]

    assert flagged == [first]


def test_the_ruler_of_the_day_has_a_bar_for_each_visit(practice: Practice, now: datetime) -> None:
    here = practice.book(now=now, day=now.date(), at=time(9, 30))
    practice.book(now=now, day=now.date(), at=time(19, 30))
    noted(practice, here, check_in, now=now)

    ribbon = day_at(practice.clinic, day=now.date(), now=now).ribbon

    assert ribbon is not None
    assert (ribbon.first, ribbon.last) == (9, 20)
    assert [bar.tone for bar in ribbon.lines[0].bars] == ["here", "v"]
    assert ribbon.lines[0].name == "Lucía Barrera"
    assert ribbon.now_x == ribbon.hours[0].x
    assert day_at(practice.clinic, day=(now + timedelta(days=9)).date(), now=now).ribbon is None


# Free time


def free(practice: Practice, now: datetime, *, days: int = 0, **rest: Any) -> list[tuple[time, time]]:
    """Of the practitioner, that day."""
    (lane,) = day_at(practice.clinic, day=(now + timedelta(days=days)).date(), now=now, **rest).lanes
    return [(item.begins, item.ends) for item in lane.items if isinstance(item, Free)]


def test_free_time_lies_between_visits_from_now_on(practice: Practice, now: datetime) -> None:
    for at in (time(9, 30), time(10), time(12), time(19, 45)):
        practice.book(now=now, day=now.date(), at=at, override="as long as it takes")

    found = free(practice, now + timedelta(minutes=7))  # It is 9:07 there, and a quarter of an hour is too short.

    assert found == [(time(10, 30), time(12)), (time(12, 30), time(19, 45))]


def test_what_is_too_short_or_kept_free_is_not_offered(practice: Practice, now: datetime) -> None:
    long = Service.objects.create(
        clinic=practice.clinic, name="Long", duration_minutes=60, buffer_before_minutes=15, buffer_after_minutes=30
    )
    gives_all(practice.clinic)
    slot = practice.slot(now.date(), time(10), duration_minutes=60, buffer_before_minutes=15, buffer_after_minutes=30)
    practice.book(now=now, slot=slot, service=long)
    practice.book(now=now, day=now.date(), at=time(11, 45))

    assert free(practice, now) == [(time(9), time(9, 45)), (time(12, 15), time(20))]


def test_nothing_is_free_on_a_closed_day_on_one_that_is_over_or_of_who_is_away(
    practice: Practice, now: datetime
) -> None:
    day = now.date() + timedelta(days=1)
    Closure.objects.create(
        clinic=practice.clinic, practitioner=practice.practitioner, begins_on=day, begins_at=time(14), ends_on=day
    )
    Closure.objects.create(clinic=practice.clinic, begins_on=day + timedelta(days=1), ends_on=day + timedelta(days=1))

    assert free(practice, now, days=1) == [(time(8), time(14))]
    assert free(practice, now, days=2) == []
    assert free(practice, now, days=-1) == []
    assert free(practice, now, days=3) == [(time(8), time(20))]
    assert free(practice, now, days=3, only="failed") == []


def test_free_time_offers_to_book_it(practice: Practice) -> None:
    booked(practice)
    day = day_ahead(practice.clinic)
    address = reverse("today", query={"day": day.isoformat()})
    offer = f"?with={practice.practitioner.pk}&amp;from={day.isoformat()}&amp;whole=1"

    assert offer in at_desk(practice.clinic).get(address).content.decode()
    assert offer not in at_desk(practice.clinic, role=Role.PRACTITIONER).get(address).content.decode()
