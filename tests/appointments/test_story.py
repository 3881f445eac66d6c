"""The story of a visit, told from what really happened to it."""

from __future__ import annotations

import itertools
from datetime import datetime, time, timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from appointments.message_names import NOTICE
from appointments.models import Appointment
from appointments.queries.ribbon import ribbon_of
from appointments.queries.story import story_of
from appointments.queries.story_entries import Story
from appointments.queries.visits import get_visit
from appointments.slots import Slot
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.forecasting import forecast_of_visit
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from clinicbot.ticks import Deadline
from messaging.models import SendingAccount
from messaging.queries.tasks import list_open_tasks
from messaging.usecases.accounts import pause_account
from messaging.usecases.dead_work import open_tasks_of_dead_work
from messaging.usecases.tasks import finish_task
from outbox.models import DeliveryState, OutboxDelivery
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import DESK, Practice

LATER = timedelta(minutes=5)


def told(visit: Appointment, now: datetime) -> Story:
    found = get_visit(visit.clinic_id, appointment_id=visit.pk)
    return story_of(found, forecast=forecast_of_visit(found, real=clock.real(), now=now), now=now)


def lines(story: Story) -> list[str]:
    return [
        " ".join(part for part in (one.mark or one.icon, one.what, one.more, one.quote) if part)
        for one in story.entries
    ]


def has(story: Story, *parts: str) -> bool:
    return any(all(part in line for part in parts) for line in lines(story))


def test_a_booking_tells_who_booked_and_what_went_out(speaking: Practice, default_rules: None, now: datetime) -> None:
    visit = speaking.book(now=now, at=time(15))
    run(now=now)

    story = told(visit, now)

    assert has(story, "calendar-plus", "Booked", "15:00")
    assert has(story, "sent", "Confirmation", "has left us on WhatsApp, *** 5678")
    assert has(story, "planned", "3-day reminder")
    assert has(story, "planned", "2-hour reminder", "only if they have not said yes")
    assert "has left us" in story.hearing.sentence
    assert "Next: 3-day reminder" in story.hearing.sentence


def test_a_late_booking_says_which_reminders_will_not_be_sent(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    visit = speaking.book(now=now, day=at_clinic(now, speaking.clinic).date() + timedelta(days=1))
    run(now=now)

    story = told(visit, now)

    assert has(story, "skipped", "3-day reminder", "will not be sent: booked too late for it")


def test_a_reminder_that_no_tick_came_for_in_time_is_told_as_too_late(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    """clinics C16."""
    visit = speaking.book(now=now, at=time(15))
    run(now=now)
    half_an_hour_before = visit.starts_at - timedelta(minutes=30)

    run(now=half_an_hour_before)

    story = told(visit, half_an_hour_before)
    assert has(story, "skipped", "2-hour reminder", "was not sent: too late")


def test_a_move_by_staff_tells_old_and_new_and_that_the_stale_reminder_stays_home(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    visit = speaking.book(now=now)
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=now + LATER)
    there = at_clinic(visit.starts_at + timedelta(days=1, hours=2), speaking.clinic)
    slot = speaking.slot(there.date(), there.time())
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, reason="works mornings", now=now + 2 * LATER
    )
    run(now=now + 2 * LATER)

    before = told(visit, now + 3 * LATER)
    run(now=visit.starts_at - timedelta(hours=1))
    after = told(visit, visit.starts_at - timedelta(hours=1))

    assert has(before, "Moved", "from Tue 21 Apr, 10:30 to Wed 22 Apr, 12:30", "works mornings")
    assert has(before, "Change of time")
    assert has(before, "skipped", "for the time before will not be sent: the visit moved")
    assert has(after, "skipped", "3-day reminder", "was not sent: the visit moved to another time")


def test_a_tap_is_told_once_with_what_came_of_it(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)
    hear(
        speaking.clinic,
        now=now + LATER,
        action="confirm",
        text="Confirmo",
        answers=last_message(speaking.clinic, NOTICE),
    )
    run(now=now + LATER)

    story = told(visit, now + 2 * LATER)

    assert [
        line for line in lines(story) if "Confirm" in line and "tapped" not in line and "Confirmation" not in line
    ] == []
    assert has(story, "yes", "Ana tapped", "Confirmo")
    assert has(story, "Our answer")
    assert story.hearing.heard is True
    assert "they said that they come" in story.hearing.sentence


def test_what_is_unclear_is_told_as_left_to_a_person(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)
    hear(
        speaking.clinic,
        now=now + LATER,
        text="ok but maybe 15 min late?",
        answers=last_message(speaking.clinic, NOTICE),
    )
    run(now=now + LATER)

    story = told(visit, now + 2 * LATER)

    assert has(story, "unknown", "Ana wrote", "ok but maybe 15 min late?")
    assert has(story, "circle-help", "A message that we did not understand", "open")


def test_a_held_message_says_what_holds_it(speaking: Practice, now: datetime) -> None:
    account = SendingAccount.objects.for_clinic(speaking.clinic).get()
    pause_account(speaking.clinic.pk, account_id=account.pk, reason="new number", actor=DESK, now=now)
    visit = speaking.book(now=now)
    run(now=now)

    story = told(visit, now)

    assert has(story, "held", "is held: The account it is sent from is paused.")
    assert story.hearing.heard is False


def test_a_cancelled_visit_has_no_plan(speaking: Practice, default_rules: None, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)
    cancel_appointment(
        speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="practitioner_away", now=now + LATER
    )
    run(now=now + LATER)

    story = told(visit, now + 2 * LATER)

    assert has(story, "Cancelled", "The practitioner is away")
    assert has(story, "Cancellation")
    assert [one.what for one in story.entries if one.mark == "planned"] == []


def test_a_visit_without_any_message_has_no_ribbon_and_says_so(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)

    story = told(visit, now)

    assert ribbon_of(story, visit=visit, now=now) is None
    assert story.hearing.heard is None


def test_the_ribbon_keeps_rings_apart(speaking: Practice, default_rules: None, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)

    ribbon = ribbon_of(told(visit, now), visit=visit, now=now)

    assert ribbon is not None
    places = [ring.x for ring in ribbon.rings]
    assert all(after - before >= 19 for before, after in itertools.pairwise(places))


def test_a_long_story_asks_as_often_as_a_short_one(speaking: Practice, default_rules: None, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)
    short = _queries(visit, now)
    for step in range(1, 5):
        slot = _moved(speaking, visit, hours=step)
        reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now + step * LATER)
        run(now=now + step * LATER)

    assert _queries(visit, now + 6 * LATER) <= short + 1  # Names of staff are asked for once there are any.


def _moved(practice: Practice, visit: Appointment, *, hours: int) -> Slot:
    there = at_clinic(visit.starts_at + timedelta(hours=hours), practice.clinic)
    return practice.slot(there.date(), there.time())


def _queries(visit: Appointment, now: datetime) -> int:
    with CaptureQueriesContext(connection) as captured:
        told(visit, now)
    return len(captured)


def test_what_the_program_gave_up_is_told_with_what_to_do_and_who_knows(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    real = clock.real()
    OutboxDelivery.objects.for_clinic(practice.clinic).filter(handler="appointments.tell_of_booking").update(
        state=DeliveryState.DEAD, finished_at=real
    )
    open_tasks_of_dead_work(now=now, real=real, deadline=Deadline(60))

    story = told(visit, now)

    assert story.hearing.heard is False
    assert "Something did not work. The message about the booking was not made: call the patient." in (
        story.hearing.sentence
    )
    assert "The desk was told on Tue 14 Apr, 09:00" in story.hearing.sentence
    (entry,) = [one for one in story.entries if one.what == "A fault in the program: something was not done"]
    assert entry.notes == ("The message about the booking was not made: call the patient.",)
    assert (entry.more, entry.tone) == ("open: somebody should look", "ochre")


def test_trouble_that_somebody_has_looked_at_is_no_longer_the_answer(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    real = clock.real()
    OutboxDelivery.objects.for_clinic(practice.clinic).filter(handler="appointments.tell_of_booking").update(
        state=DeliveryState.DEAD, finished_at=real
    )
    open_tasks_of_dead_work(now=now, real=real, deadline=Deadline(60))
    (task,) = list_open_tasks(practice.clinic.pk)
    finish_task(practice.clinic.pk, task_id=task.task_id, actor=DESK, now=now)

    hearing = told(visit, now).hearing

    assert (hearing.heard, hearing.sentence) == (None, "The clinic has sent nothing about this visit so far.")


def test_a_message_in_the_clinics_language_says_for_want_of_what(speaking: Practice, now: datetime) -> None:
    joao = speaking.add("João Silva", phone="+34 612 999 000", language="pt", now=now)
    visit = speaking.book(now=now, patient=joao)
    run(now=now)

    (entry,) = [one for one in told(visit, now).entries if one.what == "Confirmation"]

    assert "In Spanish: the clinic has no approved Portuguese template for this text." in entry.notes


def test_a_message_in_the_patients_language_says_nothing_of_languages(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now)
    run(now=now)

    (entry,) = [one for one in told(visit, now).entries if one.what == "Confirmation"]

    assert not any(note.startswith("In ") for note in entry.notes)
