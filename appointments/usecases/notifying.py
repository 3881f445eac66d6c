"""Telling the patient what became of a visit: one message, whose words are chosen when it is sent."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from appointments.events import VISIT
from appointments.message_names import NOTICE
from appointments.models import Appointment, AppointmentChange
from appointments.models.visits import FIRST_VERSION
from messaging.contracts import Person, Subject
from messaging.usecases.sending import NewMessage, cancel_overtaken, queue_messages


@transaction.atomic
def tell_patient(visit: Appointment, *, notice_version: int, now: datetime) -> None:
    """Cancel what is still waiting to be said of older versions, then queue the notice of this one, and with it of those visits
    of its series that the same act booked, moved or cancelled.

    A change that the patient made in a chat is told by the answer to it, and needs no notice of its own; nor does a booking
    of which the patient was told in person. An event older than the visit has nothing to say: the later event's handler speaks.
    """
    patient = Person("patient", visit.patient_id)
    cancel_overtaken(
        visit.clinic_id,
        subject_type=VISIT,
        subject_id=str(visit.pk),
        below_version=visit.notice_version,
        person=patient,
        now=now,
    )
    if notice_version != visit.notice_version or _is_told_in_person(visit) or _is_told_by_an_answer(visit):
        return
    together = _told_together(visit)
    message = NewMessage(
        clinic_id=visit.clinic_id,
        kind=NOTICE,
        person=patient,
        subjects=tuple(Subject(VISIT, str(one.pk), one.notice_version) for one in together),
        expires_at=max(one.starts_at for one in together),
    )
    queue_messages([message], now=now)


def _told_together(visit: Appointment) -> list[Appointment]:
    """Those that the same act made what they are now, itself first in time among them. Whoever comes second has nothing new to say.

    One that has gone elsewhere since is told of by its own notice.
    """
    lines = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(act_id__isnull=False)
    acts = lines.filter(appointment=visit, notice_version=visit.notice_version).values("act_id")
    if visit.series_id is None or not acts:
        return [visit]
    same = lines.filter(
        act_id__in=acts, appointment__series=visit.series_id, notice_version=F("appointment__notice_version")
    )
    ids = [*same.values_list("appointment_id", flat=True), visit.pk]
    return list(Appointment.objects.for_clinic(visit.clinic_id).filter(pk__in=ids).order_by("starts_at", "pk"))


def _is_told_in_person(visit: Appointment) -> bool:
    """Only as it was booked: of what becomes of it later they hear like everybody."""
    return visit.is_told_in_person and visit.notice_version == FIRST_VERSION


def _is_told_by_an_answer(visit: Appointment) -> bool:
    return (
        AppointmentChange.objects.for_clinic(visit.clinic_id)
        .filter(appointment=visit, notice_version=visit.notice_version, inbound_id__isnull=False)
        .exclude(kind__in=["confirmed", "asked_to_move"])
        .exists()
    )
