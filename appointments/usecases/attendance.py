"""Who came: here, in the chair, done, or not at all. One tap each; the patient is told nothing of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from appointments.errors import (
    NotLateError,
    NotLiveError,
    NotOnTheDayError,
    PresenceNotedError,
    ReasonMissingError,
    VisitNotBegunError,
)
from appointments.events import AppointmentRestored
from appointments.models import OPEN, Appointment, AppointmentStatus, ChangeKind
from appointments.queries.visits import not_open_since, open_status_before
from appointments.slots import HERE_WITHIN
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import derive_again, lock_visit
from appointments.usecases.standing import save_standing
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from outbox.usecases.publishing import publish

LATE_WITHIN = timedelta(hours=24)
"""Who cancels later than so long before the visit cancels late."""


@dataclass(frozen=True, slots=True)
class _Noted:
    """What a visit's columns will say. What is not given was not, or is taken back."""

    kind: ChangeKind
    status: AppointmentStatus
    arrived_at: datetime | None = None
    seated_at: datetime | None = None
    finished_at: datetime | None = None


@transaction.atomic
def check_in(clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime) -> Appointment:
    """They are here. Noted already: nothing changes. Who comes after all is no longer a no show.

    Raises:
        AppointmentNotFoundError, NotLiveError: there is nobody to come.
        NotOnTheDayError: the visit is on another day.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.arrived_at is not None or visit.status == AppointmentStatus.ATTENDED:
        return visit
    _check_on_the_day(visit, now=now)
    noted = _Noted(ChangeKind.ARRIVED, AppointmentStatus.ARRIVED, arrived_at=now)
    return _note(visit, noted, actor=actor, now=now)


@transaction.atomic
def take_in(clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime) -> Appointment:
    """They sit in the chair, and so are here. Noted already: nothing changes. Raises as `check_in` does."""
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.seated_at is not None or visit.status == AppointmentStatus.ATTENDED:
        return visit
    _check_on_the_day(visit, now=now)
    arrived_at = visit.arrived_at or now
    noted = _Noted(ChangeKind.SEATED, AppointmentStatus.ARRIVED, arrived_at=arrived_at, seated_at=now)
    return _note(visit, noted, actor=actor, now=now)


@transaction.atomic
def finish_visit(clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime, reason: str = "") -> Appointment:
    """They came, and it is over. Noted already: nothing changes. Of who was never noted as here nobody knows until when.

    reason: why an outcome that was noted before is another.

    Raises:
        AppointmentNotFoundError, NotLiveError: there was nobody to come.
        VisitNotBegunError: it is still to come, and nobody is here for it.
        ReasonMissingError: another outcome was noted.
        SlotTakenError, TimeInGapError: it was cancelled late, and somebody else has had the time since, or there is none such.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.status == AppointmentStatus.ATTENDED:
        return visit
    derive_again(visit, now=now)
    _check_outcome_may_change(visit, reason=reason)
    is_here = visit.arrived_at is not None
    if not is_here:
        _check_begun(visit, now=now)
    noted = _Noted(
        ChangeKind.ATTENDED,
        AppointmentStatus.ATTENDED,
        arrived_at=visit.arrived_at,
        seated_at=visit.seated_at,
        finished_at=now if is_here else None,
    )
    return _note(visit, noted, actor=actor, now=now, reason=reason)


@transaction.atomic
def mark_no_show(clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime, reason: str = "") -> Appointment:
    """They did not come. Noted already: nothing changes.

    reason: why somebody who was noted as here was not, or why an outcome that was noted before is another.

    Raises:
        AppointmentNotFoundError, NotLiveError: there was nobody to come.
        VisitNotBegunError: they may still come.
        PresenceNotedError: they were noted as here, and nobody says why they were not.
        ReasonMissingError, SlotTakenError, TimeInGapError: as in `finish_visit`.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.status == AppointmentStatus.NO_SHOW:
        return visit
    derive_again(visit, now=now)
    _check_absent(visit, reason=reason)
    _check_begun(visit, now=now)
    noted = _Noted(ChangeKind.NO_SHOW, AppointmentStatus.NO_SHOW)
    return _note(visit, noted, actor=actor, now=now, reason=reason)


@transaction.atomic
def mark_late_cancel(
    clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime, reason: str = ""
) -> Appointment:
    """They said too late that they would not come; the time is free again. Noted already: nothing changes.

    reason: as in `mark_no_show`.

    Raises:
        AppointmentNotFoundError, NotLiveError: there was nobody to come.
        NotLateError: there is a day to go, so it is an ordinary cancellation.
        PresenceNotedError, ReasonMissingError: as in `mark_no_show`.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.status == AppointmentStatus.CANCELLED_LATE:
        return visit
    _check_absent(visit, reason=reason)
    if visit.starts_at - now > LATE_WITHIN:
        raise NotLateError
    noted = _Noted(ChangeKind.CANCELLED_LATE, AppointmentStatus.CANCELLED_LATE)
    return _note(visit, noted, actor=actor, now=now, reason=reason)


@transaction.atomic
def clear_attendance(clinic: Clinic, *, appointment_id: int, actor: Actor, now: datetime, reason: str) -> Appointment:
    """All that was noted of who came was wrong, whenever that was: the visit is as before. Nothing noted: nothing changes.

    Raises:
        AppointmentNotFoundError, NotLiveError: it was cancelled.
        ReasonMissingError: nobody says why.
        SlotTakenError, TimeInGapError: as in `finish_visit`.
    """
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if visit.status in OPEN:
        return visit
    derive_again(visit, now=now)
    _check_outcome_may_change(visit, reason=reason)
    if not tidy(reason):
        raise ReasonMissingError
    since = not_open_since(visit)
    noted = _Noted(ChangeKind.UNDONE, open_status_before(visit))
    visit = _note(visit, noted, actor=actor, now=now, reason=reason)
    if visit.starts_at > now:
        publish(AppointmentRestored.of_change(visit, since=since), now=now)
    return visit


def _check_on_the_day(visit: Appointment, *, now: datetime) -> None:
    if not visit.is_live:
        raise NotLiveError
    if not visit.starts_at - HERE_WITHIN <= now <= visit.ends_at + HERE_WITHIN:
        raise NotOnTheDayError


def _check_begun(visit: Appointment, *, now: datetime) -> None:
    if visit.starts_at > now:
        raise VisitNotBegunError


def _check_outcome_may_change(visit: Appointment, *, reason: str) -> None:
    if not visit.is_live and visit.status != AppointmentStatus.CANCELLED_LATE:
        raise NotLiveError
    if visit.has_outcome and not tidy(reason):
        raise ReasonMissingError


def _check_absent(visit: Appointment, *, reason: str) -> None:
    if visit.arrived_at is not None and not tidy(reason):
        raise PresenceNotedError
    _check_outcome_may_change(visit, reason=reason)


def _note(visit: Appointment, noted: _Noted, *, actor: Actor, now: datetime, reason: str = "") -> Appointment:
    before = facts_of(visit)
    visit.status = noted.status
    visit.arrived_at, visit.seated_at, visit.finished_at = noted.arrived_at, noted.seated_at, noted.finished_at
    save_standing(visit, before=before, now=now)
    record_change(visit, kind=noted.kind, actor=actor, now=now, before=before, reason=tidy(reason))
    return visit
