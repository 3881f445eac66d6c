"""A small story for the oracle: two people on one phone at one clinic, and what it says they should have got."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from tests.month.oracle.facts import (
    Act,
    Action,
    Booked,
    ClinicFacts,
    History,
    Outage,
    PatientFacts,
    Said,
    Tapped,
    Told,
    Typed,
    When,
)
from tests.month.oracle.months import what_should_arrive

MONDAY = date(2026, 9, 7)
MADRID = ClinicFacts(key="sol", language="es", zone="Europe/Madrid", open_weekdays=frozenset(range(6)))
ANA = PatientFacts(key="ana", clinic="sol", first_name="Ana", phone="+34600000001", language="es")
LEO = PatientFacts(key="leo", clinic="sol", first_name="Leo", phone="+34600000001", language="es")


def at(days: int, hours: int, minutes: int = 2) -> datetime:
    """Days after Monday, on Madrid's summer clock."""
    return datetime.combine(MONDAY, time(hours, minutes), UTC) + timedelta(days=days, hours=-2)


def booked(days: int, hours: int, *, on: datetime, visit: int = 1, patient: str = "ana") -> Booked:
    day = MONDAY + timedelta(days=days)
    return Booked(at=on, visit=visit, patient=patient, practitioner="a", day=day, time=time(hours), minutes=30)


def asked(days: int, hours: int) -> Said:
    when = When(day=MONDAY + timedelta(days=days), time=time(hours))
    return Said(text="visit_reminder_ask", clinic="sol", language="es", patient="Ana", practitioner="a", when=when)


def tapped(on: datetime, action: Action, *, on_message: Said) -> Tapped:
    return Tapped(at=on, phone=ANA.phone, action=action, on=on_message)


def typed(on: datetime, words: str) -> Typed:
    return Typed(at=on, phone=ANA.phone, words=words)


def told(*acts: Act, clinic: ClinicFacts = MADRID, **rest: tuple[Outage, ...]) -> list[Told]:
    history = History(begins=at(0, 8, 0), ends=at(21, 8, 0), clinics=[clinic], patients=[ANA, LEO], acts=acts, **rest)
    return what_should_arrive(history)


def said(messages: list[Told]) -> list[tuple[str, str]]:
    """Text and moment, on Madrid's summer clock."""
    return [(one.said.text, f"{one.at + timedelta(hours=2):%a %d %H:%M}") for one in messages]
