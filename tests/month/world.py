"""The product itself at both clinics, the simulator in its own process, and the clock of both, moved on by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Min
from django.test import override_settings

from appointments.models import Closure, Patient, Practitioner, Room, Service, WorkingHours
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.people import NewPatient, add_patient
from clinicbot import clock
from clinicbot.models import Clinic
from messaging.contracts import Category
from messaging.models import Contact, Message, MessageTemplate
from messaging.models.messages import WAITING
from messaging.texts.definitions import wanted_templates
from messaging.usecases.setting_up import add_whatsapp_account
from scheduler.models import ScheduledJob, StepClock
from scheduler.queries import next_run_at
from scheduler.usecases.stopping import StopSignal
from scheduler.usecases.ticking import Source, run_tick
from tests.appointments.making import DESK, gives_all
from tests.month.cast import CLINICS, ClinicPart
from tests.month.oracle.facts import PatientFacts
from tests.month.reading import Heard, read
from tests.month.trouble import Closing
from tests.simulator.running import Simulator, running_simulator

TOKEN = "month-token"
TICK_SECONDS = 50.0
"""As cron's. On a busy machine a short tick would leave something for the next one."""
LONGEST_WAIT_SECONDS = 0.5
TEMPLATE_TICKS = 10
MOST_AT_ONCE = 60
"""All of a tick go in one wave, so that what a phone gets of it stands there in the order in which it was written."""
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
NO_LIMITS = {"throughput": False, "pair": False, "tier": False}


class HardlyWaiting(StopSignal):
    """Ends a tick that would wait for a retry: the next is minutes away by our clock, and at once by the machine's."""

    def wait(self, seconds: float) -> bool:
        if seconds > LONGEST_WAIT_SECONDS:
            self.set()
        return super().wait(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """One clinic's rows. `practitioners` are called as in the cast; each has a room, and there is one to spare."""

    part: ClinicPart
    clinic: Clinic
    practitioners: Mapping[str, Practitioner]
    rooms: Mapping[str, Room]
    spare: Room
    service: Service


@dataclass(kw_only=True)
class World:
    simulator: Simulator
    is_provider_up: bool = True
    ticked_at: datetime = LONG_AGO
    practices: dict[str, Practice] = field(default_factory=dict)
    patients: dict[str, Patient] = field(default_factory=dict)
    _numbers: dict[int, str] = field(default_factory=dict)
    _seen: int = 0

    def go_to(self, moment: datetime) -> None:
        """Both clocks; at a moment that has passed they run on."""
        by = moment - clock.now()
        if by <= timedelta(0):
            return
        clock.move_forward(by)
        if self.is_provider_up:
            self.simulator.set_clock(clock.now())

    def rest(self) -> None:
        """Steps that run once in so many seconds may run at the next tick: for us minutes pass in a moment."""
        StepClock.objects.all().delete()

    def cut_the_provider_off(self) -> None:
        """Connections are refused."""
        self.simulator.settle(hurry_retries=True, hurry_receipts=True)
        self.simulator.stop()
        self.is_provider_up = False

    def bring_the_provider_back(self) -> None:
        self.simulator.start()
        self.is_provider_up = True
        self.simulator.set_clock(clock.now())

    def tick(self, *, may_wait: bool = False) -> Sequence[Heard]:
        """One run of the tick, and what the phones got of it."""
        if self.is_provider_up:
            self.simulator.settle(hurry_retries=True, hurry_receipts=True)  # What was tapped is with us.
        self.ticked_at = clock.now()
        run_tick(budget_seconds=TICK_SECONDS, source=Source.LOOP, stop=None if may_wait else HardlyWaiting())
        return self._hear() if self.is_provider_up else ()

    def next_due(self, *, now: datetime) -> datetime | None:
        """When the product wants to do something next."""
        waiting = Message.unscoped.filter(state__in=WAITING).aggregate(first=Min("due_at"))["first"]
        moments = [moment for moment in (next_run_at(now=now), waiting) if moment is not None]
        return min(moments, default=None)

    def number_id_of(self, phone: str) -> str:
        """Of the clinic's number to which that phone writes."""
        return next(part.number_id for part in CLINICS if phone.startswith(part.phones))

    def contact_of(self, phone: str) -> Contact:
        return Contact.unscoped.get(address=phone)

    @property
    def practitioner_names(self) -> Mapping[int, str]:
        """By the number of our row."""
        return {who.pk: name for practice in self.practices.values() for name, who in practice.practitioners.items()}

    def zone_of(self, key: str) -> ZoneInfo:
        return ZoneInfo(self.practices[key].clinic.zone)

    def _hear(self) -> Sequence[Heard]:
        """In an order that does not hang on which thread was first."""
        rows = self.simulator.messages(direction="out", after=self._seen)
        self._seen = max((row["id"] for row in rows), default=self._seen)
        heard = [read(row, phone=self._number_of(row["phone_id"])) for row in rows]
        return sorted(heard, key=lambda one: (one.phone, str(one.shown)))

    def _number_of(self, phone_id: int) -> str:
        if phone_id not in self._numbers:
            self._numbers = {phone["id"]: phone["number"] for phone in self.simulator.phones()}
        return self._numbers[phone_id]

    def open(self, patients: Sequence[PatientFacts], *, closings: Sequence[Closing]) -> None:
        """Set up both clinics: everything but visits, and each template approved."""
        self.simulator.provision(
            accounts=[_account(part) for part in CLINICS],
            knobs={"receipts": {"instant": True}, "switches": {"review_seconds": 0}, "limits": NO_LIMITS},
        )
        for number in {patient.phone for patient in patients}:
            self.simulator.phone(number)
        for part in CLINICS:
            self.practices[part.key] = _make_practice(part, now=clock.now())
        for closing in closings:
            _close(self.practices[closing.clinic], closing)
        for patient in patients:
            self.patients[patient.key] = self._add_patient(patient)
        for _ in range(TEMPLATE_TICKS):
            if MessageTemplate.unscoped.filter(status="APPROVED").count() == len(CLINICS) * len(wanted_templates()):
                return
            self.go_to(clock.now() + timedelta(minutes=1))
            self.tick(may_wait=True)
        raise AssertionError(f"The templates are not approved: {_what_is_amiss()}")

    def _add_patient(self, patient: PatientFacts) -> Patient:
        newcomer = NewPatient(
            full_name=f"{patient.first_name} Roca",
            phone=patient.phone,
            language=patient.language,
            agreed_to=(Category.VISITS,),
        )
        return add_patient(self.practices[patient.clinic].clinic, newcomer=newcomer, actor=DESK, now=clock.now())


def _what_is_amiss() -> list[tuple[object, ...]]:
    waiting = MessageTemplate.unscoped.exclude(status="APPROVED").values_list("name", "language", "status")
    return [*waiting, *ScheduledJob.unscoped.values_list("kind", "state", "last_error", "result")]


@contextmanager
def new_world(*, site: str) -> Iterator[World]:
    """On an empty database. site: where our web server listens."""
    webhook_url = f"{site}/webhooks/whatsapp/"
    secrets = {"app_secret": settings.WHATSAPP_APP_SECRET, "verify_token": settings.WHATSAPP_VERIFY_TOKEN}
    with (
        running_simulator(webhook_url=webhook_url, **secrets) as simulator,
        override_settings(
            DEMO=True,
            BASE_URL=site,
            WHATSAPP_GRAPH_URL=simulator.url,
            SIMULATOR_URL=simulator.url,
            SEND_THREADS=MOST_AT_ONCE,
            SEND_CALL_SECONDS=3.0,
            WHATSAPP_CALL_SECONDS=2.5,
        ),
    ):
        yield World(simulator=simulator)


def _make_practice(part: ClinicPart, *, now: datetime) -> Practice:
    clinic = Clinic.objects.create(
        name=part.name,
        slug=part.key,
        zone=part.zone,
        country=part.country,
        language=part.language,
        phone=part.number,
        address=part.address,
    )
    add_default_rules(clinic)
    practitioners, rooms = {}, {}
    for who in part.practitioners:
        room = Room.objects.create(clinic=clinic, name=f"Room of {who.name}")
        practitioner = Practitioner.objects.create(clinic=clinic, full_name=who.name, initials="XX")
        for weekday, (begins, ends) in who.hours.items():
            WorkingHours.objects.create(
                clinic=clinic, practitioner=practitioner, weekday=weekday, begins=begins, ends=ends, room=room
            )
        practitioners[who.name], rooms[who.name] = practitioner, room
    add_whatsapp_account(
        clinic,
        label="Reception",
        number_id=part.number_id,
        business_id=part.business_id,
        number=part.number,
        token=TOKEN,
        now=now,
    )
    service = Service.objects.create(clinic=clinic, name="Check-up", duration_minutes=30)
    gives_all(clinic)
    return Practice(
        part=part,
        clinic=clinic,
        practitioners=practitioners,
        rooms=rooms,
        spare=Room.objects.create(clinic=clinic, name="Spare room"),
        service=service,
    )


def _close(practice: Practice, closing: Closing) -> None:
    Closure.objects.create(
        clinic=practice.clinic,
        practitioner=practice.practitioners.get(closing.practitioner),
        begins_on=closing.first,
        begins_at=closing.begins_at,
        ends_on=closing.last,
    )


def _account(part: ClinicPart) -> dict[str, Any]:
    number = {"id": part.number_id, "number": part.number, "verified_name": part.name}
    return {"id": part.business_id, "name": part.name, "tokens": [TOKEN], "numbers": [number], "templates": []}
