"""Notices, judged and worded at the moment they are sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from uuid import UUID

from appointments.models import PRESENT_OR_OVER, Appointment, AppointmentStatus
from appointments.queries.apart import groups_of, left_out_of, shared_contacts, subjects_among
from appointments.queries.closure_plans import must_wait, unsettled_visits
from appointments.queries.known_visits import KnownVisit, Place, known_visits, place_of
from appointments.queries.notices_of_several import (
    TEXT_OF_SEVERAL,
    as_many_as_fit,
    in_order_of_known_times,
    words_of_several,
)
from appointments.queries.people import contact_ids_of_patients, nobody_because
from appointments.queries.plans import TOO_LATE_BEFORE_VISIT
from appointments.queries.send_times import SendTimes, send_times
from appointments.saying import UNKEPT, said_when, variables_of, variables_of_dates
from appointments.wall_time import lenient_instant_of
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing

ASK_WHEN_BOOKED_UNDER = timedelta(hours=36)
# Who does not hear these comes for nothing, or not at all. A booking was made with whoever wanted it.
MUST_BE_HEARD = frozenset(
    {
        "visit_moved",
        "visit_reassigned",
        "visit_cancelled_by_clinic",
        "visit_restored",
        "visits_moved",
        "visits_cancelled_by_clinic",
        TEXT_OF_SEVERAL,
    }
)
OF_CLOSURE = "closure"
"""Among a message's params: which closure brought it."""
QUIET, CLOSING = "quiet_hours", "closing"
SEVERAL = {
    "visit_booked": "visits_booked",
    "visit_booked_ask": "visits_booked",
    "visit_moved": "visits_moved",
    "visit_reassigned": "visits_moved",
    "visit_cancelled_by_clinic": "visits_cancelled_by_clinic",
}
"""What is said of visits that were booked, moved or cancelled in one act, by what is said of one."""


def standing_of_notices(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
    """By message. One that speaks of several visits goes as long as one of them is left to be told of. Of a visit that is closed
    over nothing is said before it is settled what becomes of it: it waits apart, or the others wait with it for minutes. And
    what many are told at once waits for the sending hours.
    """
    known = known_visits(messages)
    unsettled = _unsettled(known)
    times = _times_of_bulk(messages, known, now=now)
    return {
        message.message_id: _standing(message, known[message.message_id], unsettled=unsettled, times=times, now=now)
        for message in messages
    }


def context_of_notices(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    """By message; only for those whose standing is still true."""
    known = known_visits(messages)
    contacts = _contacts([one for ones in known.values() for one in ones])
    unsettled = _unsettled(known)
    contexts = {}
    for message in messages:
        if told := [one for one in known[message.message_id] if not _why_not(message, one, now=now)]:
            waiting = [] if message.generation > 1 else [one for one in told if _key(one) in unsettled]
            word = _notice_of_closure if is_bulk(message) else _notice
            now_said = [one for one in told if one not in waiting] or told
            contexts[message.message_id] = _with_apart(
                word(message, now_said, contacts=contacts), message, [one for one in waiting if one not in now_said]
            )
    return contexts


def _with_apart(context: Context, message: QueuedMessage, waiting: Sequence[KnownVisit]) -> Context:
    """Those that it is closed over, whose fate somebody has left for later, become a message of their own, which waits."""
    if not waiting:
        return context
    subjects = subjects_among(message, [one.visit for one in waiting])
    return replace(context, left_out=context.left_out - set(subjects), apart=(*context.apart, subjects))


def _unsettled(known: Mapping[UUID, Sequence[KnownVisit]]) -> Mapping[tuple[int, int], bool]:
    return unsettled_visits({(one.visit.clinic_id, one.visit.pk) for each in known.values() for one in each})


def _key(known: KnownVisit) -> tuple[int, int]:
    return known.visit.pk, known.version


def is_bulk(message: QueuedMessage) -> bool:
    """Whether it is one of many that one act of the clinic brought: a closure, an absence."""
    return OF_CLOSURE in message.params


def _standing(
    message: QueuedMessage,
    known: Sequence[KnownVisit],
    *,
    unsettled: Mapping[tuple[int, int], bool],
    times: Mapping[int, SendTimes],
    now: datetime,
) -> Standing:
    if not known:
        return Standing.skipped("visit_gone")
    reasons = [_why_not(message, one, now=now) for one in known]
    if all(reasons):
        return Standing.skipped(reasons[0])
    if message.generation > 1:
        return STILL_TRUE
    to_tell = [one for one, why in zip(known, reasons, strict=True) if not why]
    if must_wait(unsettled, map(_key, to_tell)):
        return Standing.held(CLOSING)
    moment = max(now, message.due_at)
    if not is_bulk(message) or (hours := times[message.clinic_id]).is_open_at(moment):
        return STILL_TRUE
    comes_first = min(_next_begin(one) for one in to_tell) - TOO_LATE_BEFORE_VISIT <= hours.next_opening(moment)
    return STILL_TRUE if comes_first else Standing.held(QUIET)


def _times_of_bulk(
    messages: Sequence[QueuedMessage], known: Mapping[UUID, Sequence[KnownVisit]], *, now: datetime
) -> Mapping[int, SendTimes]:
    """On closed days too: a clinic that closes for a fortnight tells of it today."""
    bulk = [message for message in messages if is_bulk(message)]
    clinics = {one.visit.clinic_id: one.visit.clinic for each in bulk for one in known[each.message_id]}
    if not clinics:
        return {}
    times = send_times(list(clinics.values()), from_day=(now - timedelta(days=2)).date())
    return {clinic_id: replace(hours, on_closed_days=True) for clinic_id, hours in times.items()}


def _next_begin(known: KnownVisit) -> datetime:
    """When they would come: at the time they know, or at the new one."""
    visit, told = known.visit, known.told
    if told is None:
        return visit.starts_at
    return min(visit.starts_at, lenient_instant_of(told.local_date, told.local_time, zone=visit.zone))


def _why_not(message: QueuedMessage, known: KnownVisit, *, now: datetime) -> str:
    """Why this visit is not told of by this message; "" when it is."""
    visit = known.visit
    if known.version != visit.notice_version:
        return "overtaken"
    if visit.starts_at <= now or visit.status in PRESENT_OR_OVER:
        return "past"
    if not visit.is_live and not known.was_told:
        return "never_announced"
    if message.generation == 1 and _is_known(known):
        return "already_told"
    return ""


def _is_known(known: KnownVisit) -> bool:
    """Whether they were told so already; of what was cancelled it matters no more when it was to be."""
    if known.told is None or known.was_left_to_a_person:
        return False
    return known.told == known.place or not (known.told.stands or known.visit.is_live)


def notice_words(
    visit: Appointment, *, told: Place | None, said_at: datetime, language: str
) -> tuple[str, Mapping[str, str]]:
    """Which text tells what became of the visit, and the variable it has beside the visit's own.

    told: what the patient knows; a page that asks before anything happens gives the visit as it would be.
    """
    place = place_of(visit)
    known_when = _when(visit, told or place, language=language)
    if visit.status == AppointmentStatus.CANCELLED_BY_PATIENT:
        return "visit_cancelled_by_patient", {}
    if not visit.is_live:
        # Moved, and cancelled before that could be said: who knows of another time would not know which visit is meant.
        return "visit_cancelled_by_clinic", {"when": known_when}
    if told is not None and told == replace(place, stands=False):
        return "visit_restored", {}
    if told is not None and told != place:
        return ("visit_reassigned", {}) if told.is_same_time_as(place) else ("visit_moved", {"old_when": known_when})
    is_soon = visit.starts_at - said_at < ASK_WHEN_BOOKED_UNDER
    return ("visit_booked_ask" if is_soon else "visit_booked"), {}


def _when(visit: Appointment, place: Place, *, language: str) -> str:
    return said_when(visit.clinic, local_date=place.local_date, local_time=place.local_time, language=language)


@dataclass(frozen=True, slots=True, kw_only=True)
class _News:
    """A visit, what is said of it where it is told of alone, and what is said where others are told of with it."""

    known: KnownVisit
    text: str
    more: Mapping[str, str]

    @property
    def together(self) -> tuple[str, int]:
        """Those of which this is equal are told of in one message."""
        return SEVERAL.get(self.text, ""), 0 if self.text in SEVERAL else self.known.visit.pk


def _notice(message: QueuedMessage, known: Sequence[KnownVisit], *, contacts: Mapping[int, tuple[int, ...]]) -> Context:
    """Of those that were booked, moved or cancelled in one act. What is another news of some by now becomes another message."""
    language = message.language or known[0].visit.patient.language
    groups: defaultdict[tuple[str, int], list[_News]] = defaultdict(list)
    for one in sorted(known, key=_in_time):
        text, more = notice_words(one.visit, told=one.read, said_at=message.created_at, language=language)
        news = _News(known=one, text=text, more=more)
        groups[news.together].append(news)
    own, *others = groups.values()
    visits = [news.known.visit for news in own]
    text, variables = _words(own, language=language)
    return Context(
        text=text,
        language=language,
        contact_ids=contacts.get(visits[0].patient_id, ()),
        variables=variables,
        unkept=UNKEPT,
        left_out=left_out_of(message, [one.visit for one in known]),
        apart=tuple(subjects_among(message, [news.known.visit for news in group]) for group in others),
        must_be_heard=text in MUST_BE_HEARD or any(news.known.was_left_to_a_person for news in own),
        is_own_doing=all(news.known.is_own_doing for news in own),
        nobody_because=nobody_because(visits[0].patient),
    )


def _notice_of_closure(
    message: QueuedMessage, known: Sequence[KnownVisit], *, contacts: Mapping[int, tuple[int, ...]]
) -> Context:
    """Of all that a closure did to a household's visits, whatever that was, as far as they are still reached together."""
    of_visit = {one.visit.pk: one for one in known}
    own, *others = groups_of(message, [one.visit for one in known], contacts=contacts)
    language = message.language or own[0].patient.language
    in_order = in_order_of_known_times([of_visit[visit.pk] for visit in own])
    told = as_many_as_fit(in_order, language=language)
    if more_of_own := in_order[len(told) :]:
        own, others = [one.visit for one in told], [[one.visit for one in more_of_own], *others]
    if len(told) == 1:
        text, more = notice_words(own[0], told=told[0].read, said_at=message.created_at, language=language)
        variables = {**variables_of(own[0], language=language), **more}
    else:
        text, variables = TEXT_OF_SEVERAL, dict(words_of_several(told, language=language))
    return Context(
        text=text,
        language=language,
        contact_ids=shared_contacts([contacts.get(visit.patient_id, ()) for visit in own]),
        variables=variables,
        unkept=UNKEPT,
        left_out=left_out_of(message, [one.visit for one in known]),
        apart=tuple(subjects_among(message, group) for group in others),
        must_be_heard=text in MUST_BE_HEARD or any(one.was_left_to_a_person for one in told),
        nobody_because=nobody_because(own[0].patient),
    )


def _words(news: Sequence[_News], *, language: str) -> tuple[str, Mapping[str, str]]:
    first = news[0]
    if len(news) == 1:
        return first.text, {**variables_of(first.known.visit, language=language), **first.more}
    visits = [one.known.visit for one in news]
    whens = [_when(one.known.visit, _named(one.known), language=language) for one in news]
    old = min(news, key=lambda one: one.known.visit.starts_at)
    more = {"old_when": _when(old.known.visit, old.known.read or old.known.place, language=language)}
    return SEVERAL[first.text], {**variables_of_dates(visits, whens=whens, language=language), **more}


def _named(known: KnownVisit) -> Place:
    """The place by which they know which visit is meant: of one that was cancelled that which they were told."""
    return known.place if known.visit.is_live else known.read or known.place


def _in_time(known: KnownVisit) -> tuple[date, time, int]:
    """As they are listed."""
    place = _named(known)
    return place.local_date, place.local_time, known.visit.pk


def _contacts(known: Sequence[KnownVisit]) -> Mapping[int, tuple[int, ...]]:
    return contact_ids_of_patients({(one.visit.clinic_id, one.visit.patient_id) for one in known})
