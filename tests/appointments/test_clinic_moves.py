"""The clinic has another address: whoever was told of the old one hears of it once, before all their visits to come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

import pytest
from icalendar import Calendar

from appointments.message_names import CLINIC_MOVED
from appointments.models import Appointment, ClinicMove, Patient
from appointments.queries.calendar_file import calendar_file
from appointments.queries.desk_tasks import desk_tasks
from appointments.queries.rule_effects import RuleWish
from appointments.queries.visits import get_visit
from appointments.usecases.attendance import check_in, mark_late_cancel
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.relocating import change_address, effect_of_address
from appointments.usecases.rules import add_rule
from appointments.usecases.undoing import undo_change
from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging.contracts import TaskReason
from messaging.models import Message, MessageState, MessageSubject
from messaging.usecases.looking_again import look_at_held
from outbox.models import OutboxEvent
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.test_reached_apart import NEW, give_number
from tests.appointments.test_story import has, told
from tests.appointments.test_wants_no_messages import say_stop
from tests.canary import values
from tests.drive import deliver_all, deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

OLD, NEW_PLACE, THIRD = "Calle Feria 12", "Plaza Nueva 3", "Calle Betis 40"
TUESDAY, FRIDAY = date(2026, 4, 21), date(2026, 4, 24)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """April, at the clinic in Madrid."""
    return datetime(2026, 4, day, hour - 2, minute, tzinfo=UTC)


MOVED_AT = at(15, 12)
NIGHT = at(20, 22)


@pytest.fixture
def azahar(speaking: Practice) -> Practice:
    Clinic.objects.filter(pk=speaking.clinic.pk).update(address=OLD)
    speaking.clinic.refresh_from_db()
    return speaking


@pytest.fixture
def leo(azahar: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return azahar.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=azahar.ana, now=now)


def relocate(practice: Practice, address: str = NEW_PLACE, *, tells: bool = True, now: datetime = MOVED_AT) -> None:
    change_address(practice.clinic.pk, address=address, tells=tells, now=now)
    practice.clinic.refresh_from_db()


def about_the_move(channel: FakeChannel) -> list[str]:
    return [text for text in said(channel) if text.startswith("visits_relocated")]


def states(practice: Practice) -> list[tuple[str, str]]:
    found = Message.objects.for_clinic(practice.clinic).filter(kind=CLINIC_MOVED).order_by("pk")
    return list(found.values_list("state", "reason"))


def let_go(*, now: datetime) -> None:
    look_at_held(now=now, real=clock.real(), deadline=Deadline(60))
    run(now=now)


def test_a_household_hears_once_of_all_its_visits_and_the_yes_is_kept(
    azahar: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    visits = [
        azahar.book(now=now, day=day, at=hour, patient=patient)
        for day, hour, patient in (
            (TUESDAY, time(10, 30), azahar.ana),
            (TUESDAY, time(12), leo),
            (FRIDAY, time(9), leo),
        )
    ]
    run(now=now)
    confirm_appointment(azahar.clinic, appointment_id=visits[0].pk, actor=DESK, now=now)

    relocate(azahar)
    run(now=MOVED_AT)
    deliver_all_again(now=MOVED_AT)
    run(now=MOVED_AT + timedelta(hours=1))

    (text,) = about_the_move(channel)
    assert NEW_PLACE in text and OLD in text
    assert "mar 21 abr" in text and "10:30 Ana, 12:00 Leo" in text
    subjects = MessageSubject.objects.for_clinic(azahar.clinic).filter(kind=CLINIC_MOVED)
    assert {(one.subject_id, one.person_id) for one in subjects} == {(str(one.pk), one.patient_id) for one in visits}
    kept = Appointment.objects.for_clinic(azahar.clinic).get(pk=visits[0].pk)
    assert (kept.status, kept.notice_version) == ("confirmed", 1)
    assert has(told(visits[2], MOVED_AT), "sent", "New address of the clinic")


def test_the_address_and_its_event_are_one_transaction_and_a_reminder_afterwards_names_the_new_place(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(azahar.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    azahar.book(now=now, day=TUESDAY)
    run(now=now)

    relocate(azahar)
    assert OutboxEvent.objects.for_clinic(azahar.clinic).filter(type="appointments.clinic_moved").count() == 1
    run(now=MOVED_AT)
    run(now=at(20, 10, 1))

    reminder = said(channel)[-1]
    assert reminder.startswith("visit_reminder_ask") and NEW_PLACE in reminder and OLD not in reminder
    assert len(about_the_move(channel)) == 1


def test_who_was_told_nothing_yet_reads_the_new_address_in_the_confirmation(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    azahar.book(now=now, day=TUESDAY)

    relocate(azahar)
    run(now=MOVED_AT)

    assert [text.partition("/")[0] for text in said(channel)] == ["visit_booked"]
    assert NEW_PLACE in said(channel)[0]
    assert states(azahar) == []


def test_by_night_it_waits_for_the_morning_and_whoever_read_the_new_address_meanwhile_is_not_told_again(
    azahar: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    moved = azahar.book(now=now, day=FRIDAY, at=time(10))
    azahar.book(now=now, day=FRIDAY, at=time(12), patient=leo)
    run(now=now)

    relocate(azahar, now=NIGHT)
    run(now=NIGHT)
    by_night = (about_the_move(channel), states(azahar))
    slot = azahar.slot(FRIDAY, time(16))
    reschedule_appointment(
        azahar.clinic, appointment_id=moved.pk, slot=slot, actor=DESK, now=NIGHT + timedelta(minutes=5)
    )
    run(now=NIGHT + timedelta(minutes=5))
    let_go(now=at(21, 9, 1))

    assert by_night == ([], [(MessageState.HELD, "quiet_hours")])
    (text,) = about_the_move(channel)
    assert "12:00 Leo" in text and "Ana" not in text


def test_by_night_it_goes_at_once_where_the_visit_comes_first(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    azahar.book(now=now, day=TUESDAY, at=time(9, 30))
    run(now=now)

    relocate(azahar, now=NIGHT)
    run(now=NIGHT)

    assert len(about_the_move(channel)) == 1


def test_a_visit_that_is_moved_there_and_back_in_the_night_is_still_told_of_the_new_place(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Its own notice says nothing, for nothing changed: the news of the place is not lost with it."""
    visit = azahar.book(now=now, day=FRIDAY, at=time(10))
    run(now=now)
    relocate(azahar, now=NIGHT)
    run(now=NIGHT)
    for hour in (16, 10):
        slot = azahar.slot(FRIDAY, time(hour))
        reschedule_appointment(azahar.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=NIGHT)

    run(now=NIGHT)
    let_go(now=at(21, 9, 1))

    assert [text.partition("/")[0] for text in said(channel)] == ["visit_booked", "visits_relocated"]


def test_two_moves_in_a_row_are_told_as_one_from_where_the_patient_thinks_it_is(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    azahar.book(now=now, day=TUESDAY)
    run(now=now)

    relocate(azahar)
    relocate(azahar, THIRD, now=MOVED_AT + timedelta(minutes=1))
    for minutes in (2, 3):
        run(now=MOVED_AT + timedelta(minutes=minutes))

    (text,) = about_the_move(channel)
    assert THIRD in text and OLD in text and NEW_PLACE not in text
    assert max(states(azahar)) == (MessageState.SKIPPED, "already_told")


def test_there_and_back_again_says_nothing_and_a_second_move_later_names_the_first_new_place(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    azahar.book(now=now, day=FRIDAY)
    run(now=now)

    relocate(azahar)
    relocate(azahar, OLD, now=MOVED_AT + timedelta(minutes=1))
    run(now=MOVED_AT + timedelta(minutes=2))
    nothing = about_the_move(channel)
    for day, place in ((16, NEW_PLACE), (17, THIRD)):
        relocate(azahar, place, now=at(day, 12))
        run(now=at(day, 12, 1))

    assert nothing == []
    first, second = about_the_move(channel)
    assert OLD in first and NEW_PLACE in first
    assert NEW_PLACE in second and THIRD in second and OLD not in second


def test_a_slip_of_the_pen_is_put_right_without_a_word(azahar: Practice, channel: FakeChannel, now: datetime) -> None:
    azahar.book(now=now, day=TUESDAY)
    run(now=now)

    relocate(azahar, "Calle Feria 21", tells=False)
    relocate(azahar, "CALLE FERIA, 21")
    run(now=MOVED_AT)
    relocate(azahar, NEW_PLACE, now=at(16, 12))
    run(now=at(16, 12))

    (text,) = about_the_move(channel)
    assert "CALLE FERIA, 21" in text
    assert ClinicMove.objects.for_clinic(azahar.clinic).count() == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Carrera 7 # 12-34", "Carrera 71 # 23-4"),
        ("Calle 1, 23", "Calle 12, 3"),
        (f"{'Edificio Azul ' * 12}12", f"{'Edificio Azul ' * 12}14"),
    ],
)
def test_numbers_that_only_run_together_alike_are_another_place(
    speaking: Practice, channel: FakeChannel, now: datetime, old: str, new: str
) -> None:
    relocate(speaking, old, now=now)
    speaking.book(now=now, day=TUESDAY)
    run(now=now)

    relocate(speaking, new)
    run(now=MOVED_AT)

    (text,) = about_the_move(channel)
    assert new in text


def test_no_address_for_a_while_does_not_hide_that_the_next_is_another(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    azahar.book(now=now, day=FRIDAY)
    run(now=now)

    relocate(azahar, "")
    run(now=MOVED_AT)
    nothing = about_the_move(channel)
    later = at(16, 12)
    effect = effect_of_address(azahar.clinic.pk, address=NEW_PLACE, real=clock.real(), now=later)
    relocate(azahar, NEW_PLACE, now=later)
    run(now=later)

    assert nothing == []
    assert effect is not None and OLD in effect.first.body
    (text,) = about_the_move(channel)
    assert NEW_PLACE in text and OLD in text


@pytest.mark.parametrize(("address", "tells"), [(OLD.upper(), True), (NEW_PLACE, False)])
def test_the_same_address_after_none_or_one_put_right_says_nothing(
    azahar: Practice, channel: FakeChannel, now: datetime, address: str, tells: bool
) -> None:
    azahar.book(now=now, day=FRIDAY)
    run(now=now)
    relocate(azahar, "")
    later = at(16, 12)
    relocate(azahar, address, tells=tells, now=later)
    run(now=later)
    nothing = about_the_move(channel)
    relocate(azahar, THIRD, now=at(17, 12))
    run(now=at(17, 12))

    assert nothing == []
    (text,) = about_the_move(channel)
    assert THIRD in text and (OLD if tells else NEW_PLACE) in text


def test_a_confirmation_that_was_worded_before_the_move_and_went_after_it_names_the_old_address(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Whoever saves the address reads the clock before it is saved."""
    azahar.book(now=now, day=FRIDAY)
    run(now=MOVED_AT + timedelta(milliseconds=50))

    relocate(azahar)
    run(now=MOVED_AT + timedelta(minutes=1))

    assert OLD in said(channel)[0]
    (text,) = about_the_move(channel)
    assert NEW_PLACE in text and OLD in text


def test_what_was_cancelled_meanwhile_is_not_told(azahar: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = azahar.book(now=now, day=FRIDAY)
    run(now=now)
    relocate(azahar, now=NIGHT)
    deliver_all(now=NIGHT)

    cancel_appointment(azahar.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=NIGHT)
    let_go(now=at(21, 9, 1))

    assert about_the_move(channel) == []
    assert states(azahar) == [(MessageState.SKIPPED, "cancelled")]


def test_who_wants_no_messages_is_called(azahar: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = azahar.book(now=now, day=TUESDAY)
    run(now=now)
    say_stop(azahar, now=now)

    relocate(azahar)
    run(now=MOVED_AT)

    assert about_the_move(channel) == []
    (task,) = desk_tasks(azahar.clinic)
    assert (task.task.reason, task.why) == (TaskReason.WANTS_NO_MESSAGES, "The clinic has another address.")
    assert [one.pk for one in task.visits] == [visit.pk]


def test_who_has_another_number_before_it_goes_hears_there(
    azahar: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    for hour, patient in ((10, azahar.ana), (12, leo)):
        azahar.book(now=now, day=FRIDAY, at=time(hour), patient=patient)
    run(now=now)
    relocate(azahar, now=NIGHT)
    run(now=NIGHT)

    give_number(azahar, leo)
    let_go(now=at(21, 9, 1))
    run(now=at(21, 9, 2))

    texts = [(call.phone, text) for call, text in zip(channel.calls, said(channel), strict=True) if "relocated" in text]
    assert sorted((phone, "Leo" in text, "Ana" in text) for phone, text in texts) == [
        ("+34612345678", False, True),
        (NEW, True, False),
    ]


def test_the_calendar_file_has_the_new_place_and_a_higher_number(azahar: Practice, now: datetime) -> None:
    visit = azahar.book(now=now, day=TUESDAY)

    def file() -> tuple[int, str]:
        found = get_visit(azahar.clinic, appointment_id=visit.pk)
        event = Calendar.from_ical(calendar_file(found, now=now)).events[0]
        return event.sequence, str(event["LOCATION"])

    before = file()
    relocate(azahar)
    moved = file()
    cancel_appointment(azahar.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=MOVED_AT)

    assert before == (0, f"{azahar.clinic.name}, {OLD}")
    assert moved == (1, f"{azahar.clinic.name}, {NEW_PLACE}")
    assert file()[0] == 2


def test_what_telling_would_do_is_tried_and_taken_back(
    azahar: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    eva = azahar.add("Eva Sanz", now=now)
    for hour, patient in ((10, azahar.ana), (12, leo), (16, eva)):
        azahar.book(now=now, day=TUESDAY, at=time(hour), patient=patient, notify=patient is not eva)
    run(now=now)

    effect = effect_of_address(azahar.clinic.pk, address=NEW_PLACE, real=clock.real(), now=MOVED_AT)
    same = effect_of_address(azahar.clinic.pk, address="calle feria 12", real=clock.real(), now=MOVED_AT)
    elsewhere = effect_of_address(ClinicFactory.create(address="A").pk, address="B", real=clock.real(), now=MOVED_AT)

    assert effect is not None and (same, elsewhere) == (None, None)
    assert (effect.visits, effect.people, len(effect.going), effect.left_to_staff) == (3, 3, 1, 1)
    assert NEW_PLACE in effect.first.body and OLD in effect.first.body and "[…]" in effect.first.body
    azahar.clinic.refresh_from_db()
    assert azahar.clinic.address == OLD
    assert not ClinicMove.objects.for_clinic(azahar.clinic).exists()


@pytest.mark.parametrize("does", [mark_late_cancel, check_in])
def test_a_visit_that_stands_again_is_told_of_the_address_that_came_meanwhile(
    azahar: Practice, channel: FakeChannel, now: datetime, does: Callable[..., Appointment]
) -> None:
    visit = azahar.book(now=now, day=TUESDAY, at=time(19))
    run(now=now)
    moved_at = at(21, 10)
    does(azahar.clinic, appointment_id=visit.pk, actor=DESK, now=moved_at)
    relocate(azahar, now=moved_at)
    run(now=moved_at)
    nothing = about_the_move(channel)

    undo_last(visit, now=moved_at + timedelta(minutes=5))
    for minutes in (5, 6):
        run(now=moved_at + timedelta(minutes=minutes))
    does(azahar.clinic, appointment_id=visit.pk, actor=DESK, now=moved_at + timedelta(minutes=10))
    undo_last(visit, now=moved_at + timedelta(minutes=11))
    for minutes in (11, 12):
        run(now=moved_at + timedelta(minutes=minutes))

    assert nothing == []
    (text,) = about_the_move(channel)
    assert NEW_PLACE in text and OLD in text


def test_a_visit_that_stands_again_aloud_says_the_new_address_itself(
    azahar: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = azahar.book(now=now, day=FRIDAY)
    run(now=now)
    cancel_appointment(azahar.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=MOVED_AT)
    run(now=MOVED_AT)
    relocate(azahar)
    run(now=MOVED_AT)

    undo_last(visit, now=MOVED_AT + timedelta(minutes=5))
    for minutes in (5, 6):
        run(now=MOVED_AT + timedelta(minutes=minutes))

    assert [text.partition("/")[0] for text in said(channel)][2:] == ["visit_restored"]
    assert NEW_PLACE in said(channel)[-1]


def undo_last(visit: Appointment, *, now: datetime) -> None:
    change = visit.changes.order_by("-pk")[0]
    undo_change(visit.clinic, change_id=change.pk, actor=DESK, now=now)
