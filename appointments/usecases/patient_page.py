"""What is pressed on a patient's page. Each visit by itself, and only as it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction

from appointments.errors import AppointmentNotFoundError, ChangedMeanwhileError, NotLiveError, VisitBegunError
from appointments.models import Appointment, PageUse
from appointments.slots import Slot
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from clinicbot.actors import Actor
from messaging.contracts import Category, ConsentSource
from messaging.usecases.consents import grant, withdraw

PRESSES = 30
WINDOW = timedelta(hours=1)
STANDS_OTHERWISE = (AppointmentNotFoundError, NotLiveError, VisitBegunError, ChangedMeanwhileError)


class Done(StrEnum):
    """How much of what was pressed."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A visit and the version of it that the page showed."""

    visit: Appointment
    notice_version: int


@transaction.atomic
def count_press(visit: Appointment, *, real: datetime) -> bool:
    """False where something was pressed too often within the hour."""
    uses = PageUse.objects.for_clinic(visit.clinic_id).select_for_update()
    use, _is_new = uses.get_or_create(clinic=visit.clinic, appointment=visit, defaults={"since": real})
    if real - use.since >= WINDOW:
        use.since, use.presses = real, 0
    if use.presses >= PRESSES:
        return False
    use.presses += 1
    use.save(update_fields=["since", "presses"])
    return True


def confirm_shown(shown: Sequence[Shown], *, now: datetime) -> Done:
    """The patient comes, to each of these. One that no longer stands as it was shown is left as it is."""
    return _done([_confirm(one, now=now) for one in shown])


def cancel_shown(shown: Sequence[Shown], *, reason: str, now: datetime) -> Done:
    """The same for those they do not come to. Cancelled already is cancelled."""
    return _done([_cancel(one, reason=reason, now=now) for one in shown])


def move_shown(shown: Shown, *, slot: Slot, now: datetime) -> bool:
    """False where it no longer stands as it was shown; nothing is moved then.

    Raises:
        SlotTakenError and its like: it cannot go there.
    """
    try:
        reschedule_appointment(
            shown.visit.clinic,
            appointment_id=shown.visit.pk,
            slot=slot,
            actor=_patient_of(shown),
            notice_version=shown.notice_version,
            now=now,
        )
    except STANDS_OTHERWISE:
        return False
    return True


def choose_messages(visit: Appointment, *, contact_id: int, category: Category, wanted: bool, now: datetime) -> None:
    """Whether this contact gets messages of that category from now on."""
    note = grant if wanted else withdraw
    note(
        visit.clinic_id,
        contact_id=contact_id,
        categories=[category],
        source=ConsentSource.PATIENT_PAGE,
        actor=Actor.patient(visit.patient_id),
        now=now,
    )


def _done(stood: Sequence[bool]) -> Done:
    if not any(stood):
        return Done.NONE
    return Done.ALL if all(stood) else Done.SOME


def _confirm(shown: Shown, *, now: datetime) -> bool:
    try:
        confirm_appointment(
            shown.visit.clinic,
            appointment_id=shown.visit.pk,
            actor=_patient_of(shown),
            notice_version=shown.notice_version,
            now=now,
        )
    except STANDS_OTHERWISE:
        return False
    return True


def _cancel(shown: Shown, *, reason: str, now: datetime) -> bool:
    try:
        cancel_appointment(
            shown.visit.clinic,
            appointment_id=shown.visit.pk,
            actor=_patient_of(shown),
            reason=reason,
            notice_version=shown.notice_version,
            now=now,
        )
    except STANDS_OTHERWISE:
        return False
    return True


def _patient_of(shown: Shown) -> Actor:
    return Actor.patient(shown.visit.patient_id)
