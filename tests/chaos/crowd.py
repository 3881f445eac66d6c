"""The patients: half are booked while everything dies around them, half have a reminder due.

python -m tests.chaos.crowd set-up COUNT    two clinics, their numbers, COUNT patients with a phone each; prints the phones
python -m tests.chaos.crowd import          a visit tomorrow for every second patient, whose reminder is due now
python -m tests.chaos.crowd book SECONDS    a visit next week for the others, one transaction each, spread over so long
python -m tests.chaos.crowd left            how many messages and deliveries are still open, and how they stand, as JSON
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

import django

django.setup()

from django.db import OperationalError, close_old_connections  # noqa: E402

from appointments.models import Patient, Practitioner, ReminderRule, Service, WorkingHours  # noqa: E402
from appointments.slots import Slot  # noqa: E402
from appointments.usecases.booking import book_appointment  # noqa: E402
from appointments.usecases.importing import import_visit  # noqa: E402
from appointments.usecases.people import NewPatient, add_patient  # noqa: E402
from clinicbot import clock  # noqa: E402
from clinicbot.actors import Actor  # noqa: E402
from clinicbot.models import Clinic  # noqa: E402
from messaging.contracts import Category  # noqa: E402
from messaging.models import Attempt, Message, MessageState, MessageTemplate, StaffTask  # noqa: E402
from messaging.usecases.setting_up import add_whatsapp_account  # noqa: E402
from outbox.models import OutboxDelivery  # noqa: E402
from scheduler.models import ScheduledJob  # noqa: E402
from tests.chaos.world import ACCOUNTS, TOKEN  # noqa: E402

PRACTITIONERS = 12
TEMPLATES = ("visit_booked", "visit_reminder_ask")
STEP = timedelta(minutes=30)
PAUSE = threading.Event()
DAY_BEGINS, DAY_ENDS = time(8), time(20)


def set_up(count: int) -> None:
    now = clock.now()
    for number, account in enumerate(ACCOUNTS):
        clinic = Clinic.objects.create(
            name=f"Clínica {number}",
            slug=f"chaos-{number}",
            zone="Europe/Madrid",
            country="ES",
            language="es",
            phone="1",
        )
        _staff(clinic)
        ReminderRule.objects.create(clinic=clinic, hours_before=48)
        add_whatsapp_account(
            clinic,
            label="Chaos",
            number_id=account.number_id,
            business_id=account.business_id,
            number=account.number,
            token=TOKEN,
            now=now,
        )
        for index in range(number, count, len(ACCOUNTS)):
            phone = f"+346{10_000_000 + index:08d}"
            newcomer = NewPatient(full_name="Ana", language="es", phone=phone, agreed_to=[Category.VISITS])
            add_patient(clinic, newcomer=newcomer, actor=Actor.system(), now=now)
            sys.stdout.write(f"{phone}\n")


def _staff(clinic: Clinic) -> None:
    Service.objects.create(clinic=clinic, name="Check-up", duration_minutes=30)
    for number in range(PRACTITIONERS):
        practitioner = Practitioner.objects.create(clinic=clinic, full_name=f"Dr. {number}", initials="D")
        WorkingHours.objects.bulk_create(
            WorkingHours(clinic=clinic, practitioner=practitioner, weekday=weekday, begins=DAY_BEGINS, ends=DAY_ENDS)
            for weekday in range(7)
        )


def import_visits() -> None:
    """As if written down long ago, so that the reminder of two days before is due."""
    now = clock.now()
    for clinic in Clinic.objects.order_by("pk"):
        service = Service.objects.for_clinic(clinic).get()
        slots = _slots(clinic, from_day=now.date() + timedelta(days=1))
        for patient in _patients(clinic)[::2]:
            import_visit(clinic, patient=patient, slot=next(slots), service=service, now=now - timedelta(days=9))


def book_visits(seconds: float) -> None:
    """Each booking is tried until it stands, as a receptionist would; the same wish again is the same visit."""
    pause_seconds = 2 * seconds / Patient.unscoped.count()
    for clinic in Clinic.objects.order_by("pk"):
        service = Service.objects.for_clinic(clinic).get()
        slots = _slots(clinic, from_day=clock.now().date() + timedelta(days=8))
        for patient in _patients(clinic)[1::2]:
            slot = next(slots)
            while not _book(clinic, patient=patient, slot=slot, service=service):
                close_old_connections()
            PAUSE.wait(pause_seconds)


def _book(clinic: Clinic, *, patient: Patient, slot: Slot, service: Service) -> bool:
    try:
        book_appointment(clinic, patient=patient, slot=slot, service=service, actor=Actor.system(), now=clock.now())
    except OperationalError:  # The database is being restarted.
        return False
    return True


def _patients(clinic: Clinic) -> list[Patient]:
    return list(Patient.objects.for_clinic(clinic).order_by("pk"))


def _slots(clinic: Clinic, *, from_day: date) -> Iterator[Slot]:
    practitioners = list(Practitioner.objects.for_clinic(clinic).order_by("pk"))
    for offset in range(60):
        day = from_day + timedelta(days=offset)
        at = datetime.combine(day, DAY_BEGINS)
        while at + STEP <= datetime.combine(day, DAY_ENDS):
            for practitioner in practitioners:
                yield Slot(
                    practitioner_id=practitioner.pk,
                    room_id=None,
                    local_date=day,
                    local_time=at.time(),
                    zone=clinic.zone,
                    duration_minutes=30,
                )
            at += STEP


def left() -> None:
    approved = MessageTemplate.unscoped.filter(status="APPROVED", name__in=TEMPLATES, language="es").count()
    states = {
        "deliveries": Counter(OutboxDelivery.unscoped.values_list("state", flat=True)),
        "due_jobs": Counter(
            ScheduledJob.unscoped.filter(kind="appointments.send_reminder", run_at__lte=clock.now()).values_list(
                "state", flat=True
            )
        ),
        "messages": Counter(f"{state}:{why}" for state, why in Message.unscoped.values_list("state", "reason")),
        "attempts": Counter(Attempt.unscoped.values_list("state", flat=True)),
        "marked_possibly_twice": Attempt.unscoped.filter(possibly_twice=True).count(),
        "tasks": Counter(StaffTask.unscoped.filter(state="open").values_list("reason", flat=True)),
        "approved_templates": approved,
        "phones_in_doubt": sorted(
            Attempt.unscoped.filter(message__state=MessageState.UNKNOWN, message__tasks__state="open").values_list(
                "contact__address", flat=True
            )
        ),
    }
    sys.stdout.write(json.dumps(states))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["set-up", count]:
            set_up(int(count))
        case ["import"]:
            import_visits()
        case ["book", seconds]:
            book_visits(float(seconds))
        case ["left"]:
            left()
