"""A suspended clinic: everything waits, nothing is lost, and whoever runs it is not left to forget."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from datetime import datetime, time, timedelta

import pytest

from appointments.models import Appointment, AppointmentStatus, ReminderRule
from appointments.models.guarding import changing_visits
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.rules import change_rule
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic, Role
from clinicbot.suspending import resume, suspend
from messaging.channels.base import FreeContent
from messaging.channels.registry import stand_in
from messaging.models import Message, MessageState
from messaging.usecases.suspensions import remind_of_suspensions
from messaging.usecases.switches import release_switch, throw_switch
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk
from tests.factories import MembershipFactory, UserFactory
from tests.messaging.sending.drive import look
from tests.messaging.sending.fakes import FakeChannel

KEEPER = Actor.system()
DAY = timedelta(days=1)
QUARTERS = [time(hour, minute) for hour in range(8, 13) for minute in (0, 30)]


def states(clinic: Clinic) -> Counter[str]:
    return Counter(Message.objects.for_clinic(clinic).values_list("state", flat=True))


def test_forty_messages_are_held_and_two_days_later_only_what_is_still_useful_goes(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    clinic = speaking.clinic
    for days in (1, 2, 7, 8):
        for at in QUARTERS:
            speaking.book(now=now, day=(now + days * DAY).date(), at=at)
    suspend(clinic.pk, actor=KEEPER, now=now)

    for hours in range(8):  # A wave each.
        run(now=now + timedelta(hours=hours))
    while_off, held = list(said(channel)), states(clinic)
    resume(clinic.pk, actor=KEEPER, now=now + 2 * DAY)
    for _wave in range(8):
        look(now=now + 2 * DAY + timedelta(hours=6))
        run(now=now + 2 * DAY + timedelta(hours=6))

    assert while_off == []
    assert held == {MessageState.HELD: 40}
    assert len(said(channel)) == 20
    assert states(clinic) == {MessageState.ACCEPTED: 20, MessageState.EXPIRED: 20}


def test_booking_works_under_a_banner_that_counts_what_waits(speaking: Practice, now: datetime) -> None:
    clinic = speaking.clinic
    suspend(clinic.pk, actor=KEEPER, now=now)
    Clinic.objects.filter(pk=clinic.pk).update(suspended_reason="Unpaid bill")
    for at in QUARTERS[:3]:
        speaking.book(now=now, at=at)
    run(now=now)

    page = at_desk(clinic).get("/").content.decode()
    admin = at_desk(clinic).get("/admin/").content.decode()

    assert "Messages are off since Tue 14 Apr, 09:00: Unpaid bill." in page
    assert "Messages off since Tue 14 Apr" in admin
    assert "Booking works. 3 messages wait; when they go on, only what is still useful is sent." in page


def test_whoever_sets_reminders_sees_that_all_are_off(practice: Practice, default_rules: None, now: datetime) -> None:
    clinic, chief = practice.clinic, at_desk(practice.clinic, role=Role.CLINIC_ADMIN)
    rules = ReminderRule.objects.for_clinic(clinic)
    while_on = chief.get("/").content.decode()

    for rule in rules:
        wish = RuleWish(**{f.name: getattr(rule, f.name) for f in fields(RuleWish)} | {"is_active": False})
        change_rule(clinic, rule_id=rule.pk, wish=wish, now=now)
    audit.record(DESK, clinic=clinic, action="changed", subject=rules[0], now=now)

    said = "No reminders are active since Tue 14 Apr, 09:00."
    assert said not in while_on
    assert said in chief.get("/").content.decode()
    assert "No reminders are active" not in at_desk(clinic).get("/").content.decode()


@pytest.mark.parametrize("status", AppointmentStatus.values)
def test_sending_never_touches_the_state_of_a_visit(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None, status: str
) -> None:
    visit = speaking.book(now=now)
    rows = Appointment.objects.for_clinic(speaking.clinic).filter(pk=visit.pk)
    with changing_visits():
        rows.update(status=status)
    before = rows.values().get()

    for days in range(8):
        run(now=now + days * DAY)

    assert rows.values().get() == before


# The e-mail of each week


class FakeMail(FakeChannel):
    kind = "email"


@pytest.fixture
def mail() -> FakeMail:
    return FakeMail()


@pytest.fixture
def boss(clinic: Clinic) -> None:
    for role, email in (
        (Role.CLINIC_ADMIN, "Boss@example.org"),
        (Role.CLINIC_ADMIN, "no address"),
        (Role.CLINIC_ADMIN, ""),
        (Role.FRONT_DESK, "desk@example.org"),
    ):
        MembershipFactory.create(clinic=clinic, role=role, user=UserFactory.create(email=email))


def tell(mail: FakeMail, *, now: datetime) -> list[str]:
    """The step of a tick, and what has been sent to whom since the beginning."""
    with stand_in(mail):
        remind_of_suspensions(now=now)
        look(now=now)
        run(now=now)
    return [call.email for call in mail.calls]


def test_who_runs_a_suspended_clinic_hears_of_it_once_a_week(
    clinic: Clinic, mail: FakeMail, boss: None, now: datetime
) -> None:
    suspend(clinic.pk, actor=KEEPER, now=now)

    first_days = tell(mail, now=now + 6 * DAY)
    for hours in (0, 1, 30):
        after_a_week = tell(mail, now=now + 7 * DAY + timedelta(hours=hours))
    after_two = tell(mail, now=now + 15 * DAY)
    resume(clinic.pk, actor=KEEPER, now=now + 16 * DAY)
    after_resuming = tell(mail, now=now + 30 * DAY)

    assert first_days == []
    assert after_a_week == ["boss@example.org"]
    assert after_two == after_resuming == ["boss@example.org"] * 2
    content = mail.calls[0].content
    assert isinstance(content, FreeContent)
    assert "Desde el martes 14 de abril" in content.body


def test_the_kill_switch_holds_that_e_mail_too(clinic: Clinic, mail: FakeMail, boss: None, now: datetime) -> None:
    suspend(clinic.pk, actor=KEEPER, now=now)
    switch_id = throw_switch(clinic, actor=KEEPER, reason="test", now=now)

    while_thrown = tell(mail, now=now + 8 * DAY)
    release_switch(switch_id, actor=KEEPER, now=now + 9 * DAY)
    released = tell(mail, now=now + 9 * DAY)

    assert while_thrown == []
    assert released == ["boss@example.org"]
