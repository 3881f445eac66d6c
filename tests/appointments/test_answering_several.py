"""One message about several visits, several messages about one household: whose visit an answer is for (clinics C34, C35)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.message_names import ANSWER, NOTICE
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, Patient, PatientContact
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from messaging.contracts import TaskReason
from messaging.models import InboundState, StaffTask
from messaging.usecases.sending import send_again
from tests.appointments.chat import buttons_of, last_message, rows_of, run, said
from tests.appointments.household import (
    EVE,
    LATER,
    MORNING,
    TUESDAY,
    Pair,
    ask_about_both,
    book_early_and_late,
    bundle,
    tap,
    write,
)
from tests.appointments.making import DESK, Practice, make_practice
from tests.canary import values
from tests.drive import deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel
from tests.messaging.templates import make_account, make_template

THURSDAY = date(2026, 4, 23)
BOOKED, CONFIRMED, BY_PATIENT = (
    AppointmentStatus.BOOKED,
    AppointmentStatus.CONFIRMED,
    AppointmentStatus.CANCELLED_BY_PATIENT,
)


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)


@pytest.fixture
def pair(speaking: Practice, leo: Patient, now: datetime) -> Pair:
    return ask_about_both(speaking, leo, now=now)


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def statuses(pair: Pair) -> list[str]:
    return [fresh(visit).status for visit in pair]


def actions(channel: FakeChannel) -> list[str]:
    return [row.split(":", 2)[2] for row in rows_of(channel.calls[-1])]


def test_confirm_all_confirms_everyone_asked_about_and_names_them(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    """C34b. Each visit's history names the tap."""
    inbound = tap(speaking, "confirm", bundle(speaking))

    assert statuses(pair) == [CONFIRMED, CONFIRMED]
    assert "10:30 Ana, 12:00 Leo" in said(channel)[-1]
    assert inbound.outcome == "confirmed_several"
    changes = AppointmentChange.objects.for_clinic(speaking.clinic).filter(kind="confirmed", inbound_id=inbound.pk)
    assert {change.appointment_id for change in changes} == {visit.pk for visit in pair}


def test_confirm_all_handled_twice_confirms_and_answers_once(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    tap(speaking, "confirm", bundle(speaking))
    count = len(channel.calls)

    deliver_all_again(now=LATER)
    run(now=LATER)
    tap(speaking, "confirm", bundle(speaking), now=LATER + timedelta(seconds=20))

    changes = AppointmentChange.objects.for_clinic(speaking.clinic).filter(kind="confirmed")
    assert (len(channel.calls), changes.count()) == (count, 2)


def test_what_moved_meanwhile_is_not_confirmed_and_the_answer_says_where_it_is(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    _anas, leos = pair
    asked = bundle(speaking)
    slot = speaking.slot(THURSDAY, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=leos.pk, slot=slot, actor=DESK, now=EVE)
    run(now=EVE)

    inbound = tap(speaking, "confirm", asked)

    assert statuses(pair) == [CONFIRMED, BOOKED]
    assert "10:30 Ana" in said(channel)[-1]
    assert "Leo" in said(channel)[-1].split("10:30 Ana")[1]
    assert "16:00" in said(channel)[-1]
    assert inbound.outcome == "confirmed_some"


def test_what_moved_and_was_confirmed_there_is_not_said_to_be_of_the_old_day(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    _anas, leos = pair
    slot = speaking.slot(THURSDAY, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=leos.pk, slot=slot, actor=DESK, now=EVE)
    confirm_appointment(speaking.clinic, appointment_id=leos.pk, actor=DESK, now=EVE)
    run(now=EVE)

    tap(speaking, "confirm", bundle(speaking))

    assert "Confirmado para el mar 21 abr: 10:30 Ana." in said(channel)[-1]
    assert "Leo: confirmada (jue 23 abr, 16:00)" in said(channel)[-1]


def test_when_nothing_of_it_stands_the_answer_says_how_they_stand(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    for visit in pair:
        cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=EVE)
    run(now=EVE)

    inbound = tap(speaking, "confirm", bundle(speaking))

    assert inbound.outcome == "told_state"
    assert said(channel)[-1].startswith("Ha respondido a un mensaje anterior")
    assert not any(fresh(visit).is_live for visit in pair)


def test_cancel_asks_which_and_a_row_cancels_that_one_alone(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    anas, leos = pair
    tap(speaking, "cancel", bundle(speaking))
    offered, before = actions(channel), statuses(pair)

    tap(speaking, f"cancel:{leos.pk}", last_message(speaking.clinic, ANSWER))

    assert offered == [f"cancel:{anas.pk}", f"cancel:{leos.pk}", "cancel:all"]
    assert before == [BOOKED, BOOKED]
    assert statuses(pair) == [BOOKED, BY_PATIENT]
    assert "Leo" in said(channel)[-1]
    assert "12:00" in said(channel)[-1]


def test_all_of_them_cancels_all_and_names_them(speaking: Practice, channel: FakeChannel, pair: Pair) -> None:
    """C35: of several visits in one message, any or all can be cancelled."""
    tap(speaking, "cancel", bundle(speaking))

    inbound = tap(speaking, "cancel:all", last_message(speaking.clinic, ANSWER))

    assert statuses(pair) == [BY_PATIENT, BY_PATIENT]
    assert "10:30 Ana, 12:00 Leo" in said(channel)[-1]
    assert inbound.outcome == "cancelled_several"


def test_change_asks_which_and_a_row_offers_times_for_that_one(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    anas, leos = pair
    tap(speaking, "change", bundle(speaking))
    offered = actions(channel)

    tap(speaking, f"change:{leos.pk}", last_message(speaking.clinic, ANSWER))
    times = last_message(speaking.clinic, ANSWER)
    tap(speaking, f"slot:20260423T0900:{speaking.practitioner.pk}", times)

    assert offered == [f"change:{anas.pk}", f"change:{leos.pk}"]
    assert (fresh(leos).local_date, fresh(leos).local_time) == (THURSDAY, time(9))
    assert fresh(anas).notice_version == 1


def test_where_one_alone_still_stands_it_is_shown_before_it_is_cancelled(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    """Who taps Cancel below two names may mean the one that is gone."""
    anas, leos = pair
    cancel_appointment(speaking.clinic, appointment_id=anas.pk, actor=DESK, reason="ill", now=EVE)
    run(now=EVE)

    first = tap(speaking, "cancel", bundle(speaking))
    shown, stands = said(channel)[-1], fresh(leos).status
    second = tap(speaking, "cancel", last_message(speaking.clinic, ANSWER))

    assert (first.outcome, stands) == ("told_state", BOOKED)
    assert "Leo" in shown and "12:00" in shown
    assert (second.outcome, fresh(leos).status) == ("cancelled", BY_PATIENT)


def test_where_one_alone_still_stands_another_time_is_offered_for_it(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    anas, leos = pair
    cancel_appointment(speaking.clinic, appointment_id=anas.pk, actor=DESK, reason="ill", now=EVE)
    run(now=EVE)

    inbound = tap(speaking, "change", bundle(speaking))

    assert (inbound.outcome, fresh(leos).status) == ("offered_times", BOOKED)


def test_an_old_list_changes_nothing_of_a_visit_that_has_moved_since(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    _anas, leos = pair
    tap(speaking, "cancel", bundle(speaking))
    old = last_message(speaking.clinic, ANSWER)
    slot = speaking.slot(THURSDAY, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=leos.pk, slot=slot, actor=DESK, now=LATER)
    run(now=LATER)

    tap(speaking, f"cancel:{leos.pk}", old)

    assert fresh(leos).is_live
    assert "16:00" in said(channel)[-1]


def test_a_list_offers_only_its_own_visits(speaking: Practice, channel: FakeChannel, pair: Pair, now: datetime) -> None:
    """An action is only as good as the message that it came with."""
    other = speaking.book(now=now, day=THURSDAY, at=time(9))
    tap(speaking, "cancel", bundle(speaking))

    inbound = tap(speaking, f"cancel:{other.pk}", last_message(speaking.clinic, ANSWER))

    assert fresh(other).is_live
    assert inbound.state == InboundState.TASK


def test_who_has_another_phone_by_now_is_no_longer_answered_for(
    speaking: Practice, channel: FakeChannel, pair: Pair, leo: Patient
) -> None:
    PatientContact.objects.for_clinic(speaking.clinic).filter(patient=leo).delete()  # As the admin's form does.

    tap(speaking, "confirm", bundle(speaking))

    assert statuses(pair) == [CONFIRMED, BOOKED]
    assert "Leo" not in said(channel)[-1]


def test_who_was_left_out_of_the_message_is_not_confirmed_by_it(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """Leo's visit was too near to be reminded of when the message went at last: nobody was asked about it."""
    early, late = book_early_and_late(speaking, leo, channel, now=now)
    last = said(channel)[-1]

    tap(speaking, "confirm", bundle(speaking), now=MORNING + timedelta(minutes=5))

    assert "Leo" not in last
    assert (fresh(early).status, fresh(late).status) == (BOOKED, CONFIRMED)


@pytest.mark.parametrize("words", ["sí", "1", "Confirmo, gracias", "👍🏽"])
def test_a_clear_yes_to_the_single_question_confirms_all_of_it(
    speaking: Practice, channel: FakeChannel, pair: Pair, words: str
) -> None:
    """C34d. That Ana and Leo each had the news of their booking before is no question."""
    write(speaking, words)

    assert statuses(pair) == [CONFIRMED, CONFIRMED]


def test_a_yes_with_a_but_changes_nothing_and_is_a_task(speaking: Practice, channel: FakeChannel, pair: Pair) -> None:
    """C34c."""
    inbound = write(speaking, "sí pero Leo no puede", answers=bundle(speaking))

    assert statuses(pair) == [BOOKED, BOOKED]
    (task,) = StaffTask.objects.for_clinic(speaking.clinic)
    assert (task.reason, task.message_id, task.inbound_id) == (
        TaskReason.UNCLEAR_ANSWER,
        bundle(speaking).pk,
        inbound.pk,
    )


@pytest.mark.parametrize("words", ["no", "no puedo", "cancelar", "3"])
def test_a_typed_no_to_several_never_cancels_but_brings_the_list(
    speaking: Practice, channel: FakeChannel, pair: Pair, words: str
) -> None:
    """C34f."""
    write(speaking, words)

    assert statuses(pair) == [BOOKED, BOOKED]
    assert {action.partition(":")[2] for action in actions(channel)} >= {str(visit.pk) for visit in pair}


def test_a_picked_visit_is_shown_with_its_buttons(speaking: Practice, channel: FakeChannel, pair: Pair) -> None:
    write(speaking, "no puedo")

    tap(speaking, f"visit:{pair[1].pk}", last_message(speaking.clinic, ANSWER))

    assert statuses(pair) == [BOOKED, BOOKED]
    assert "Leo" in said(channel)[-1]
    assert set(buttons_of(channel.calls[-1])) == {"Confirmo", "Cambiar", "Cancelar"}


def test_two_words_about_two_questions_are_asked_back_once_and_then_left_to_a_person(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """C34e."""
    soon = (now + timedelta(days=1)).date()
    anas, leos = speaking.book(now=now, day=soon), speaking.book(now=now, day=soon, at=time(12), patient=leo)
    run(now=now)

    first = write(speaking, "1", now=now)
    asked = actions(channel)
    second = write(speaking, "1", now=now)

    assert asked == [f"confirm:{anas.pk}", f"confirm:{leos.pk}", "confirm:all"]
    assert (first.outcome, second.state) == ("asked_which", InboundState.TASK)
    assert statuses((anas, leos)) == [BOOKED, BOOKED]


def test_a_button_of_one_of_two_messages_is_for_its_visit_only(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """C34a."""
    soon = (now + timedelta(days=1)).date()
    anas = speaking.book(now=now, day=soon)
    run(now=now)
    older = last_message(speaking.clinic, NOTICE)
    leos = speaking.book(now=now, day=soon, at=time(12), patient=leo)
    run(now=now)

    tap(speaking, "confirm", older, now=now)

    assert statuses((anas, leos)) == [CONFIRMED, BOOKED]


def test_the_number_written_to_says_which_clinic_is_meant(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """C34g: the same phone at two clinics, with an open question at each."""
    theirs = make_practice(ClinicFactory.create(), now=now)
    account = make_account(theirs.clinic, external_id="2")
    make_template(account, "visit_booked_ask", now=now)
    soon = (now + timedelta(days=1)).date()
    here, there = speaking.book(now=now, day=soon), theirs.book(now=now, day=soon)
    run(now=now)

    write(speaking, "sí", now=now)

    assert (fresh(here).status, fresh(there).status) == (CONFIRMED, BOOKED)


def test_news_that_came_after_the_question_may_be_what_an_ok_is_for(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """Leo's visit is cancelled by the clinic; "ok" is no yes to the older question about Ana's."""
    soon = (now + timedelta(days=1)).date()
    leos = speaking.book(now=now, day=soon, at=time(12), patient=leo)
    run(now=now)
    anas = speaking.book(now=now, day=soon)
    run(now=now)
    cancel_appointment(speaking.clinic, appointment_id=leos.pk, actor=DESK, reason="ill", now=now)
    run(now=now + timedelta(minutes=1))

    write(speaking, "ok", now=now + timedelta(minutes=2))

    assert fresh(anas).status == BOOKED
    assert set(buttons_of(channel.calls[-1])) == {"Confirmo", "Cambiar", "Cancelar"}


def test_an_ok_to_our_answer_is_noted_and_nobody_is_troubled(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    tap(speaking, "confirm", bundle(speaking))
    count = len(channel.calls)

    inbounds = [write(speaking, words) for words in ("ok", "gracias", "🙏🏽")]

    assert [inbound.state for inbound in inbounds] == [InboundState.NOTED] * 3
    assert [inbound.outcome for inbound in inbounds] == ["acknowledged", "thanked", "thanked"]
    assert len(channel.calls) == count
    assert not StaffTask.objects.for_clinic(speaking.clinic).exists()


def test_an_early_yes_to_the_only_visit_that_was_announced_counts(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """A booking far ahead asks nothing; a "sí, confirmo" to it says that they come, all the same."""
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)

    write(speaking, "sí, confirmo", now=now)

    assert fresh(visit).status == CONFIRMED


@pytest.mark.parametrize("words", ["sí", "no puedo"])
def test_a_late_answer_is_told_how_it_stands(
    speaking: Practice, channel: FakeChannel, now: datetime, words: str
) -> None:
    visit = speaking.book(now=now, day=(now + timedelta(days=1)).date())
    run(now=now)

    inbound = write(speaking, words, now=visit.starts_at + timedelta(minutes=10))

    assert (fresh(visit).status, inbound.outcome) == (BOOKED, "told_state")
    assert said(channel)[-1].startswith("Ha respondido a un mensaje anterior")


def test_a_wrong_number_is_a_task_that_names_everybody_there(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    write(speaking, "número equivocado", answers=bundle(speaking))

    (task,) = StaffTask.objects.for_clinic(speaking.clinic)
    assert (task.reason, task.person_kind) == (TaskReason.WRONG_NUMBER, "contact")


def test_a_message_sent_again_by_staff_is_answered_like_the_first(
    speaking: Practice, channel: FakeChannel, pair: Pair
) -> None:
    first = bundle(speaking)
    send_again(speaking.clinic.pk, message_id=first.pk, reason="deleted", actor=DESK, now=EVE)
    run(now=EVE + timedelta(minutes=1))

    tap(speaking, "confirm", bundle(speaking))

    assert bundle(speaking).generation == 2
    assert statuses(pair) == [CONFIRMED, CONFIRMED]


def test_a_minors_message_goes_to_the_guardian_and_names_the_child(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """C40."""
    leo = speaking.add("Leo Núñez", guardian=speaking.ana, at_guardians=True, now=now)
    speaking.book(now=now, day=TUESDAY, patient=leo)

    run(now=now)

    (call,) = channel.calls
    assert "Leo" in said(channel)[-1]
    assert call.phone == "+34612345678"
