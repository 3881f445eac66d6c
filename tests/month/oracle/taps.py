"""What a tap does and which text answers it (DESIGN 10, a tap)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.month.oracle.calendar import instant, zone_of
from tests.month.oracle.facts import Picked, Tapped, When
from tests.month.oracle.ledger import Ledger
from tests.month.oracle.visits import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One message answers one tap, about however many visits (issue 3, replies)."""

    text: str
    visits: tuple[Visit, ...]


def answer_to(act: Tapped | Picked, *, ledger: Ledger, visits: Iterable[Visit], now: datetime) -> Answer | None:
    """None where nothing of the kind should be on the phone."""
    tapped = ledger.find(act.phone, act.on)
    if tapped is None:
        return None
    said = [(visit, _answer(act, visit, version, visits=visits, now=now)) for visit, version in tapped.visits]
    if len(said) == 1:
        return Answer(text=said[0][1], visits=(said[0][0],))
    done = tuple(visit for visit, text in said if text == "answer_confirmed")
    if not done:
        return Answer(text="answer_state_several", visits=tuple(visit for visit, _ in said))
    return Answer(text=f"answer_confirmed_{'several' if len(done) == len(said) else 'some'}", visits=done)


def _answer(act: Tapped | Picked, visit: Visit, version: int, *, visits: Iterable[Visit], now: datetime) -> str:
    if not visit.is_live:
        return "answer_state_cancelled"
    if visit.starts_at(seen_at=now) <= now:
        return "answer_state_past"
    if version != visit.version:
        return "answer_state_confirmed" if visit.is_confirmed else "answer_state_booked"
    if isinstance(act, Picked):
        return _pick(act, visit, visits=visits, now=now)
    if act.action == "confirm":
        visit.is_confirmed = True
        return "answer_confirmed"
    if act.action == "change":
        return "answer_choose_time"
    visit.end(at=now)
    visit.tell()
    return "answer_cancelled"


def _pick(act: Picked, visit: Visit, *, visits: Iterable[Visit], now: datetime) -> str:
    wanted = When(day=act.day, time=act.time)
    is_past = instant(act.day, act.time, zone=zone_of(visit.clinic, at=now)) <= now
    if is_past or any(_is_in_the_way(other, wanted, visit) for other in visits if other is not visit):
        return "answer_slot_taken"
    visit.change(at=now, when=wanted)
    visit.tell()  # DESIGN 10, same result through every door: the answer tells what the patient chose.
    return "answer_moved"


def _is_in_the_way(other: Visit, wanted: When, visit: Visit) -> bool:
    if not other.is_live or other.practitioner != visit.practitioner or other.when.day != wanted.day:
        return False
    begins = datetime.combine(wanted.day, wanted.time)
    others = datetime.combine(other.when.day, other.when.time)
    return others < begins + timedelta(minutes=visit.minutes) and begins < others + timedelta(minutes=other.minutes)
