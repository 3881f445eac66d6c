"""What stands beside a conversation: the visits it may be about, and the texts that can fill the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Q

from appointments.events import VISIT
from appointments.models import LIVE, Appointment, AppointmentStatus, Patient
from appointments.queries.day_rows import told_of_now
from appointments.queries.inbox_names import people_at
from appointments.queries.last_calls import LastCall, last_call_of
from appointments.saying import variables_of
from clinicbot.models import Clinic
from messaging.contracts import TaskFact
from messaging.queries.chat import TalkHead
from messaging.queries.saved_texts import FilledText, saved_texts
from messaging.queries.threads import Knot, threads_about

CARDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitCard:
    """marks: its messages as it stands now. is_meant: the conversation is about it. can_change: it is still to come."""

    visit: Appointment
    marks: tuple[str, ...]
    last_call: LastCall | None
    is_meant: bool
    can_change: bool

    @property
    def can_confirm(self) -> bool:
        return self.can_change and self.visit.status == AppointmentStatus.BOOKED


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """cards: those that are spoken of, then those to come, soonest first; without any the last one that was.

    left: how many more are to come.
    """

    people: tuple[Patient, ...]
    cards: tuple[VisitCard, ...]
    left: int
    texts: tuple[FilledText, ...]


def beside(clinic: Clinic, *, head: TalkHead, now: datetime) -> Beside:
    """Four queries, one more where no visit is to come."""
    people = people_at(clinic, [head.contact_id])[head.contact_id]
    meant = _meant(head.tasks)
    visits = _visits(clinic, people=people, meant=meant, now=now)
    shown = visits[:CARDS]
    threads = threads_about(clinic.pk, subject_type=VISIT, subject_ids=[str(visit.pk) for visit in shown])
    return Beside(
        people=tuple(people),
        cards=tuple(_card(one, thread=threads[str(one.pk)], is_meant=one.pk in meant, now=now) for one in shown),
        left=len(visits) - len(shown),
        texts=tuple(_texts(clinic, people=people, visits=visits, now=now)),
    )


def _meant(tasks: Sequence[TaskFact]) -> set[int]:
    subjects = [task.subject for task in tasks if task.subject]
    return {int(one.id) for one in subjects if one.type == VISIT and one.id.isdigit()}


def _visits(clinic: Clinic, *, people: Sequence[Patient], meant: set[int], now: datetime) -> list[Appointment]:
    ids = [one.pk for one in people]
    if not ids:
        return []
    theirs = (
        Appointment.objects.for_clinic(clinic)
        .filter(patient_id__in=ids)
        .select_related("clinic", "patient", "practitioner", "room", "service")
        .annotate(last_call=last_call_of(clinic, visit=OuterRef("pk")))
    )
    to_come = list(theirs.filter(Q(LIVE, ends_at__gt=now) | Q(pk__in=meant)).order_by("starts_at", "pk"))
    if not to_come:
        return list(theirs.filter(LIVE).order_by(F("starts_at").desc())[:1])
    return sorted(to_come, key=lambda visit: visit.pk not in meant)


def _card(visit: Appointment, *, thread: Sequence[Knot], is_meant: bool, now: datetime) -> VisitCard:
    return VisitCard(
        visit=visit,
        marks=tuple(knot.mark for knot in told_of_now(visit, thread)),
        last_call=LastCall.of(visit.__dict__["last_call"]),
        is_meant=is_meant,
        can_change=visit.can_change(now=now),
    )


def _texts(
    clinic: Clinic, *, people: Sequence[Patient], visits: Sequence[Appointment], now: datetime
) -> list[FilledText]:
    """In the language of whoever is first at that number; of their next visit what is said of one."""
    language = people[0].language if people else clinic.language
    values = {"clinic": clinic.name, "phone": clinic.phone}
    if len(people) == 1:
        values["patient"] = people[0].first_name
    coming = next((visit for visit in visits if visit.is_live and visit.starts_at > now), None)
    if coming is not None:
        said = variables_of(coming, language=language)
        values |= {name: said[name] for name in ("when", "practitioner", "where") if name in said}
    return saved_texts(clinic.pk, language=language, values=values)
