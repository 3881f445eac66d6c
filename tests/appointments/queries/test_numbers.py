"""The clinic's rates, counted from visits that went through the product."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.models import Appointment, AppointmentStatus
from appointments.models.guarding import changing_visits
from appointments.queries.numbers import By, Numbers, Share, numbers_of
from appointments.usecases.booking import cancel_appointment, confirm_appointment
from clinicbot.models import Clinic
from messaging.models import Attempt, AttemptState, Message
from tests.appointments.chat import hear, run
from tests.appointments.making import DESK, Practice, make_practice
from tests.factories import ClinicFactory

MADE, TODAY = datetime(2026, 3, 27, 9).astimezone(), date(2026, 4, 14)  # A Friday and a Tuesday.


def ended(visit: Appointment, status: AppointmentStatus) -> Appointment:
    visit.status = status
    with changing_visits():
        visit.save(update_fields=["status"])
    return visit


def of(clinic: Clinic, *, by: By = By.WEEK, weeks: int = 4) -> Numbers:
    return numbers_of(clinic, today=TODAY, weeks=weeks, by=by)


def on(practice: Practice, day: date, hour: int, status: AppointmentStatus) -> Appointment:
    return ended(practice.book(now=MADE, day=day, at=time(hour)), status)


@pytest.fixture
def visits(practice: Practice) -> list[Appointment]:
    """Of last week two came, one did not, and of one nobody knows; of this Monday one did not."""
    thursday = date(2026, 4, 9)
    return [
        on(practice, thursday, 9, AppointmentStatus.ATTENDED),
        on(practice, thursday, 10, AppointmentStatus.ARRIVED),
        on(practice, thursday, 11, AppointmentStatus.NO_SHOW),
        on(practice, thursday, 12, AppointmentStatus.CONFIRMED),
        on(practice, date(2026, 4, 13), 9, AppointmentStatus.NO_SHOW),
    ]


def test_who_did_not_come_is_a_share_of_those_of_whom_it_is_known(
    practice: Practice, visits: list[Appointment]
) -> None:
    found = of(practice.clinic)

    assert (found.first, found.last) == (date(2026, 3, 23), date(2026, 4, 13))
    assert found.whole.no_shows == Share(2, 4)
    assert (found.whole.stood, found.whole.without_outcome) == (5, 1)
    assert found.whole.confirmations == Share(1, 5)


def test_what_is_cancelled_to_come_or_of_another_clinic_does_not_count(practice: Practice, now: datetime) -> None:
    gone = practice.book(now=MADE, day=date(2026, 4, 9), at=time(9))
    cancel_appointment(practice.clinic, appointment_id=gone.pk, actor=DESK, reason="ill", now=MADE)
    on(practice, TODAY, 9, AppointmentStatus.NO_SHOW)
    elsewhere = make_practice(ClinicFactory.create(), now=MADE)
    on(elsewhere, date(2026, 4, 9), 9, AppointmentStatus.NO_SHOW)

    assert of(practice.clinic).whole.stood == 0
    assert of(elsewhere.clinic).whole.stood == 1


def test_each_way_of_telling_apart_adds_up_to_the_same(practice: Practice, visits: list[Appointment]) -> None:
    weeks, days, people = (of(practice.clinic, by=by) for by in (By.WEEK, By.WEEKDAY, By.PRACTITIONER))

    assert [(line.key, line.tally.no_shows) for line in weeks.lines] == [
        (date(2026, 4, 13), Share(1, 1)),
        (date(2026, 4, 6), Share(1, 3)),
    ]
    assert [(line.key, line.tally.no_shows) for line in days.lines] == [(0, Share(1, 1)), (3, Share(1, 3))]
    assert [(line.key, line.tally.no_shows) for line in people.lines] == [(practice.practitioner, Share(2, 4))]
    assert [(week.key, week.tally.stood) for week in weeks.weeks] == [
        (date(2026, 3, 23), 0),
        (date(2026, 3, 30), 0),
        (date(2026, 4, 6), 4),
        (date(2026, 4, 13), 1),
    ]


def test_a_yes_counts_when_it_stood_at_the_outcome(practice: Practice) -> None:
    visit = practice.book(now=MADE, day=date(2026, 4, 9), at=time(9))
    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=MADE)
    assert of(practice.clinic).whole.confirmations == Share(1, 1)

    visit.changes.create(
        clinic=practice.clinic,
        kind="arrived",
        notice_version=visit.notice_version,
        actor_kind="staff",
        before={"status": "confirmed"},
        after={"status": "arrived"},
        happened_at=MADE,
    )
    ended(visit, AppointmentStatus.NO_SHOW)

    assert of(practice.clinic).whole.confirmations == Share(1, 1)


def test_messages_count_when_they_arrived_asked_and_were_answered(speaking: Practice) -> None:
    for hour in (9, 10, 11):
        speaking.book(now=MADE, day=date(2026, 3, 28), at=time(hour))  # Tomorrow: the confirmation asks.
    run(now=MADE)
    first, second, third = Attempt.objects.for_clinic(speaking.clinic).order_by("pk")
    Attempt.objects.for_clinic(speaking.clinic).filter(pk__in=[first.pk, second.pk]).update(state=AttemptState.READ)
    Attempt.objects.for_clinic(speaking.clinic).filter(pk=third.pk).update(state=AttemptState.FAILED)
    asked = Message.objects.for_clinic(speaking.clinic).get(pk=first.message_id)
    hear(speaking.clinic, now=MADE + timedelta(minutes=1), action="confirm", answers=asked)
    run(now=MADE + timedelta(minutes=1))

    found = of(speaking.clinic, by=By.CHANNEL)

    assert found.whole.deliveries == Share(2, 3)
    assert found.whole.answers == Share(1, 2)
    assert [(line.key, line.tally.deliveries) for line in found.lines] == [("whatsapp", Share(2, 3))]


def test_few_cases_are_shown_as_cases() -> None:
    assert Share(3, 11).words == "3 of 11"
    assert Share(3, 20).words == "15 %"
