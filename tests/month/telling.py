"""The whole of what happened around one phone, in the order of time: for a person to see who is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from tests.month.comparing import moment, words_of
from tests.month.kinds import kinds_of
from tests.month.oracle.facts import (
    Act,
    Booked,
    Chose,
    History,
    Moved,
    MovedOnPage,
    NumberIsRight,
    Picked,
    PressedOnPage,
    Tapped,
    TaskDone,
    TimesInChat,
    TimesOnPage,
    ToCall,
    Told,
    Typed,
    ZoneChange,
)
from tests.month.reading import Heard

OF_PHONE = (Tapped, Picked, Chose, Typed, TaskDone, NumberIsRight, TimesInChat)


def story_of(
    phone: str, *, history: History, should: Sequence[Told], did: Sequence[Heard], zone: ZoneInfo
) -> list[str]:
    """A line each, by that zone's clock."""
    lines = [
        *_acts(phone, history),
        *((one.at, f"should get {words_of(one.said)}") for one in should if one.phone == phone),
        *((one.at, f"got        {words_of(one.said)}") for one in did if one.phone == phone),
        *((one.at, f"clinic's zone is {one.zone}") for one in _zone_changes(phone, history)),
        *((outage.begins, "ticks stop") for outage in history.no_ticks),
        *((outage.ends, "ticks are back") for outage in history.no_ticks),
        *((outage.begins, "the provider is gone") for outage in history.no_provider),
        *((outage.ends, "the provider is back") for outage in history.no_provider),
    ]
    return [f"  {moment(at, zone)}  {words}" for at, words in sorted(lines)]


def _acts(phone: str, history: History) -> Iterator[tuple[datetime, str]]:
    patients = {patient.key: patient for patient in history.patients}
    visits = {act.visit: act for act in history.acts if isinstance(act, Booked)}
    for act in history.acts:
        if isinstance(act, OF_PHONE):
            if act.phone == phone:
                yield act.at, _words(act)
            continue
        if isinstance(act, ToCall):
            continue
        for visit in act.visits if isinstance(act, PressedOnPage) else (act.visit,):
            patient = patients[visits[visit].patient]
            if patient.phone == phone:
                yield act.at, f"visit {visit} of {patient.first_name} ({patient.language}): {_words(act)}"


def _words(act: Act) -> str:
    if isinstance(act, Booked):
        return f"booked for {act.day:%a %d %b} {act.time:%H:%M} with {act.practitioner}"
    if isinstance(act, Moved | MovedOnPage):
        where = " on the page" if isinstance(act, MovedOnPage) else ""
        return f"moved{where} to {act.day:%a %d %b} {act.time:%H:%M} with {act.practitioner}"
    if isinstance(act, Tapped):
        return f"taps {act.action} on {words_of(act.on)}"
    if isinstance(act, Picked):
        return f"picks {act.day:%a %d %b} {act.time:%H:%M} with {act.practitioner} on {words_of(act.on)}"
    if isinstance(act, Chose):
        return f"chooses {'all' if act.place is None else f'row {act.place}'} on {words_of(act.on)}"
    if isinstance(act, Typed):
        return f"types {act.words!r}{f' quoting {words_of(act.on)}' if act.on else ''}"
    if isinstance(act, TimesInChat | TimesOnPage):
        return f"is offered {', '.join(f'{when} with {who}' for when, who in act.times)}"
    return ", ".join(kinds_of(act))


def _zone_changes(phone: str, history: History) -> Iterator[ZoneChange]:
    clinics = {patient.clinic for patient in history.patients if patient.phone == phone}
    return (clinic.zone_change for clinic in history.clinics if clinic.key in clinics and clinic.zone_change)
