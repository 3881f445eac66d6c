"""What a tap does and which text answers it (DESIGN 10, a tap)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tests.month.oracle.diary import Diary
from tests.month.oracle.facts import Chose, Picked, Tapped, When
from tests.month.oracle.ledger import STATE_OF_SEVERAL, Saying
from tests.month.oracle.phones import OnPhone, Phone
from tests.month.oracle.visits import Visit

ASKS_WHICH = {"change": "answer_which_change", "cancel": "answer_which_cancel"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The visits that a tap is about, and those of them that stand as its message says."""

    all: Sequence[Visit]
    standing: Sequence[Visit]


def answer_to(act: Tapped | Picked | Chose, *, phone: Phone, visits: Iterable[Visit], now: datetime) -> Saying | None:
    """None where nothing of the kind should be on the phone."""
    tapped = phone.find(act.on)
    if tapped is None:
        return None
    tapped.is_tapped = True
    asked = _asked(act, tapped, now=now)
    if not asked.standing:
        return state_of(asked.all, now=now)
    if isinstance(act, Picked):
        return _pick(act, asked.all[0], visits=visits, now=now)
    if isinstance(act, Tapped):
        return _follow(act.action, asked, about=tapped, now=now)
    if tapped.about:
        tapped.about.is_tapped = True  # The choice answers the message that the question was about.
    return _follow(tapped.row, asked, about=None, is_for_all=act.place is None, now=now)


def confirm(asked: Sequence[Visit], *, standing: Sequence[Visit]) -> Saying:
    """Those that stand; the answer says how the others do (clinics C34: a message is answered for all that it names)."""
    for visit in standing:
        visit.confirm(by_patient=True)
    return _done("answer_confirmed", standing, others=[visit for visit in asked if visit not in standing])


def which(visits: Sequence[Visit], *, row: str, about: OnPhone | None = None) -> Saying:
    return Saying(text=ASKS_WHICH.get(row, "answer_which"), visits=tuple(visits), row=row, about=about)


def state_of(visits: Sequence[Visit], *, now: datetime) -> Saying:
    """How they stand: nothing is changed."""
    if len(visits) > 1:
        return Saying(text=STATE_OF_SEVERAL, visits=tuple(visits))
    words = {"over": "past"}
    standing = visits[0].stands(now=now)
    return Saying(text=f"answer_state_{words.get(standing, standing)}", visits=tuple(visits))


def _asked(act: Tapped | Picked | Chose, tapped: OnPhone, *, now: datetime) -> _Asked:
    named = [visit for visit, _ in tapped.visits]
    if isinstance(act, Chose) and act.place is not None:
        named = named[act.place : act.place + 1]
    return _Asked(all=named, standing=[visit for visit in tapped.standing(now=now) if visit in named])


def _follow(row: str, asked: _Asked, *, about: OnPhone | None, now: datetime, is_for_all: bool = False) -> Saying:
    standing = asked.standing
    if row == "confirm":
        return confirm(asked.all, standing=standing)
    if row == "cancel" and (is_for_all or len(standing) == 1):
        return _cancel(asked, now=now)
    if len(standing) > 1:
        return which(standing, row=row, about=about)
    return Saying(text="answer_choose_time" if row == "change" else "answer_choose_act", visits=(standing[0],))


def _cancel(asked: _Asked, *, now: datetime) -> Saying:
    for visit in asked.standing:
        visit.end(at=now, by_patient=True)
        visit.tell()
    is_of_one = len(asked.standing) == 1
    others = [] if is_of_one else [visit for visit in asked.all if visit not in asked.standing]
    return _done("answer_cancelled", asked.standing, others=others)


def _done(text: str, done: Sequence[Visit], *, others: Sequence[Visit]) -> Saying:
    if not others and len(done) == 1:
        return Saying(text=text, visits=tuple(done))
    return Saying(text=f"{text}_{'some' if others else 'several'}", visits=tuple(done), others=tuple(others))


def _pick(act: Picked, visit: Visit, *, visits: Iterable[Visit], now: datetime) -> Saying:
    wanted = When(day=act.day, time=act.time)
    if not Diary(visit, visits, now=now).is_free(wanted, act.practitioner):
        return Saying(text="answer_slot_taken", visits=(visit,))
    visit.change(at=now, when=wanted, practitioner=act.practitioner, by_patient=True)
    visit.tell()  # DESIGN 10, same result through every door: the answer tells what the patient chose.
    return Saying(text="answer_moved", visits=(visit,))
