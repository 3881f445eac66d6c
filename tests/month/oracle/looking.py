"""Whether what was shown is so: each free time that was offered was free, and whom no message reached is to be called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.month.oracle.diary import Diary
from tests.month.oracle.facts import Objection, Seen, TimesInChat, TimesOnPage, ToCall
from tests.month.oracle.phones import Phone
from tests.month.oracle.visits import Visit


def objections_to(act: Seen, *, phones: Mapping[str, Phone], visits: Mapping[int, Visit]) -> list[Objection]:
    if isinstance(act, ToCall):
        words = _uncalled(act, phones=phones, visits=visits)
        return [Objection(at=act.at, whose=act.clinic, words=one) for one in words]
    visit = _visit_of(act, phones=phones, visits=visits)
    if visit is None:
        return []  # Such a message should not have arrived, which is told as a difference.
    words = list(_wrong_times(act, visit, Diary(visit, visits.values(), now=act.at)))
    return [Objection(at=act.at, whose=visit.patient.phone, words=one) for one in words]


def _visit_of(
    act: TimesInChat | TimesOnPage, *, phones: Mapping[str, Phone], visits: Mapping[int, Visit]
) -> Visit | None:
    if isinstance(act, TimesOnPage):
        return visits[act.visit]
    message = phones[act.phone].find(act.on)
    return message.visits[0][0] if message else None


def _wrong_times(act: TimesInChat | TimesOnPage, visit: Visit, diary: Diary) -> Iterator[str]:
    for when, practitioner in act.times:
        if not diary.is_free(when, practitioner):
            yield f"visit {visit.number} was offered {when} with {practitioner}, which was not free"
    days = [when.day for when, practitioner in act.times if practitioner == visit.practitioner]
    first, without_its_own = (
        diary.first_day(visit.practitioner),
        diary.first_day(visit.practitioner, without=visit.when),
    )
    if min(days, default=None) not in (first, without_its_own):
        offered = min(days, default=None)
        yield f"visit {visit.number} was offered {visit.practitioner} from {offered} on, who has time on {first}"


def _uncalled(act: ToCall, *, phones: Mapping[str, Phone], visits: Mapping[int, Visit]) -> Sequence[str]:
    """Who said yes since needs no call; whoever may be written to again hears of what comes next."""
    wanted = [
        visit
        for visit in visits.values()
        if visit.clinic.key == act.clinic
        and visit.left_to_call == visit.version
        and phones[visit.patient.phone].is_mute
        and not (visit.is_here or visit.is_confirmed)
        and visit.starts_at(seen_at=act.at) > act.at
    ]
    return [
        f"nobody is asked to call {visit.patient.first_name} ({visit.patient.phone}) about visit {visit.number}"
        for visit in wanted
        if visit.number not in act.visits
    ]
