"""A practitioner leaves: what becomes of each visit is decided first; then nobody books, logs in or reads a calendar any more."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.errors import AlreadyLeftError, NotAtThisClinicError, PlanUndecidedError
from appointments.models import (
    Appointment,
    CalendarFeed,
    ClosurePlan,
    PlanState,
    Practitioner,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.closure_plans import rows_of
from appointments.queries.feeds import find_feed
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.usecases.closing import undo_plan
from appointments.usecases.deciding import decide_all
from appointments.usecases.feeds import open_feed
from clinicbot.access import find_active
from clinicbot.models import Membership, Role
from clinicbot.secret_links import hash_of
from tests.appointments.chat import said
from tests.appointments.closing import TEN, choose, close, fresh, leave, outcomes, row_of, run_on
from tests.appointments.making import DESK, Practice, make_practice
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.sending.fakes import FakeChannel

MOVE, CANCEL, KEEP, LATER = VisitDecision.MOVE, VisitDecision.CANCEL, VisitDecision.KEEP, VisitDecision.LATER
MONDAY = date(2026, 4, 20)


@pytest.fixture
def mateo(speaking: Practice, now: datetime) -> Practice:
    """The colleague who gives the same services."""
    return make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")


def twelve(practice: Practice, *, now: datetime) -> list[Appointment]:
    """Two on each of six days, each of another person."""
    return [
        practice.book(
            now=now,
            day=MONDAY + timedelta(days=number // 2),
            at=time(10 + 4 * (number % 2)),
            patient=practice.add(f"Patient {number}", phone=f"6123500{number:02}", now=now),
        )
        for number in range(12)
    ]


def test_nobody_leaves_before_each_of_twelve_visits_is_moved_cancelled_or_kept_with_a_note(
    speaking: Practice, mateo: Practice, channel: FakeChannel, now: datetime
) -> None:
    visits = twelve(speaking, now=now)
    run_on(now=now)
    channel.calls.clear()
    plan = leave(speaking, now=now)

    with pytest.raises(PlanUndecidedError):
        close(speaking, plan, now=now)
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    choose(speaking, plan, visits[0], CANCEL)
    choose(speaking, plan, visits[1], LATER)
    with pytest.raises(PlanUndecidedError):
        close(speaking, plan, now=now)
    still_there = Practitioner.objects.for_clinic(speaking.clinic).get(pk=speaking.practitioner.pk).is_active
    choose(speaking, plan, visits[1], KEEP, note="Comes back for this one")
    close(speaking, plan, now=now)
    run_on(now=now + TEN)

    assert still_there
    assert outcomes(plan) == [VisitOutcome.CANCELLED, VisitOutcome.KEPT] + [VisitOutcome.MOVED] * 10
    assert {fresh(visit).practitioner_id for visit in visits[2:]} == {mateo.practitioner.pk}
    assert {fresh(visit).local_date for visit in visits[2:4]} == {MONDAY + timedelta(days=1)}  # At the same hour.
    texts = sorted(text.partition("/")[0] for text in said(channel))
    assert texts == ["visit_cancelled_by_clinic"] + ["visit_reassigned"] * 10
    assert fresh(visits[1]).note == "Comes back for this one"


def test_whoever_left_cannot_be_booked_nor_log_in_here_nor_be_read_from_a_calendar(
    speaking: Practice, mateo: Practice, now: datetime
) -> None:
    member = MembershipFactory.create(clinic=speaking.clinic, role=Role.PRACTITIONER)
    Practitioner.objects.for_clinic(speaking.clinic).filter(pk=speaking.practitioner.pk).update(user=member.user)
    elsewhere = MembershipFactory.create(user=member.user, clinic=ClinicFactory.create(), role=Role.PRACTITIONER)
    opened = open_feed(
        speaking.clinic, practitioner_id=speaking.practitioner.pk, shows_names=False, actor=DESK, now=now
    )
    plan = leave(speaking, now=now)

    close(speaking, plan, now=now)

    with pytest.raises(NotAtThisClinicError):
        speaking.book(now=now)
    wish = SlotWish(service=speaking.service, from_day=MONDAY, days=7)
    found = find_free_slots(speaking.clinic, wish=wish, now=now)
    assert {one.slot.practitioner_id for one in found} == {mateo.practitioner.pk}
    assert list(Membership.objects.filter(user=member.user)) == [elsewhere]
    assert find_active(member.user, {})[0] == elsewhere.clinic
    assert find_feed(hash_of(opened.token)) is None
    assert CalendarFeed.objects.for_clinic(speaking.clinic).get().revoked_at == now


def test_the_history_keeps_the_name(speaking: Practice, mateo: Practice, now: datetime) -> None:
    visit = speaking.book(now=now, day=MONDAY)
    before = speaking.book(now=now - timedelta(days=3), day=now.date(), at=time(10))
    plan = leave(speaking, now=now + timedelta(hours=3))
    decide_all(speaking.clinic, plan_id=plan.pk, decision=MOVE)
    close(speaking, plan, now=now + timedelta(hours=3))
    run_on(now=now + timedelta(hours=4))

    assert row_of(plan, visit).outcome == VisitOutcome.MOVED
    assert [row.appointment_id for row in rows_of(plan)] == [visit.pk]  # What is over stays as it was.
    past = Appointment.objects.for_clinic(speaking.clinic).select_related("practitioner").get(pk=before.pk)
    assert past.practitioner.full_name == "Dra. Lucía Barrera"


def test_taken_back_they_work_here_again_with_their_login(speaking: Practice, now: datetime) -> None:
    member = MembershipFactory.create(clinic=speaking.clinic, role=Role.PRACTITIONER)
    Practitioner.objects.for_clinic(speaking.clinic).filter(pk=speaking.practitioner.pk).update(user=member.user)
    plan = leave(speaking, now=now)
    close(speaking, plan, now=now)

    undo_plan(speaking.clinic, plan_id=plan.pk, actor=DESK, now=now + timedelta(minutes=9))

    plan.refresh_from_db()
    assert plan.state == PlanState.UNDONE
    assert Membership.objects.get(user=member.user).role == Role.PRACTITIONER
    speaking.book(now=now)


def test_nobody_takes_their_own_login_and_nobody_leaves_twice(speaking: Practice, now: datetime) -> None:
    member = MembershipFactory.create(clinic=speaking.clinic, role=Role.CLINIC_ADMIN)
    Practitioner.objects.for_clinic(speaking.clinic).filter(pk=speaking.practitioner.pk).update(user=member.user)
    own = leave(speaking, now=now, actor=DESK.__class__(DESK.kind, member.user_id))
    close(speaking, own, now=now)

    assert not own.takes_login
    assert Membership.objects.filter(user=member.user).exists()
    with pytest.raises(AlreadyLeftError):
        leave(speaking, now=now)


def test_another_clinic_s_practitioner_cannot_be_let_go(speaking: Practice, now: datetime) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now)

    with pytest.raises(NotAtThisClinicError):
        leave(Practice(speaking.clinic, foreign.practitioner, foreign.room, foreign.service, foreign.ana), now=now)
    assert not ClosurePlan.objects.for_clinic(speaking.clinic).exists()
