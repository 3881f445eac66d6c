"""What somebody can be speaking of: the visits of the message that they tap or quote, else of what we said to them lately."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from appointments.chat_actions import CONFIRM
from appointments.models import Appointment, PatientContact
from appointments.queries.known_visits import visit_subjects
from appointments.queries.ways import that_are_used
from messaging.contracts import InboundFact, QueuedMessage
from messaging.queries.conversation import Said, offers_of, said_lately

RELATED = ("clinic", "patient", "practitioner", "room", "service")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedVisit:
    """A visit as it is now, and the version at which a message spoke of it."""

    visit: Appointment
    version: int

    def stands(self, *, now: datetime) -> bool:
        """Whether an answer to that message still counts for it."""
        return self.version == self.visit.notice_version and self.visit.can_change(now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """question: what words without a name can answer, and its visits. is_certain: nothing else can be meant.

    visits: all that may be meant and still stand, in order of time. last: the text of what we said last, "" for nothing.
    """

    question: Said | None
    asked: tuple[AskedVisit, ...]
    is_certain: bool
    visits: tuple[Appointment, ...]
    last: str


def asked_visits(fact: InboundFact, messages: Iterable[QueuedMessage]) -> list[list[AskedVisit]]:
    """Of each message the visits it spoke of, in order of time; only of people who are reached where the answer came from.

    Who has another number by now is no longer spoken for from the old one. One query.
    """
    used = that_are_used(PatientContact.objects.for_clinic(fact.clinic_id).filter(contact_id=fact.contact_id))
    versions = [{int(one.id): one.version for one in visit_subjects(message)} for message in messages]
    visits = (
        Appointment.objects.for_clinic(fact.clinic_id)
        .filter(pk__in={pk for each in versions for pk in each}, patient__reached_at__in=used)
        .select_related(*RELATED)
        .order_by("starts_at", "pk")
    )
    found = list(visits)
    return [
        [AskedVisit(visit=visit, version=each[visit.pk]) for visit in found if visit.pk in each] for each in versions
    ]


def asked_of(fact: InboundFact, message: QueuedMessage) -> list[AskedVisit]:
    return asked_visits(fact, [message])[0]


def talk_of(fact: InboundFact, *, now: datetime) -> Talk:
    """A quoted message is what is answered. Else it is the last question, if nothing else was said since and none is open.

    What we said after they wrote, and before we came to read it, is no part of it.
    """
    if fact.answers is not None:
        quoted = Said(message=fact.answers, offers=offers_of(fact.answers.text_name), is_open=True)
        asked = asked_of(fact, fact.answers)
        return Talk(
            question=quoted,
            asked=tuple(asked),
            is_certain=True,
            visits=_standing([asked], now=now),
            last=fact.answers.text_name,
        )
    said = said_lately(fact.clinic_id, contact_id=fact.contact_id, at=fact.sent_at)
    asked_by = asked_visits(fact, [one.message for one in said])
    return _bare(said, asked_by, now=now)


def _bare(said: Sequence[Said], asked_by: Sequence[list[AskedVisit]], *, now: datetime) -> Talk:
    standing = [any(one.stands(now=now) for one in asked) for asked in asked_by]
    last = said[0].message.text_name if said else ""
    asking = [at for at, one in enumerate(said) if one.is_open and standing[at] and CONFIRM in one.offers]
    telling = [at for at, one in enumerate(said) if one.is_open and standing[at] and not one.has_list]
    open_ones = asking or telling
    if not open_ones:
        late = next((at for at, one in enumerate(said) if asked_by[at]), None)
        return Talk(
            question=None if late is None else said[late],
            asked=() if late is None else tuple(asked_by[late]),
            is_certain=False,
            visits=(),
            last=last,
        )
    first = open_ones[0]
    rivals = {*range(first), *open_ones}
    its_own = {one.visit.pk for one in asked_by[first]}
    others = {one.visit.pk for at in rivals for one in asked_by[at] if at < first or one.stands(now=now)}
    return Talk(
        question=said[first],
        asked=tuple(asked_by[first]),
        is_certain=others <= its_own,
        visits=_standing([asked_by[at] for at in sorted(rivals)], now=now),
        last=last,
    )


def _standing(asked_by: Iterable[Iterable[AskedVisit]], *, now: datetime) -> tuple[Appointment, ...]:
    """Each once, in order of time."""
    visits = {one.visit.pk: one.visit for asked in asked_by for one in asked if one.stands(now=now)}
    return tuple(sorted(visits.values(), key=lambda visit: (visit.starts_at, visit.pk)))
