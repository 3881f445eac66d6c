"""What should have arrived: the list that grows while the month goes by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from tests.month.oracle.facts import Said, Told
from tests.month.oracle.phones import OnPhone, Phone
from tests.month.oracle.texts import WHICH, WITH_PRACTITIONER
from tests.month.oracle.visits import Visit

FOLLOWS_WITHIN = timedelta(minutes=30)
STATE_OF_SEVERAL = "answer_state_several"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A message to be. `visits`: what it is about; `others`: which it also speaks of, only to say how they stand.

    row, about: of a list of visits, see `OnPhone`. language: of what is about no visit.
    """

    text: str
    visits: tuple[Visit, ...] = ()
    others: tuple[Visit, ...] = ()
    row: str = ""
    about: OnPhone | None = None
    language: str = ""


class Ledger:
    def __init__(self) -> None:
        self.told: list[Told] = []

    def add(self, phone: Phone, saying: Saying, *, at: datetime, latest: datetime) -> None:
        """As the visits stand, and as their patients know them; from now on they know them as they stand, but for those that
        stand only in a list which somebody may never open.
        """
        said = _said(phone, saying, now=at)
        self.told.append(Told(at=at, latest=latest, phone=phone.number, said=said))
        spoken_of = in_order((*saying.visits, *saying.others))
        for visit in () if saying.text in WHICH else spoken_of:
            visit.tell()
        about = tuple((visit, visit.version) for visit in spoken_of)
        phone.messages.append(OnPhone(said=said, visits=about, row=saying.row, about=saying.about))


def in_order(visits: Sequence[Visit]) -> list[Visit]:
    """Of time."""
    return sorted(visits, key=lambda one: (one.when, one.number))


def _said(phone: Phone, saying: Saying, *, now: datetime) -> Said:
    spoken_of = in_order((*saying.visits, *saying.others))
    language = saying.language or phone.language_of([visit.patient for visit in spoken_of])
    bare = Said(text=saying.text, clinic=phone.clinic.key, language=language)
    return _with_visits(bare, saying, now=now) if spoken_of else bare


def _with_visits(bare: Said, saying: Saying, *, now: datetime) -> Said:
    visits = in_order(saying.visits)
    if bare.text in WHICH:
        return replace(bare, listed=tuple((one.when, one.patient.first_name, one.practitioner) for one in visits))
    others = visits if bare.text == STATE_OF_SEVERAL else in_order(saying.others)
    stands = tuple((one.patient.first_name, one.stands(now=now), one.when) for one in others)
    if bare.text == STATE_OF_SEVERAL:
        return replace(bare, stands=stands)
    if len(visits) > 1 or others:
        return replace(bare, day=visits[0].when.day, visits=tuple(sorted(_stays(visits))), stands=stands)
    visit, known = visits[0], visits[0].known
    return replace(
        bare,
        patient=visit.patient.first_name,
        practitioner=visit.practitioner if bare.text in WITH_PRACTITIONER else "",
        # Who knows of another time only would not know which visit is meant.
        when=known.when if known and bare.text == "visit_cancelled_by_clinic" else visit.when,
        old_when=known.when if known and bare.text == "visit_moved" else None,
    )


def _stays(visits: Sequence[Visit]) -> Iterator[tuple[time, str]]:
    """One person's visits that follow upon each other are told as one (clinics C35)."""
    left_at: dict[str, datetime] = {}
    for visit in visits:
        begins = datetime.combine(visit.when.day, visit.when.time)
        patient = visit.patient.key
        if patient not in left_at or begins - left_at[patient] >= FOLLOWS_WITHIN:
            yield visit.when.time, visit.patient.first_name
        left_at[patient] = begins + timedelta(minutes=visit.minutes)
