"""Closing over booked time: who is hit, what becomes of each, ten minutes to take it back, and each patient hears once."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from appointments.errors import (
    ClinicClosedError,
    NotAtThisClinicError,
    PlanNotFoundError,
    PlanTimesTakenError,
    PlanUndecidedError,
    PlanUndoTooLateError,
    PlanVisitsChangedError,
)
from appointments.message_names import NOTICE, REMINDER
from appointments.models import (
    Appointment,
    AppointmentChange,
    AppointmentStatus,
    Closure,
    ClosurePlan,
    ClosureVisit,
    Patient,
    PlanState,
    ReminderRule,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.closure_pages import lines_of
from appointments.queries.closure_plans import rows_of, unsettled_visits, visits_hit
from appointments.queries.closure_previews import texts_of
from appointments.queries.desk_tasks import desk_tasks
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.closing import ClosureWish, close_plan, draft_closure, drop_plan, undo_plan
from appointments.usecases.deciding import Decided, decide, decide_all, keep_after_all, look_again
from appointments.usecases.rules import add_rule
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.contracts import TaskReason
from messaging.models import Message, MessageState, MessageSubject
from messaging.usecases.looking_again import look_at_held
from outbox.models import OutboxEvent
from scheduler.models import JobState, ScheduledJob
from tests.appointments.chat import run, said
from tests.appointments.closing import (
    FRIDAY,
    TEN,
    TUESDAY,
    WEDNESDAY,
    choose,
    close,
    closed,
    crowd,
    draft,
    fresh,
    outcomes,
    row_of,
    run_on,
)
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.test_reached_apart import NEW, give_number
from tests.appointments.test_wants_no_messages import calls, say_stop
from tests.canary import values
from tests.drive import deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

MOVE, CANCEL, KEEP, LATER = VisitDecision.MOVE, VisitDecision.CANCEL, VisitDecision.KEEP, VisitDecision.LATER


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """April, at the clinic in Madrid."""
    return datetime(2026, 4, day, hour - 2, minute, tzinfo=UTC)


CLOSED_AT = at(20, 12)
AFTER = CLOSED_AT + TEN


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)


def news(channel: FakeChannel) -> list[str]:
    """What went out after the confirmations of the bookings."""
    return [text for text in said(channel) if not text.startswith("visit_booked")]


def names(channel: FakeChannel) -> list[str]:
    return [text.partition("/")[0] for text in news(channel)]


def let_go(*, now: datetime) -> None:
    look_at_held(now=now, real=clock.real(), deadline=Deadline(60))
    run(now=now)


def test_twenty_three_patients_are_told_once_each_ten_minutes_after_the_day_was_closed(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visits = crowd(speaking, 23, now=now)
    run_on(now=now)
    channel.calls.clear()

    plan = closed(speaking, now=CLOSED_AT, decision=CANCEL)
    run(now=AFTER - timedelta(seconds=1))
    before = said(channel)
    run_on(now=AFTER)
    deliver_all_again(now=AFTER)
    run_on(now=AFTER)

    assert before == []
    assert names(channel) == ["visit_cancelled_by_clinic"] * 23
    assert len({call.phone for call in channel.calls}) == 23
    assert outcomes(plan) == [VisitOutcome.CANCELLED] * 23
    assert {fresh(visit).status for visit in visits} == {AppointmentStatus.CANCELLED_BY_CLINIC}
    plan.refresh_from_db()
    assert (plan.state, plan.settled_at) == (PlanState.DONE, AFTER)
    reasons = AppointmentChange.objects.for_clinic(speaking.clinic).filter(kind="cancelled")
    assert {(one.reason, one.actor_id) for one in reasons} == {("Strike", DESK.id)}


def test_the_proposals_are_later_apart_from_each_other_and_where_somebody_works(
    speaking: Practice, now: datetime
) -> None:
    visits = crowd(speaking, 23, now=now)
    speaking.book(now=now, day=WEDNESDAY, at=time(8))

    plan = draft(speaking, now=CLOSED_AT)

    targets = [row.options[0] for row in rows_of(plan)]
    assert [row.appointment_id for row in rows_of(plan)] == [visit.pk for visit in visits]
    assert targets[:2] == [f"20260422T0830-{place(speaking)}", f"20260422T0900-{place(speaking)}"]
    assert len(set(targets)) == 23
    assert all(len(row.options) == 1 for row in rows_of(plan))  # Nobody else works here.


def test_a_colleague_who_gives_the_service_is_proposed_at_the_same_hour_before_the_same_person_on_another_day(
    speaking: Practice, now: datetime
) -> None:
    colleague = make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")
    visit = speaking.book(now=now, day=TUESDAY)

    plan = draft(speaking, now=CLOSED_AT, practitioner_id=speaking.practitioner.pk)

    with_colleague, later = row_of(plan, visit).options
    assert with_colleague.startswith("20260421T1030") and f"-{colleague.practitioner.pk}-" in with_colleague
    assert later == f"20260422T0800-{place(speaking)}"


def test_nothing_is_proposed_before_the_visit_nor_sooner_than_somebody_can_hear_of_it(
    speaking: Practice, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(8))
    make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")
    seven = at(21, 7, 30)

    morning = draft(speaking, now=seven, ends_at=time(9), practitioner_id=speaking.practitioner.pk)
    absence = draft(speaking, now=seven, practitioner_id=speaking.practitioner.pk, ends_at=time(18))

    assert row_of(morning, visit).options[1] == f"20260421T0930-{place(speaking)}"
    assert row_of(absence, visit).options[0].startswith("20260421T0800")


def test_from_the_moment_of_closing_nobody_is_booked_there_and_the_reason_is_said(
    speaking: Practice, now: datetime
) -> None:
    speaking.book(now=now, day=TUESDAY)
    visit = speaking.book(now=now, day=FRIDAY)
    slot = speaking.slot(TUESDAY, time(16))

    plan = draft(speaking, now=CLOSED_AT)
    speaking.book(now=CLOSED_AT, day=TUESDAY, at=time(18), patient=speaking.add("Eva", now=now))
    look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=LATER)
    close(speaking, plan, now=CLOSED_AT)

    with pytest.raises(ClinicClosedError) as refused:
        speaking.book(now=CLOSED_AT, day=TUESDAY, at=time(16))
    with pytest.raises(ClinicClosedError):
        reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=CLOSED_AT)
    wish = SlotWish(service=speaking.service, from_day=TUESDAY, days=1)
    assert find_free_slots(speaking.clinic, wish=wish, now=CLOSED_AT) == []
    assert refused.value.reason == "Strike"


def test_what_came_or_changed_since_it_was_drawn_up_has_to_be_looked_at_before_it_is_closed(
    speaking: Practice, now: datetime
) -> None:
    kept, moved, gone = crowd(speaking, 3, now=now)
    plan = draft(speaking, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=CANCEL)
    there = speaking.slot(TUESDAY, time(15))
    reschedule_appointment(speaking.clinic, appointment_id=moved.pk, slot=there, actor=DESK, now=CLOSED_AT)
    cancel_appointment(speaking.clinic, appointment_id=gone.pk, actor=DESK, reason="ill", now=CLOSED_AT)
    new = speaking.book(now=CLOSED_AT, day=TUESDAY, at=time(17))

    with pytest.raises(PlanVisitsChangedError):
        close(speaking, plan, now=CLOSED_AT)
    look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT)

    assert not Closure.objects.for_clinic(speaking.clinic).exists()
    rows = {row.appointment_id: row.decision for row in rows_of(plan)}
    assert rows == {kept.pk: CANCEL, moved.pk: "", new.pk: ""}
    with pytest.raises(PlanUndecidedError):
        close(speaking, plan, now=CLOSED_AT)


def test_a_proposed_time_that_was_taken_is_proposed_anew_and_nothing_is_closed_before(
    speaking: Practice, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    plan = draft(speaking, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    speaking.book(now=CLOSED_AT, day=WEDNESDAY, at=time(8), patient=speaking.add("Eva", now=now))

    with pytest.raises(PlanTimesTakenError):
        close(speaking, plan, now=CLOSED_AT)
    look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT)

    row = row_of(plan, visit)
    assert (row.decision, row.options) == ("", [f"20260422T0830-{place(speaking)}"])


def test_what_is_proposed_anew_is_none_of_the_times_that_were_proposed_for_others(
    speaking: Practice, now: datetime
) -> None:
    visits = crowd(speaking, 3, now=now)
    plan = draft(speaking, now=CLOSED_AT)
    speaking.book(now=CLOSED_AT, day=WEDNESDAY, at=time(8), patient=speaking.add("Eva", now=now))

    look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    close(speaking, plan, now=CLOSED_AT)

    times = [row_of(plan, visit).target[:13] for visit in visits]
    assert times == ["20260422T0930", "20260422T0830", "20260422T0900"]


def test_over_visits_that_another_plan_is_about_to_settle_nothing_is_closed_and_its_times_are_taken(
    speaking: Practice, now: datetime
) -> None:
    anas = speaking.book(now=now, day=TUESDAY)
    plan, others = draft(speaking, now=CLOSED_AT), draft(speaking, now=CLOSED_AT, reason="Flood")
    for one in (plan, others):
        decide_all(speaking.clinic, plan_id=one.pk, decision=MOVE)
    close(speaking, plan, now=CLOSED_AT)

    with pytest.raises(PlanVisitsChangedError):
        close(speaking, others, now=CLOSED_AT)
    evas = speaking.book(now=now, day=TUESDAY, at=time(9), override="agreed", patient=speaking.add("Eva", now=now))
    again = draft(speaking, now=CLOSED_AT, reason="Burst pipe")

    assert row_of(plan, anas).target == f"20260422T0800-{place(speaking)}"
    assert row_of(again, evas).options == [f"20260422T0830-{place(speaking)}"]
    run(now=AFTER)
    with pytest.raises(PlanVisitsChangedError):
        close(speaking, others, now=AFTER)
    look_again(speaking.clinic, plan_id=others.pk, now=AFTER)
    decide_all(speaking.clinic, plan_id=others.pk, decision=MOVE)
    assert close(speaking, others, now=AFTER).state == PlanState.WAITING


def test_taken_back_within_the_ten_minutes_nothing_has_happened_and_nobody_heard(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=now)
    plan = closed(speaking, now=CLOSED_AT, decision=MOVE)
    later = CLOSED_AT + timedelta(minutes=9)

    undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=later)
    undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=later)
    run(now=AFTER)

    assert names(channel) == []
    stands = fresh(visit)
    assert (stands.status, stands.local_date, stands.notice_version) == ("confirmed", TUESDAY, 1)
    assert not Closure.objects.for_clinic(speaking.clinic).exists()
    job = ScheduledJob.objects.for_clinic(speaking.clinic).get(kind="appointments.carry_out_closure")
    assert (job.state, job.reason) == (JobState.SKIPPED, "closure_settled")
    speaking.book(now=AFTER, day=TUESDAY, at=time(16), patient=speaking.add("Eva", now=now))


def test_once_patients_are_told_it_is_too_late_to_take_it_back(speaking: Practice, now: datetime) -> None:
    speaking.book(now=now, day=TUESDAY)
    plan = closed(speaking, now=CLOSED_AT, decision=CANCEL)
    run(now=AFTER)

    with pytest.raises(PlanUndoTooLateError):
        undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=AFTER)


def test_closing_twice_closes_once(speaking: Practice, now: datetime) -> None:
    plan = closed(speaking, now=CLOSED_AT, decision=CANCEL)

    close(speaking, plan, now=CLOSED_AT + timedelta(seconds=2))

    assert Closure.objects.for_clinic(speaking.clinic).count() == 1
    assert ScheduledJob.objects.for_clinic(speaking.clinic).count() == 1


def test_the_same_wish_twice_is_one_draft_and_one_given_up_can_be_drawn_up_again(
    speaking: Practice, now: datetime
) -> None:
    speaking.book(now=now, day=TUESDAY)
    first, again = draft(speaking, now=CLOSED_AT), draft(speaking, now=CLOSED_AT)
    drop_plan(speaking.clinic, plan_id=first.pk, now=CLOSED_AT)

    assert first == again
    assert draft(speaking, now=CLOSED_AT) != first


def test_a_family_hears_of_all_its_visits_in_one_message(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    anas = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    leos = speaking.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    run(now=now)
    plan = draft(speaking, now=CLOSED_AT)
    choose(speaking, plan, anas, CANCEL)
    choose(speaking, plan, leos, MOVE)
    close(speaking, plan, now=CLOSED_AT)

    run(now=AFTER)
    deliver_all_again(now=AFTER)
    run(now=AFTER + timedelta(minutes=1))

    (text,) = news(channel)
    assert text.startswith("visits_changed_by_clinic")
    assert "mar 21 abr, 10:30 Ana: cancelada" in text
    assert "mar 21 abr, 12:00 Leo: ahora mié 22 abr, 08:30" in text
    subjects = MessageSubject.objects.for_clinic(speaking.clinic).filter(kind=NOTICE, subject_version=2)
    assert {(one.subject_id, one.person_id) for one in subjects} == {
        (str(one.pk), one.patient_id) for one in (anas, leos)
    }
    assert subjects.values("message_id").distinct().count() == 1


def test_what_one_text_does_not_hold_uncut_goes_in_further_messages_and_is_foreseen_so(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    given = ["Maximiliana", "Bartolomé", "Hermenegildo", "Wenceslao"]
    for hour, name in enumerate(given, start=10):
        child = speaking.add(f"{name} Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)
        speaking.book(now=now, day=TUESDAY, at=time(hour), patient=child)
    run(now=now)
    plan = draft(speaking, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)

    (foreseen,) = texts_of(plan, now=CLOSED_AT).groups
    close(speaking, plan, now=CLOSED_AT)
    for minute in range(3):
        run(now=AFTER + timedelta(minutes=minute))

    texts = news(channel)
    assert names(channel) == ["visits_changed_by_clinic"] * 2 and foreseen.count == 2
    assert "…" not in "".join(texts)
    for name in given:
        assert sum(f"{name}: ahora" in text for text in texts) == 1


def test_of_a_family_whose_child_got_a_number_before_the_news_went_each_hears_on_their_own(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    for hour, patient in ((10, speaking.ana), (12, leo)):
        speaking.book(now=now, day=FRIDAY, at=time(hour), patient=patient)
    run(now=now)
    night = at(20, 22)
    closed(speaking, now=night, day=FRIDAY, decision=CANCEL)
    run(now=night + TEN)
    by_night = news(channel)

    give_number(speaking, leo)
    let_go(now=at(21, 9, 1))
    run(now=at(21, 9, 2))

    assert by_night == []
    texts = [(call.phone, text) for call, text in zip(channel.calls, said(channel), strict=True)]
    told = {(phone, text.partition("/")[0]) for phone, text in texts if "cancelled" in text}
    assert told == {("+34612345678", "visit_cancelled_by_clinic"), (NEW, "visit_cancelled_by_clinic")}


def test_by_night_the_news_waits_for_the_morning_on_a_closed_day_too_unless_the_visit_comes_first(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    early = speaking.book(now=now, day=TUESDAY, at=time(9))
    late = speaking.book(now=now, day=TUESDAY, at=time(17), patient=speaking.add("Eva", phone="612340055", now=now))
    run(now=now)
    channel.calls.clear()
    night = at(20, 22)

    closed(speaking, now=night, decision=CANCEL)
    run(now=night + TEN)
    by_night = [call.phone for call in channel.calls]
    let_go(now=at(21, 9, 1))

    assert by_night == ["+34612345678"]
    assert [call.phone for call in channel.calls] == ["+34612345678", "+34612340055"]
    assert {fresh(early).status, fresh(late).status} == {AppointmentStatus.CANCELLED_BY_CLINIC}


def test_a_reminder_that_comes_due_within_the_ten_minutes_does_not_go(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(12, 5)), now=now)
    speaking.book(now=now, day=TUESDAY)
    run(now=now)
    closed(speaking, now=CLOSED_AT, decision=CANCEL)

    run(now=at(20, 12, 6))
    held = Message.objects.for_clinic(speaking.clinic).get(kind=REMINDER)
    let_go(now=AFTER)
    let_go(now=AFTER + timedelta(minutes=1))

    assert (held.state, held.reason) == (MessageState.HELD, "closing")
    held.refresh_from_db()
    assert held.state in (MessageState.SKIPPED, MessageState.CANCELLED)
    assert names(channel) == ["visit_cancelled_by_clinic"]


def test_a_reminder_that_was_held_goes_when_it_is_taken_back(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(12, 5)), now=now)
    speaking.book(now=now, day=TUESDAY)
    run(now=now)
    plan = closed(speaking, now=CLOSED_AT, decision=CANCEL)
    run(now=at(20, 12, 6))

    undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=at(20, 12, 7))
    let_go(now=at(20, 12, 8))

    assert names(channel) == ["visit_reminder_ask"]


def test_of_a_visit_that_is_left_for_later_nothing_is_said_and_the_rest_of_the_family_is_reminded(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    colleague = make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(14)), now=now)
    anas = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    colleague.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    eva = speaking.book(now=now, day=TUESDAY, at=time(17), patient=speaking.add("Eva", phone="612340055", now=now))
    run(now=now)
    channel.calls.clear()
    closed(speaking, now=CLOSED_AT, decision=LATER, practitioner_id=speaking.practitioner.pk)
    run(now=AFTER)

    run(now=at(20, 14))
    run(now=at(20, 14, 1))

    (text,) = said(channel)
    assert text.startswith("visit_reminder_ask") and "Leo" in text
    states = Message.objects.for_clinic(speaking.clinic).filter(kind=REMINDER).values_list("state", "reason")
    assert set(states) == {(MessageState.ACCEPTED, ""), (MessageState.HELD, "closing")}
    tasks = desk_tasks(speaking.clinic)
    assert {one.task.reason for one in tasks} == {TaskReason.CLOSED_TIME}
    assert {visit.pk for one in tasks for visit in one.visits} == {anas.pk, eva.pk}


def test_what_was_left_out_of_a_family_s_reminder_goes_on_its_own_once_it_is_kept(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    colleague = make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(14)), now=now)
    anas = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    colleague.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    run(now=now)
    channel.calls.clear()
    plan = closed(speaking, now=CLOSED_AT, decision=LATER, practitioner_id=speaking.practitioner.pk)
    run(now=AFTER)
    run(now=at(20, 14))
    run(now=at(20, 14, 1))
    before, later = said(channel), at(20, 14, 10)

    keep_after_all(speaking.clinic, plan_id=plan.pk, appointment_id=anas.pk, note="Agreed", actor=DESK, now=later)
    let_go(now=later)

    leos, own = said(channel)
    assert before == [leos] and "Leo" in leos
    assert own.startswith("visit_reminder_ask") and "Ana" in own


def test_news_of_several_visits_goes_without_the_one_that_is_left_for_later(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    colleague = make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")
    night = at(19, 22)
    anas = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    colleague.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    run(now=now)
    channel.calls.clear()
    plan = draft(speaking, now=night)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    close(speaking, plan, now=night)
    run(now=night + TEN)  # By night the news waits.
    own = speaking.practitioner.pk
    later = closed(speaking, now=at(20, 8), day=WEDNESDAY, decision=LATER, practitioner_id=own)
    run(now=at(20, 8, 10))

    let_go(now=at(20, 9, 1))
    let_go(now=at(20, 9, 2))
    first = said(channel)
    keep_after_all(speaking.clinic, plan_id=later.pk, appointment_id=anas.pk, note="Agreed", actor=DESK, now=at(20, 10))
    let_go(now=at(20, 10))

    assert len(first) == 1 and first[0].startswith("visit_moved") and "Leo" in first[0]
    assert len(said(channel)) == 2 and "Ana" in said(channel)[1]


def test_with_reminders_off_a_closure_is_told_all_the_same(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    Appointment.objects.for_clinic(speaking.clinic).filter(pk=visit.pk).update(has_reminders=False)

    closed(speaking, now=CLOSED_AT, decision=CANCEL)
    run(now=AFTER)

    assert not ReminderRule.objects.for_clinic(speaking.clinic).exists()
    assert names(channel) == ["visit_cancelled_by_clinic"]


def test_a_booking_that_nobody_heard_of_is_cancelled_without_a_word(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    speaking.book(now=CLOSED_AT, day=TUESDAY)
    closed(speaking, now=CLOSED_AT, decision=CANCEL)

    run(now=CLOSED_AT + timedelta(minutes=1))
    let_go(now=AFTER)
    let_go(now=AFTER + timedelta(minutes=1))

    assert said(channel) == []


def test_what_somebody_moved_or_cancelled_meanwhile_stays_as_they_left_it(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    moved, gone, confirmed = crowd(speaking, 3, now=now)
    run(now=now)
    channel.calls.clear()
    plan = closed(speaking, now=CLOSED_AT, decision=CANCEL)
    there, later = speaking.slot(FRIDAY, time(15)), CLOSED_AT + timedelta(minutes=3)
    reschedule_appointment(speaking.clinic, appointment_id=moved.pk, slot=there, actor=DESK, now=later)
    cancel_appointment(speaking.clinic, appointment_id=gone.pk, actor=DESK, reason="patient_called", now=later)
    confirm_appointment(speaking.clinic, appointment_id=confirmed.pk, actor=DESK, now=later)

    run(now=AFTER)
    run(now=AFTER + timedelta(minutes=1))

    assert sorted(outcomes(plan)) == [VisitOutcome.CANCELLED, VisitOutcome.CHANGED, VisitOutcome.CHANGED]
    assert fresh(moved).local_date == FRIDAY
    assert sorted(names(channel)) == ["visit_cancelled_by_clinic", "visit_cancelled_by_clinic", "visit_moved"]


def test_a_time_that_was_taken_within_the_ten_minutes_becomes_a_task_that_says_so_and_the_others_go_on(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    first, second = crowd(speaking, 2, now=now)
    run(now=now)
    channel.calls.clear()
    plan = closed(speaking, now=CLOSED_AT, decision=MOVE)
    newcomer = speaking.add("Eva", now=now)
    speaking.book(now=CLOSED_AT, day=WEDNESDAY, at=time(8), patient=newcomer, notify=False)

    run(now=AFTER)

    assert outcomes(plan) == [VisitOutcome.STUCK, VisitOutcome.MOVED]
    assert row_of(plan, first).why == "slot_taken"
    assert (fresh(first).local_date, fresh(second).local_date) == (TUESDAY, WEDNESDAY)
    (task,) = desk_tasks(speaking.clinic)
    assert (task.task.reason, [visit.pk for visit in task.visits]) == (TaskReason.CLOSED_TIME, [first.pk])
    assert task.why.endswith("could not be done. Move or cancel it.")
    assert names(channel) == ["visit_moved"]


def test_a_time_that_the_clocks_skip_by_now_is_looked_for_anew_or_leaves_its_visit_to_a_person(
    speaking: Practice, now: datetime
) -> None:
    first, _second = crowd(speaking, 2, now=now)
    plan = draft(speaking, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    rows, skipped = rows_of(plan).filter(appointment=first), f"20270328T0230-{place(speaking)}"
    rows.update(target=skipped, options=[skipped])

    assert sum(group.count for group in texts_of(plan, now=CLOSED_AT).groups) == 1
    assert [line.went is None for line in lines_of(plan, page=1, now=CLOSED_AT)] == [True, False]
    with pytest.raises(PlanTimesTakenError):
        close(speaking, plan, now=CLOSED_AT)
    look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    close(speaking, plan, now=CLOSED_AT)
    rows.update(target=skipped)
    run(now=AFTER)

    assert outcomes(plan) == [VisitOutcome.STUCK, VisitOutcome.MOVED]


def test_a_visit_that_is_kept_stays_with_its_note_and_is_reminded_of(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(14)), now=now)
    visit = speaking.book(now=now, day=TUESDAY, note="Brings an X-ray")
    run(now=now)
    plan = draft(speaking, now=CLOSED_AT)
    choose(speaking, plan, visit, KEEP, note="Dr. Quiroga comes in for it")
    close(speaking, plan, now=CLOSED_AT)

    run(now=AFTER)
    run(now=at(20, 14))

    assert outcomes(plan) == [VisitOutcome.KEPT]
    assert fresh(visit).note == "Brings an X-ray\nDr. Quiroga comes in for it"
    assert names(channel) == ["visit_reminder_ask"]
    plan.refresh_from_db()
    assert not visits_hit(draft(speaking, now=AFTER, closure_id=plan.closure_id), now=AFTER).exists()


def test_a_visit_that_was_kept_once_is_decided_about_again_when_something_else_is_closed(
    speaking: Practice, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    plan = draft(speaking, now=CLOSED_AT, practitioner_id=speaking.practitioner.pk)
    choose(speaking, plan, visit, KEEP, note="Dr. Quiroga comes in for it")
    close(speaking, plan, now=CLOSED_AT)
    run(now=AFTER)
    plan.refresh_from_db()

    whole_clinic = draft(speaking, now=AFTER)
    within_those_days = draft(speaking, now=AFTER, closure_id=plan.closure_id)

    assert list(visits_hit(whole_clinic, now=AFTER)) == [visit]
    assert list(visits_hit(within_those_days, now=AFTER)) == [visit]  # Of everybody, and not only of who was away.


@pytest.mark.parametrize("change", [{"is_open": True, "source": "holiday"}, {"begins_at": time(9)}, {}])
def test_days_that_another_closure_does_not_close_any_more_or_never_did_are_closed_by_the_plan(
    speaking: Practice, now: datetime, change: dict[str, object]
) -> None:
    fair = Closure.objects.create(clinic=speaking.clinic, begins_on=TUESDAY, ends_on=TUESDAY, reason="Fair")
    last = WEDNESDAY if not change else TUESDAY
    speaking.book(now=now, day=last, override="agreed")
    plan = draft(speaking, now=CLOSED_AT, ends_on=last, closure_id=fair.pk)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=CANCEL)
    Closure.objects.for_clinic(speaking.clinic).filter(pk=fair.pk).update(**change)

    close(speaking, plan, now=CLOSED_AT)

    made = Closure.objects.for_clinic(speaking.clinic).exclude(pk=fair.pk).get()
    assert (made.begins_on, made.begins_at, made.ends_on, made.is_open) == (TUESDAY, None, last, False)
    undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=CLOSED_AT)
    assert Closure.objects.for_clinic(speaking.clinic).get() == fair


@pytest.mark.parametrize("by_plan", [True, False])
def test_a_visit_that_two_closures_left_open_and_that_is_kept_in_one_is_open_in_neither(
    speaking: Practice, now: datetime, by_plan: bool
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    ids = {(visit.clinic_id, visit.pk)}
    plan = closed(speaking, now=CLOSED_AT, decision=LATER)
    run(now=AFTER)
    again = draft(speaking, now=AFTER, reason="Flood")
    choose(speaking, again, visit, KEEP if by_plan else LATER, **({"note": "Agreed"} if by_plan else {}))
    close(speaking, again, now=AFTER)
    run(now=AFTER + TEN)
    if not by_plan:
        assert unsettled_visits(ids) == {(visit.pk, 1): False}
        plan_id, later = again.pk, AFTER + TEN
        keep_after_all(speaking.clinic, plan_id=plan_id, appointment_id=visit.pk, note="Agreed", actor=DESK, now=later)

    assert outcomes(plan) == outcomes(again) == [VisitOutcome.KEPT]
    assert unsettled_visits(ids) == {}
    assert desk_tasks(speaking.clinic) == []
    ClosureVisit.objects.for_clinic(speaking.clinic).filter(plan=plan).update(outcome=VisitOutcome.LEFT)
    assert unsettled_visits(ids) == {}  # As of rows that were written before.


def test_who_wants_no_messages_stands_on_the_call_list(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    say_stop(speaking, now=now)

    closed(speaking, now=CLOSED_AT, decision=CANCEL)
    run(now=AFTER)

    assert names(channel) == []
    ((_title, why, visits, people),) = calls(speaking)
    assert (why, visits, people) == ("The visit was cancelled.", [visit.pk], ["Ana"])


def test_a_visit_that_begins_within_the_ten_minutes_is_left_to_a_person(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(8))
    run(now=now)
    plan = closed(speaking, now=at(21, 7, 55), decision=CANCEL)

    run(now=at(21, 8, 5))

    assert (outcomes(plan), row_of(plan, visit).why) == ([VisitOutcome.STUCK], "visit_begun")
    assert names(channel) == []


def test_many_visits_are_settled_some_at_a_time_and_a_run_that_was_done_before_does_nothing(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    for day in (TUESDAY, WEDNESDAY, date(2026, 4, 23)):
        for number in range(20):
            speaking.book(now=now, day=day, at=time(8 + number // 2, 30 * (number % 2)), notify=False)
    plan = draft(speaking, now=CLOSED_AT, ends_on=date(2026, 4, 23))
    decide_all(speaking.clinic, plan_id=plan.pk, decision=CANCEL)
    close(speaking, plan, now=CLOSED_AT)

    run_on(now=AFTER)

    jobs = ScheduledJob.objects.for_clinic(speaking.clinic).filter(kind="appointments.carry_out_closure")
    assert [job.args["after"] for job in jobs.order_by("pk")] == [0, 27, 54]  # Nine to a message.
    assert outcomes(plan) == [VisitOutcome.CANCELLED] * 60
    assert OutboxEvent.objects.for_clinic(speaking.clinic).filter(type="appointments.cancelled").count() == 60
    assert names(channel) == ["visits_changed_by_clinic"] * 13 + ["visit_cancelled_by_clinic"]  # Five fit a text.
    ScheduledJob.objects.for_clinic(speaking.clinic).update(state=JobState.QUEUED, run_at=AFTER, finished_at=None)
    run(now=AFTER + timedelta(minutes=1))
    assert len(names(channel)) == 14


def test_another_clinic_s_closures_practitioners_and_visits_are_not_there(speaking: Practice, now: datetime) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now)
    foreign.book(now=now, day=TUESDAY)
    plan = draft(foreign, now=CLOSED_AT)

    for act in (
        lambda: close_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=CLOSED_AT),
        lambda: undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=CLOSED_AT),
        lambda: drop_plan(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT),
        lambda: look_again(speaking.clinic, plan_id=plan.pk, now=CLOSED_AT),
        lambda: decide(speaking.clinic, plan_id=plan.pk, wishes={1: Decided(decision=CANCEL)}),
    ):
        with pytest.raises(PlanNotFoundError):
            act()
    wish = ClosureWish(practitioner_id=foreign.practitioner.pk, begins_on=TUESDAY, ends_on=TUESDAY, reason="Strike")
    with pytest.raises(NotAtThisClinicError):
        draft_closure(speaking.clinic, wish=wish, actor=DESK, now=CLOSED_AT)
    assert list(ClosureVisit.objects.for_clinic(speaking.clinic)) == []
    assert list(ClosurePlan.objects.for_clinic(speaking.clinic)) == []
    assert draft(speaking, now=CLOSED_AT).visits.count() == 0


def place(practice: Practice) -> str:
    return f"{practice.practitioner.pk}-{practice.room.pk}"
