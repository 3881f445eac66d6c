"""The patients: half are booked, half have a reminder due, while everything dies around them.

python -m tests.chaos.crowd set-up COUNT    two clinics, their numbers, COUNT patients with a phone each; prints the phones
python -m tests.chaos.crowd import          a visit tomorrow for every fourth patient, whose reminder is due now
python -m tests.chaos.crowd visits SECONDS  one for the others, spread over so long: a second quarter of such visits, half of all
                                            next week; and a schedule that comes due now with every fifth
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import django

django.setup()

from django.db import OperationalError, close_old_connections  # noqa: E402

from appointments.job_args import SendReminder  # noqa: E402
from appointments.models import Patient, Practitioner, ReminderRule, SendHours, Service, WorkingHours  # noqa: E402
from appointments.slots import Slot  # noqa: E402
from appointments.usecases.booking import book_appointment  # noqa: E402
from appointments.usecases.importing import import_visit  # noqa: E402
from appointments.usecases.people import NewPatient, add_patient  # noqa: E402
from clinicbot import clock  # noqa: E402
from clinicbot.actors import Actor  # noqa: E402
from clinicbot.models import Clinic  # noqa: E402
from messaging.contracts import Category  # noqa: E402
from messaging.job_args import SyncTemplates  # noqa: E402
from messaging.models import SendingAccount  # noqa: E402
from messaging.usecases.setting_up import add_whatsapp_account  # noqa: E402
from scheduler.conf import LEASE_MARGIN_SECONDS  # noqa: E402
from scheduler.contracts import find_kind  # noqa: E402
from scheduler.errors import ScheduleKeyTakenError  # noqa: E402
from scheduler.models import ScheduledJob  # noqa: E402
from scheduler.usecases.claiming import claim_batch  # noqa: E402
from scheduler.usecases.occurrences import Recurrence  # noqa: E402
from scheduler.usecases.rotation import Rotation  # noqa: E402
from scheduler.usecases.scheduling import create_schedule  # noqa: E402
from tests.appointments.making import gives_all  # noqa: E402
from tests.canary.values import ANA, PHONE_OF_CONTACT  # noqa: E402
from tests.chaos.world import ACCOUNTS, TOKEN  # noqa: E402

TEMPLATES = ("visit_booked", "visit_reminder_ask")
HOLIDAY_OR_NOT = "chaos knows no holidays"
LOOK_KEY, LOOK_EVERY = "chaos:", 6
ABANDONED, ABANDON_FIRST, ABANDON_SECONDS = 2, 12, 6
STEP = timedelta(minutes=30)
PAUSE = threading.Event()
DAY_BEGINS, NOON, DAY_ENDS = time(8), time(14), time(20)
STEPS_A_HALF_DAY = 12
Wish = tuple[Callable[..., None], Clinic, Patient, Slot]


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
        _staff(clinic, patients=-(-count // len(ACCOUNTS)))
        ReminderRule.objects.create(clinic=clinic, hours_before=48)
        SendHours.objects.create(clinic=clinic, begins=time(0), ends=time(23, 59), on_closed_days=True)
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
            phone = PHONE_OF_CONTACT.format(index)
            newcomer = NewPatient(full_name=ANA, language="es", phone=phone, agreed_to=[Category.VISITS])
            add_patient(clinic, newcomer=newcomer, actor=Actor.system(), now=now)
            sys.stdout.write(f"{phone}\n")


def _staff(clinic: Clinic, *, patients: int) -> None:
    """As many as see a quarter of the patients in one morning: who has a visit tomorrow has a reminder due."""
    Service.objects.create(clinic=clinic, name="Check-up", duration_minutes=30)
    for number in range(1 + patients // 4 // STEPS_A_HALF_DAY):
        practitioner = Practitioner.objects.create(clinic=clinic, full_name=f"Dr. {number}", initials="D")
        WorkingHours.objects.bulk_create(
            WorkingHours(clinic=clinic, practitioner=practitioner, weekday=weekday, begins=DAY_BEGINS, ends=DAY_ENDS)
            for weekday in range(7)
        )
    gives_all(clinic)


def import_visits() -> None:
    """The reminders of every fourth patient; the others' come up one by one, later."""
    for clinic in Clinic.objects.order_by("pk"):
        slots = _slots(clinic, from_day=clock.now().date() + timedelta(days=1))
        for patient in _patients(clinic)[::4]:
            _import(clinic, patient=patient, slot=next(slots))


def make_visits(seconds: float) -> None:
    """Each wish is tried until it stands, as a receptionist would; the same wish again is the same visit."""
    begun = clock.now()
    clinics = list(Clinic.objects.order_by("pk"))
    coming = list(itertools.chain.from_iterable(zip(*(_wishes(clinic) for clinic in clinics), strict=True)))
    for number, (make, clinic, patient, slot) in enumerate(coming):
        _insist(make, clinic, patient=patient, slot=slot)
        if number % LOOK_EVERY == 0:
            _insist(_plan_a_look, clinic, number=number)
        if number < ABANDON_FIRST:
            _insist(_abandon_jobs, clinic, lapse_in_seconds=ABANDON_SECONDS + number)
        is_early_by = begun + timedelta(seconds=seconds * number / len(coming)) - clock.now()
        PAUSE.wait(max(0.0, is_early_by.total_seconds()))


def _wishes(clinic: Clinic) -> list[Wish]:
    """Of the patients that have no visit yet: one of three is written down late, the others are for next week."""
    today = clock.now().date()
    due = _slots(clinic, from_day=today + timedelta(days=1), beginning_at=NOON)
    next_week = _slots(clinic, from_day=today + timedelta(days=8))
    without = [(number, patient) for number, patient in enumerate(_patients(clinic)) if number % 4]
    return [
        (_import, clinic, patient, next(due)) if number % 4 == 2 else (_book, clinic, patient, next(next_week))
        for number, patient in without
    ]


def _insist(make: Callable[..., None], clinic: Clinic, **wish: Any) -> None:
    while True:
        try:
            return make(clinic, **wish)
        except OperationalError:  # The database is being restarted.
            close_old_connections()


def _import(clinic: Clinic, *, patient: Patient, slot: Slot) -> None:
    """As if written down long ago, so that the reminder of two days before is due."""
    now = clock.now()
    service = Service.objects.for_clinic(clinic).get()
    booked_at = now - timedelta(days=9)
    import_visit(
        clinic,
        patient=patient,
        slot=slot,
        service=service,
        remind_from=booked_at.date(),
        override=HOLIDAY_OR_NOT,
        now=booked_at,
    )


def _book(clinic: Clinic, *, patient: Patient, slot: Slot) -> None:
    service = Service.objects.for_clinic(clinic).get()
    book_appointment(
        clinic,
        patient=patient,
        slot=slot,
        service=service,
        actor=Actor.system(),
        override=HOLIDAY_OR_NOT,
        now=clock.now(),
    )


def _plan_a_look(clinic: Clinic, *, number: int) -> None:
    """A recurring look at the templates that comes true exactly once, and that is now."""
    account = SendingAccount.objects.for_clinic(clinic).get()
    now = clock.now()
    with contextlib.suppress(ScheduleKeyTakenError):  # It was made just before the database went.
        create_schedule(
            clinic.pk,
            SyncTemplates(account_id=account.pk),
            key=f"{LOOK_KEY}{number}",
            recurrence=Recurrence(cron="* * * * *", zone=clinic.zone, ends_at=now),
            actor=Actor.system(),
            now=now - timedelta(minutes=1),
        )


def _abandon_jobs(clinic: Clinic, *, lapse_in_seconds: float) -> None:
    """Two reminders are in the hands of a process that went silent long ago, so that their lease ends soon. One of them alone
    would be charged with the crash.
    """
    reading = clock.read()
    kind = find_kind(SendReminder.kind)
    assert kind is not None
    due = ScheduledJob.objects.for_clinic(clinic).filter(kind=kind.name, state="queued", run_at__lte=reading.now)
    if due.count() < ABANDONED:
        return
    claim_batch(
        kind.queue,
        Rotation.starting_at(0, [(kind.priority, clinic.pk)]),
        now=reading.now,
        real=reading.real,
        ends_at=reading.real + timedelta(seconds=lapse_in_seconds - kind.time_limit_seconds - LEASE_MARGIN_SECONDS),
        size=ABANDONED,
    )


def _patients(clinic: Clinic) -> list[Patient]:
    return list(Patient.objects.for_clinic(clinic).order_by("pk"))


def _slots(clinic: Clinic, *, from_day: date, beginning_at: time = DAY_BEGINS) -> Iterator[Slot]:
    practitioners = list(Practitioner.objects.for_clinic(clinic).order_by("pk"))
    for offset in range(60):
        day = from_day + timedelta(days=offset)
        at = datetime.combine(day, beginning_at)
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


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["set-up", count]:
            set_up(int(count))
        case ["import"]:
            import_visits()
        case ["visits", seconds]:
            make_visits(float(seconds))
