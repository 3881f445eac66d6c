"""Whom to call: who has not answered, or to whom nothing came through, the likeliest not to come first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from appointments.events import VISIT
from appointments.models import (
    LIVE,
    OUTCOMES,
    Appointment,
    AppointmentStatus,
    CallAttempt,
    CallOutcome,
)
from appointments.queries.call_causes import CAUSES, Cause, Past, cause_of, risk_of, risks_in_words
from appointments.queries.call_numbers import CallNumber, numbers_of
from appointments.queries.call_tasks import CallTask, tasks_of_calls
from appointments.queries.last_calls import LastCall, last_call_of
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic
from messaging.queries.threads import threads_about

DAYS_WITH_VISITS = 2
"""Tomorrow and the day after, counted without the days on which nobody comes."""
DAYS_AHEAD = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One visit to call about. cause None: nothing is left to call about. last: the last call about it, whoever made it.

    number: the best one to call; None where none is left.
    """

    visit: Appointment
    cause: Cause | None
    risks: tuple[str, ...]
    number: CallNumber | None
    last: LastCall | None
    risk: int
    called_today: bool

    @property
    def is_done(self) -> bool:
        """Nothing more is to be done about it today."""
        return self.cause is None or (self.last is not None and self._is_settled(self.last, self.cause))

    def _is_settled(self, call: LastCall, cause: Cause) -> bool:
        is_present = call.at >= cause.since
        match call.outcome:
            case CallOutcome.LEFT_MESSAGE:
                return self.called_today and is_present
            case CallOutcome.MOVE:
                return self.called_today and call.notice_version != self.visit.notice_version
            case CallOutcome.WRONG_NUMBER:
                return self.number is None
            case CallOutcome.NO_ANSWER:
                return False
        return cause.is_task and is_present


@dataclass(frozen=True, slots=True, kw_only=True)
class CallList:
    """to_call: in the order in which to call. done: called today, the last first."""

    to_call: tuple[CallRow, ...]
    done: tuple[CallRow, ...]


def call_list(clinic: Clinic, *, now: datetime) -> CallList:
    """Four queries, however many visits."""
    tasks = tasks_of_calls(clinic)
    of_visit = _by_visit(tasks)
    visits = list(_visits(clinic, with_tasks=of_visit, now=now))
    ids = [visit.pk for visit in visits]
    threads = threads_about(clinic.pk, subject_type=VISIT, subject_ids=[str(pk) for pk in ids])
    numbers = numbers_of(clinic, patient_ids=[visit.patient_id for visit in visits])
    today = at_clinic(now, clinic).date()
    rows = []
    for visit in visits:
        past, last = _past_of(visit), LastCall.of(visit.__dict__["last_call"])
        rows.append(
            CallRow(
                visit=visit,
                cause=cause_of(
                    visit, threads[str(visit.pk)], tasks=of_visit[visit.pk], is_soon=_is_soon(visit), now=now
                ),
                risks=tuple(risks_in_words(visit, past)),
                number=numbers.get(visit.patient_id),
                last=last,
                risk=risk_of(visit, past),
                called_today=last is not None and at_clinic(last.at, clinic).date() == today,
            )
        )
    return CallList(to_call=_to_call(rows), done=_done(rows))


def count_to_call(clinic: Clinic, *, now: datetime) -> int:
    return len(call_list(clinic, now=now).to_call)


def _to_call(rows: Sequence[CallRow]) -> tuple[CallRow, ...]:
    """Whoever did not answer a call today waits behind those who were not called yet."""
    return tuple(sorted((row for row in rows if not row.is_done), key=_turn))


def _turn(row: CallRow) -> tuple[bool, int, int, datetime, int]:
    has_rung = row.called_today and row.last is not None and row.last.outcome == CallOutcome.NO_ANSWER
    kind = CAUSES.index(row.cause.kind) if row.cause else len(CAUSES)
    return has_rung, kind, -row.risk, row.visit.starts_at, row.visit.pk


def _done(rows: Sequence[CallRow]) -> tuple[CallRow, ...]:
    called = [(row.last.at, row) for row in rows if row.is_done and row.called_today and row.last is not None]
    return tuple(row for _at, row in sorted(called, key=lambda pair: (pair[0], pair[1].visit.pk), reverse=True))


def _by_visit(tasks: Iterable[CallTask]) -> defaultdict[int, list[CallTask]]:
    found: defaultdict[int, list[CallTask]] = defaultdict(list)
    for task in tasks:
        for visit_id in task.visit_ids:
            found[visit_id].append(task)
    return found


def _visits(clinic: Clinic, *, with_tasks: Collection[int], now: datetime) -> QuerySet[Appointment]:
    """To come, and: booked on the next days with visits, or with such a task, or called today or yesterday."""
    today = at_clinic(now, clinic).date()
    live = Appointment.objects.for_clinic(clinic).filter(LIVE)
    days = live.filter(local_date__gt=today, local_date__lte=today + DAYS_AHEAD).order_by("local_date")
    soon = Q(local_date__in=days.values("local_date").distinct()[:DAYS_WITH_VISITS])
    called = CallAttempt.objects.for_clinic(clinic).filter(at__gt=now - timedelta(days=1), taken_back_at=None)
    before = live.filter(patient_id=OuterRef("patient_id"), starts_at__lt=now)
    missed = before.filter(status=AppointmentStatus.NO_SHOW)
    known = before.filter(status__in=OUTCOMES).order_by("-starts_at")
    return (
        Appointment.objects.for_clinic(clinic)
        .annotate(
            is_soon=ExpressionWrapper(soon, output_field=BooleanField()),
            no_shows=Coalesce(_count(missed), 0),
            last_known=Subquery(known.values("status")[:1]),
            last_call=last_call_of(clinic, visit=OuterRef("pk")),
            was_here=Exists(before.exclude(status=AppointmentStatus.NO_SHOW)),
        )
        .filter(
            Q(is_soon=True, status=AppointmentStatus.BOOKED)
            | Q(pk__in=set(with_tasks))
            | Q(pk__in=called.values("appointment_id")),
            starts_at__gt=now,
        )
        .select_related("patient", "practitioner", "service")
    )


def _count(visits: QuerySet[Appointment]) -> Subquery:
    of_patient = visits.order_by().values("patient_id").annotate(many=Count("pk"))
    return Subquery(of_patient.values("many"), output_field=IntegerField())


def _is_soon(visit: Appointment) -> bool:
    return bool(visit.__dict__["is_soon"])


def _past_of(visit: Appointment) -> Past:
    known = visit.__dict__
    return Past(
        no_shows=known["no_shows"],
        missed_last=known["last_known"] == AppointmentStatus.NO_SHOW,
        was_here=known["was_here"],
    )
