"""Ana and Leo, her child on her phone: asked about in one message, and answering it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from appointments.message_names import REMINDER
from appointments.models import Appointment, Patient
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.rules import add_rule
from messaging.channels.base import Verdict
from messaging.models import InboundMessage, Message
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import Practice
from tests.messaging.sending.fakes import FakeChannel, refused

TUESDAY = date(2026, 4, 21)
EVE = datetime(2026, 4, 20, 8, 1, tzinfo=UTC)  # Ten at the clinic in Madrid.
LATER = EVE + timedelta(minutes=5)
MORNING = datetime(2026, 4, 21, 7, 5, tzinfo=UTC)

Pair = tuple[Appointment, Appointment]


def ask_about_both(practice: Practice, leo: Patient, *, now: datetime) -> Pair:
    """Ana at half past ten, Leo at twelve, reminded of in one message the day before."""
    add_rule(practice.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    anas = practice.book(now=now, day=TUESDAY, at=time(10, 30))
    leos = practice.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    run(now=now)
    run(now=EVE)
    return anas, leos


def book_early_and_late(practice: Practice, leo: Patient, channel: FakeChannel, *, now: datetime) -> Pair:
    """Leo at half past nine, Ana at five. The message about both fails, and goes when Leo's visit is too near to be said."""
    add_rule(practice.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    early = practice.book(now=now, day=TUESDAY, at=time(9, 30), patient=leo)
    late = practice.book(now=now, day=TUESDAY, at=time(17))
    run(now=now)
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    run(now=MORNING)
    return early, late


def bundle(practice: Practice) -> Message:
    return last_message(practice.clinic, REMINDER)


def tap(practice: Practice, action: str, answers: Message, *, now: datetime = LATER) -> InboundMessage:
    inbound = hear(practice.clinic, action=action, answers=answers, now=now)
    run(now=now)
    inbound.refresh_from_db()
    return inbound


def write(practice: Practice, text: str, *, now: datetime = LATER, answers: Message | None = None) -> InboundMessage:
    inbound = hear(practice.clinic, text=text, answers=answers, now=now)
    run(now=now)
    inbound.refresh_from_db()
    return inbound
