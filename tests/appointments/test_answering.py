"""What a tap or a word does: the visit of that message, at the version it spoke of, or nothing."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.models import Appointment, AppointmentChange, AppointmentStatus, Patient
from appointments.usecases.attendance import check_in
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from messaging.channels.base import FreeContent
from messaging.contracts import TaskReason
from messaging.models import Contact, InboundMessage, InboundState, Message, StaffTask
from tests.appointments.chat import buttons_of, hear, last_message, rows_of, run, said
from tests.appointments.making import DESK, Practice, make_practice
from tests.drive import deliver_all, deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)
SOON = date(2026, 4, 15)
NOTICE = "appointments.visit_notice"
ANSWER = "appointments.answer"


@pytest.fixture
def visit(speaking: Practice, now: datetime) -> Appointment:
    """Ana's, tomorrow at half past ten, announced with a question."""
    visit = speaking.book(now=now, day=SOON, at=time(10, 30))
    run(now=now)
    return visit


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def texts(channel: FakeChannel) -> list[str]:
    return said(channel)[1:]


def open_tasks(practice: Practice) -> list[str]:
    return list(StaffTask.objects.for_clinic(practice.clinic).filter(state="open").values_list("reason", flat=True))


def test_confirm_confirms_and_is_answered(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    inbound = hear(speaking.clinic, action="confirm", answers=last_message(speaking.clinic, NOTICE), now=now)

    run(now=now)

    assert fresh(visit).status == AppointmentStatus.CONFIRMED
    assert len(texts(channel)) == 1
    assert "10:30" in texts(channel)[0]
    inbound.refresh_from_db()
    assert (inbound.state, inbound.outcome) == (InboundState.ANSWERED, "confirmed")


def test_a_tap_handled_twice_acts_and_answers_once(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    hear(speaking.clinic, action="cancel", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)

    deliver_all_again(now=now)
    run(now=now)

    assert fresh(visit).status == AppointmentStatus.CANCELLED_BY_PATIENT
    assert len(texts(channel)) == 1
    kinds = (
        AppointmentChange.objects.for_clinic(speaking.clinic).filter(appointment=visit).values_list("kind", flat=True)
    )
    assert sorted(kinds) == ["booked", "cancelled"]


def test_who_is_here_taps_an_older_button_and_is_offered_none(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    at_the_desk = visit.starts_at - timedelta(minutes=10)
    check_in(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=at_the_desk)
    hear(speaking.clinic, action="cancel", answers=last_message(speaking.clinic, NOTICE), now=at_the_desk)

    run(now=at_the_desk)

    assert fresh(visit).status == AppointmentStatus.ARRIVED
    assert "ya no se puede cambiar aquí" in texts(channel)[-1]
    assert not buttons_of(channel.calls[-1])


def test_a_list_that_asks_which_visit_is_meant_announces_none(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """It opens only when it is tapped, so each still gets its confirmation (DESIGN 4, Overtaken)."""
    later = now + timedelta(minutes=1)
    for at in (time(10, 30), time(12)):
        speaking.book(now=now, day=TUESDAY, at=at)
    deliver_all(now=now)
    Message.objects.for_clinic(speaking.clinic).update(due_at=later)
    hear(speaking.clinic, text="cambiar", now=now)
    run(now=now)
    listed = [len(rows_of(call)) for call in channel.calls]

    run(now=later)

    assert listed == [2]
    assert all(any(hour in text for text in texts(channel)) for hour in ("10:30", "12:00"))


def test_change_offers_free_times_and_a_pick_moves(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    hear(speaking.clinic, action="change", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)
    rows = rows_of(channel.calls[1])
    offer = last_message(speaking.clinic, ANSWER)

    action = rows[3].split(":", 2)[2]
    hear(speaking.clinic, action=action, answers=offer, now=now)
    run(now=now)

    assert len(rows) == 10
    moved = fresh(visit)
    assert action == f"slot:{moved.local_date:%Y%m%d}T{moved.local_time:%H%M}:{moved.practitioner_id}"
    assert moved.notice_version == 2
    assert len(texts(channel)) == 2  # The answer tells of the move; no second notice does.


def test_each_day_of_the_list_is_named_in_full(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    Patient.objects.for_clinic(speaking.clinic).update(language="pt")  # As long as "quarta-feira, 15 de abril".
    hear(speaking.clinic, action="change", answers=last_message(speaking.clinic, NOTICE), now=now)

    run(now=now)

    content = channel.calls[1].content
    assert isinstance(content, FreeContent)
    assert [section.title for section in content.sections if len(section.title) > 24 or "…" in section.title] == []


def test_more_times_are_later_times(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    hear(speaking.clinic, action="change", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)
    first = rows_of(channel.calls[1])

    hear(speaking.clinic, action=first[-1].split(":", 2)[2], answers=last_message(speaking.clinic, ANSWER), now=now)
    run(now=now)

    second = rows_of(channel.calls[2])
    assert len(second) == 10
    assert not {row.split(":", 2)[2] for row in first} & {row.split(":", 2)[2] for row in second}


def test_a_picked_time_that_is_taken_brings_other_times(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    hear(speaking.clinic, action="change", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)
    offer = last_message(speaking.clinic, ANSWER)
    speaking.book(now=now, day=date(2026, 4, 16), at=time(9), patient=speaking.add("Leo", now=now))

    hear(speaking.clinic, action=f"slot:20260416T0900:{speaking.practitioner.pk}", answers=offer, now=now)
    run(now=now)

    assert fresh(visit).notice_version == 1
    assert len(rows_of(channel.calls[-1])) == 10


def test_a_pick_that_was_refused_stays_refused_though_the_time_is_free_by_then(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    """protocol.md: the webhook comes again, and nobody may be moved behind the patient's back."""
    hear(speaking.clinic, action="change", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)
    offer = last_message(speaking.clinic, ANSWER)
    leos = speaking.book(now=now, day=date(2026, 4, 16), at=time(9), patient=speaking.add("Leo", now=now))
    hear(speaking.clinic, action=f"slot:20260416T0900:{speaking.practitioner.pk}", answers=offer, now=now)
    run(now=now)
    answered = len(texts(channel))

    cancel_appointment(speaking.clinic, appointment_id=leos.pk, actor=DESK, reason="ill", now=now)
    deliver_all_again(now=now)
    run(now=now)

    assert (fresh(visit).notice_version, fresh(visit).local_time) == (1, time(10, 30))
    assert len(texts(channel)) == answered


def test_an_old_button_answers_with_the_present_state(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    old = last_message(speaking.clinic, NOTICE)
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, time(16)), actor=DESK, now=now
    )
    run(now=now)

    hear(speaking.clinic, action="cancel", answers=old, now=now)
    run(now=now)

    assert fresh(visit).is_live
    assert "16:00" in said(channel)[-1]
    assert "10:30" not in said(channel)[-1]


def test_a_button_of_a_cancelled_visit_does_not_revive_it(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    old = last_message(speaking.clinic, NOTICE)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    hear(speaking.clinic, action="confirm", answers=old, now=now)
    run(now=now)

    assert not fresh(visit).is_live


@pytest.mark.parametrize("word", ["Sí", "si", "SI!!", "ok", "vale", "Confirmo.", "👍", "yes", "sim"])
def test_a_bare_yes_counts_for_the_single_open_question(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment, word: str
) -> None:
    hear(speaking.clinic, text=word, now=now)

    run(now=now)

    assert fresh(visit).status == AppointmentStatus.CONFIRMED


def test_a_word_is_no_answer_to_what_was_said_after_it_was_typed(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    later = now + timedelta(minutes=10)
    other = speaking.book(now=later, day=SOON, at=time(12, 30))
    run(now=later)

    hear(speaking.clinic, text="👍", now=now + timedelta(minutes=5))
    run(now=later)

    assert fresh(visit).status == AppointmentStatus.CONFIRMED
    assert fresh(other).status == AppointmentStatus.BOOKED


def test_a_bare_yes_to_two_questions_asks_which(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    first = speaking.book(now=now, day=SOON, at=time(10, 30))
    second = speaking.book(now=now, day=SOON, at=time(17))
    run(now=now)

    hear(speaking.clinic, text="sí", now=now)
    run(now=now)
    asked = last_message(speaking.clinic, ANSWER)
    picked = rows_of(channel.calls[-1])
    before = {fresh(first).status, fresh(second).status}
    hear(speaking.clinic, action=f"confirm:{second.pk}", answers=asked, now=now)
    run(now=now)

    rows = [f"confirm:{first.pk}", f"confirm:{second.pk}", "confirm:all"]
    assert [row.split(":", 2)[2] for row in picked] == rows
    assert before == {AppointmentStatus.BOOKED}
    assert (fresh(first).status, fresh(second).status) == (AppointmentStatus.BOOKED, AppointmentStatus.CONFIRMED)
    assert "17:00" in said(channel)[-1]


@pytest.mark.parametrize("word", ["no", "no puedo", "cancelar", "não vou", "can't"])
def test_a_typed_no_never_cancels_but_brings_the_buttons(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment, word: str
) -> None:
    hear(speaking.clinic, text=word, now=now)

    run(now=now)

    assert fresh(visit).is_live
    assert "Cancelar" in buttons_of(channel.calls[-1])


@pytest.mark.parametrize(
    "words",
    ["no sé", "no hay problema", "si puedo llegar 15 min tarde?", "quién es?", "ok pero más tarde", "no, sí voy"],
)
def test_what_is_unclear_becomes_one_task_and_one_answer(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment, words: str
) -> None:
    for _ in range(2):
        hear(speaking.clinic, text=words, now=now)

    run(now=now)

    assert fresh(visit).status == AppointmentStatus.BOOKED
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]
    assert len(texts(channel)) == 1
    states = InboundMessage.objects.for_clinic(speaking.clinic).values_list("state", flat=True)
    assert set(states) == {InboundState.TASK}


def test_a_picture_becomes_a_task(speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment) -> None:
    hear(speaking.clinic, type="image", now=now)

    run(now=now)

    assert open_tasks(speaking) == [TaskReason.MEDIA_RECEIVED]


def test_a_wrong_number_is_written_to_no_more(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    hear(speaking.clinic, text="Número equivocado", now=now)
    run(now=now)
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    run(now=now)

    assert texts(channel) == []
    assert TaskReason.WRONG_NUMBER in open_tasks(speaking)


def test_a_family_answers_for_the_one_who_was_asked(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    leo = speaking.add("Leo Núñez", phone="612 345 678", guardian=speaking.ana, now=now)
    anas = speaking.book(now=now, day=SOON, at=time(10, 30))
    run(now=now)
    of_ana = last_message(speaking.clinic, NOTICE)
    leos = speaking.book(now=now, day=SOON, at=time(12), patient=leo)
    run(now=now)

    hear(speaking.clinic, action="confirm", answers=of_ana, now=now)
    run(now=now)

    assert Contact.objects.for_clinic(speaking.clinic).count() == 1
    assert (fresh(anas).status, fresh(leos).status) == (AppointmentStatus.CONFIRMED, AppointmentStatus.BOOKED)


def test_another_clinics_visit_cannot_be_picked(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    theirs = make_practice(ClinicFactory.create(), now=now)
    their_visit = theirs.book(now=now, day=SOON)
    speaking.book(now=now, day=SOON, at=time(10, 30))
    run(now=now)

    hear(speaking.clinic, action=f"visit:{their_visit.pk}", answers=last_message(speaking.clinic, NOTICE), now=now)
    run(now=now)

    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]


@pytest.mark.parametrize("action", ["confirm", "change", "cancel", "slot:20260416T0900:{0}"])
def test_the_same_button_tapped_twice_at_once_is_answered_once(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment, action: str
) -> None:
    notice, action = last_message(speaking.clinic, NOTICE), action.format(speaking.practitioner.pk)

    for seconds in (0, 0, 20):
        hear(speaking.clinic, action=action, answers=notice, now=now)
        run(now=now + timedelta(seconds=seconds))

    assert len(texts(channel)) == 1
    first, *others = InboundMessage.objects.for_clinic(speaking.clinic).order_by("pk")
    answer = last_message(speaking.clinic, ANSWER)
    assert {inbound.state for inbound in (first, *others)} == {InboundState.ANSWERED}
    answered = answer.subjects.filter(subject_type="inbound").values_list("subject_id", flat=True)
    assert set(answered) == {str(inbound.pk) for inbound in (first, *others)}


def test_both_taps_before_any_answer_went_are_answered_once(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    for _ in range(2):
        hear(speaking.clinic, action="cancel", answers=last_message(speaking.clinic, NOTICE), now=now)

    run(now=now)

    assert len(texts(channel)) == 1


def test_a_tap_a_while_later_is_answered_again(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    for minutes in (0, 2):
        hear(speaking.clinic, action="confirm", answers=last_message(speaking.clinic, NOTICE), now=now)
        run(now=now + timedelta(minutes=minutes))

    assert len(texts(channel)) == 2


def test_an_equal_tap_after_the_visit_moved_is_answered_with_where_it_is(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    notice = last_message(speaking.clinic, NOTICE)
    hear(speaking.clinic, action="confirm", answers=notice, now=now)
    run(now=now)
    slot = speaking.slot(TUESDAY, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)

    hear(speaking.clinic, action="confirm", answers=notice, now=now)
    run(now=now)

    assert "16:00" in said(channel)[-1]
    assert len(texts(channel)) == 3


def test_another_button_within_the_minute_is_answered(
    speaking: Practice, channel: FakeChannel, now: datetime, visit: Appointment
) -> None:
    for action in ("confirm", "change", "confirm"):
        hear(speaking.clinic, action=action, answers=last_message(speaking.clinic, NOTICE), now=now)
        run(now=now)

    assert len(texts(channel)) == 2
