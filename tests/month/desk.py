"""What the desk does with visits, drawn: each act goes through the use case, and what succeeded is told to the history."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from appointments.models import LIVE, PRESENT_OR_OVER, Appointment
from appointments.slots import Slot, slot_of
from appointments.usecases.booking import (
    book_appointment,
    cancel_appointment,
    confirm_appointment,
    reschedule_appointment,
)
from clinicbot import clock
from clinicbot.errors import ClinicBotError
from messaging.usecases.contacts import clear_wrong_number
from messaging.usecases.tasks import finish_tasks_of
from tests.appointments.making import DESK
from tests.month.cast import PractitionerPart
from tests.month.oracle.facts import (
    Act,
    Booked,
    Cancelled,
    ConfirmedAtDesk,
    Moved,
    NumberIsRight,
    PatientFacts,
    TaskDone,
)
from tests.month.world import Practice, World

TRIES = 40
ANYBODY = 0.55
MINUTES = 30
LEADS = ((1, 12), (12, 36), (36, 96), (96, 24 * 9), (24 * 9, 24 * 21))
"""Hours from the act to the visit: each as likely as the others."""


class Desk:
    """`visits`: the numbers of the history, by our rows' own."""

    def __init__(self, world: World, patients: Sequence[PatientFacts], dice: random.Random) -> None:
        self._world, self._dice = world, dice
        self._patients = {patient.key: patient for patient in patients}
        self._keys = {patient.pk: key for key, patient in world.patients.items()}
        self.acts: Mapping[str, Callable[[Practice], Act | None]] = {
            "book": self._book,
            "move": self._move,
            "reassign": self._reassign,
            "change_room": self._change_room,
            "cancel": self._cancel,
            "confirm": self._confirm,
        }
        self._last: dict[str, int] = {}

    def act_on_newest(self, what: str, practice: Practice) -> Act | None:
        """As drawn acts do, but with the visit that was booked or changed last."""
        pk = self._last.get(practice.part.key, 0)
        visit = Appointment.objects.for_clinic(practice.clinic).filter(pk=pk).first()
        if visit is None or not visit.can_change(now=clock.now()):
            return None
        return self._move(practice, visit) if what == "move" else self._cancel(practice, visit)

    def finish_task(self, phone: str) -> Act | None:
        """What was passed on to the desk from that phone; None where nothing was."""
        contact, now = self._world.contact_of(phone), clock.now()
        if not finish_tasks_of(contact.clinic_id, unique_key=f"contact:{contact.pk}:unclear", now=now):
            return None
        return TaskDone(at=now, phone=phone)

    def set_number_right(self, phone: str) -> Act | None:
        contact = self._world.contact_of(phone)
        is_news = clear_wrong_number(contact.clinic_id, contact_id=contact.pk)
        return NumberIsRight(at=clock.now(), phone=phone) if is_news else None

    def _book(self, practice: Practice) -> Act | None:
        coming = self._coming(practice)
        patient, day = self._whom_to_book(practice, coming)
        for _ in range(TRIES):
            slot, who = self._draw_slot(practice, day=day)
            day = None if self._dice.random() < 0.2 else day
            if slot is None or self._is_elsewhere_then(coming, patient, slot):
                continue
            now = clock.now()
            try:
                visit = book_appointment(
                    practice.clinic,
                    patient=self._world.patients[patient.key],
                    slot=slot,
                    service=practice.service,
                    actor=DESK,
                    now=now,
                )
            except ClinicBotError:
                continue
            self._last[practice.part.key] = visit.pk
            return Booked(
                at=now,
                visit=visit.pk,
                patient=patient.key,
                practitioner=who.name,
                day=slot.local_date,
                time=slot.local_time,
                minutes=MINUTES,
            )
        return None

    def _whom_to_book(self, practice: Practice, coming: Sequence[Appointment]) -> tuple[PatientFacts, date | None]:
        """Anybody; or somebody of a household that comes already, on the same day."""
        mine = [patient for patient in self._patients.values() if patient.clinic == practice.part.key]
        if not coming or self._dice.random() < ANYBODY:
            return self._dice.choice(mine), None
        phone = self._dice.choice(sorted({self._patient_of(visit).phone for visit in coming}))
        days = [visit.local_date for visit in coming if self._patient_of(visit).phone == phone]
        return self._dice.choice([patient for patient in mine if patient.phone == phone]), self._dice.choice(days)

    def _move(self, practice: Practice, visit: Appointment | None = None) -> Act | None:
        visit = visit or self._draw_visit(practice)
        if visit is None:
            return None
        others = [other for other in self._coming(practice) if other != visit]
        for _ in range(TRIES):
            slot, _who = self._draw_slot(practice, day=None)
            if slot is None or self._is_elsewhere_then(others, self._patient_of(visit), slot):
                continue
            if act := self._put(practice, visit, slot):
                return act
        return None

    def _reassign(self, practice: Practice) -> Act | None:
        """Somebody else at the same time."""
        visit = self._draw_visit(practice)
        if visit is None:
            return None
        others = [
            who
            for who in practice.part.practitioners
            if practice.practitioners[who.name].pk != visit.practitioner_id
            and who.works(visit.local_date, visit.local_time, minutes=MINUTES)
        ]
        for who in others:
            slot = replace(
                slot_of(visit),
                practitioner_id=practice.practitioners[who.name].pk,
                room_id=practice.rooms[who.name].pk,
            )
            if act := self._put(practice, visit, slot):
                return act
        return None

    def _change_room(self, practice: Practice) -> Act | None:
        """Nobody hears of it, so the history has no such act."""
        if visit := self._draw_visit(practice):
            self._put(practice, visit, replace(slot_of(visit), room_id=practice.spare.pk))
        return None

    def _cancel(self, practice: Practice, visit: Appointment | None = None) -> Act | None:
        visit = visit or self._draw_visit(practice)
        if visit is None:
            return None
        now = clock.now()
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now, reason="ill")
        return Cancelled(at=now, visit=visit.pk)

    def _confirm(self, practice: Practice) -> Act | None:
        visit = self._draw_visit(practice)
        if visit is None:
            return None
        now = clock.now()
        confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
        return ConfirmedAtDesk(at=now, visit=visit.pk)

    def _put(self, practice: Practice, visit: Appointment, slot: Slot) -> Act | None:
        now = clock.now()
        try:
            reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
        except ClinicBotError:
            return None
        self._last[practice.part.key] = visit.pk
        names = {practitioner.pk: name for name, practitioner in practice.practitioners.items()}
        return Moved(
            at=now,
            visit=visit.pk,
            practitioner=names[slot.practitioner_id],
            day=slot.local_date,
            time=slot.local_time,
        )

    def _draw_slot(self, practice: Practice, *, day: date | None) -> tuple[Slot | None, PractitionerPart]:
        who = self._dice.choice(practice.part.practitioners)
        least, most = self._dice.choice(LEADS)
        local = (clock.now() + timedelta(hours=self._dice.uniform(least, most))).astimezone(
            ZoneInfo(practice.clinic.zone)
        )
        day = day or local.date()
        begins, ends = who.hours.get(day.weekday(), (time(8), time(20)))
        at = time(self._dice.randrange(begins.hour, ends.hour), self._dice.choice((0, 30)))
        if not who.works(day, at, minutes=MINUTES):
            return None, who
        slot = Slot(
            practitioner_id=practice.practitioners[who.name].pk,
            room_id=practice.rooms[who.name].pk,
            local_date=day,
            local_time=at,
            zone=practice.clinic.zone,
            duration_minutes=MINUTES,
        )
        return slot, who

    def _draw_visit(self, practice: Practice) -> Appointment | None:
        coming = self._coming(practice)
        return self._dice.choice(coming) if coming else None

    def _coming(self, practice: Practice) -> list[Appointment]:
        """Not of whom the desk has noted as here."""
        visits = Appointment.objects.for_clinic(practice.clinic).filter(LIVE, starts_at__gt=clock.now())
        return list(visits.exclude(status__in=PRESENT_OR_OVER).order_by("pk"))

    def _patient_of(self, visit: Appointment) -> PatientFacts:
        return self._patients[self._keys[visit.patient_id]]

    def _is_elsewhere_then(self, coming: Sequence[Appointment], patient: PatientFacts, slot: Slot) -> bool:
        wanted = datetime.combine(slot.local_date, slot.local_time)
        return any(
            self._patient_of(visit) == patient
            and abs(datetime.combine(visit.local_date, visit.local_time) - wanted) < timedelta(minutes=MINUTES)
            for visit in coming
        )
