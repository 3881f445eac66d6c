"""The demo's sample data: all of it once, by the use cases, and the simulator told of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db.models import Max, Min
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from appointments.demo.attendance import STILL_UNSAID
from appointments.demo.cast import AZAHAR, CLINICS, JACARANDA
from appointments.demo.phones import connect_phones
from appointments.demo.seeding import has_data, seed, until_somebody_works
from appointments.models import Appointment, AppointmentStatus, Patient
from appointments.queries.people import contact_ids_of_patients
from clinicbot import clock
from clinicbot.http import HttpClient
from clinicbot.models import Clinic
from messaging.models import Contact, Message, MessageTemplate
from messaging.texts.definitions import wanted_templates
from scheduler.usecases.ticking import Source, run_tick
from tests.simulator.running import Simulator, running_simulator

TENANT_TABLES = (Patient, Appointment, Contact, Message)
TICK_SECONDS = 8.0


def sizes() -> list[int]:
    return [Clinic.objects.count(), *(table.unscoped.count() for table in TENANT_TABLES)]


@pytest.fixture
def simulator(settings: Settings) -> Iterator[Simulator]:
    with running_simulator(
        app_secret=settings.WHATSAPP_APP_SECRET, verify_token=settings.WHATSAPP_VERIFY_TOKEN
    ) as simulator:
        settings.DEMO = True
        settings.WHATSAPP_GRAPH_URL = settings.SIMULATOR_URL = simulator.url
        settings.SEND_CALL_SECONDS, settings.WHATSAPP_CALL_SECONDS = 3.0, 2.5
        yield simulator


@pytest.fixture
def client(simulator: Simulator) -> HttpClient:
    return HttpClient(simulator.url, connect_timeout_seconds=10, total_timeout_seconds=10, max_body_bytes=1_000_000)


def test_two_clinics_in_two_zones_with_a_fortnight_of_visits(db: None, now: datetime) -> None:
    assert not has_data()

    seed(now=now)

    assert has_data()
    assert dict(Clinic.objects.values_list("zone", "language")) == {"Europe/Madrid": "es", "America/Sao_Paulo": "pt"}
    for cast in CLINICS:
        clinic = Clinic.objects.get(slug=cast.slug)
        visits = Appointment.objects.for_clinic(clinic)
        ends = visits.aggregate(first=Min("local_date"), last=Max("local_date"))
        assert ends["first"] <= now.date()
        assert ends["last"] - now.date() >= timedelta(days=12)
        assert visits.filter(local_date=now.date()).count() >= cast.visits_a_day // 3


def test_the_day_is_under_way(db: None) -> None:
    """By one in the afternoon most have come, some have not, two are not said yet, and of tomorrow's some have said yes."""
    now = datetime(2026, 4, 15, 13, tzinfo=UTC)

    seed(now=now)

    visits = Appointment.objects.for_clinic(Clinic.objects.get(slug=AZAHAR.slug))
    over, ahead = visits.filter(ends_at__lte=now), visits.filter(local_date=now.date() + timedelta(days=1))
    assert over.filter(status=AppointmentStatus.ATTENDED).count() > over.count() / 2
    assert over.filter(status=AppointmentStatus.NO_SHOW).exists()
    assert over.filter(status=AppointmentStatus.BOOKED).count() == STILL_UNSAID
    assert {AppointmentStatus.BOOKED, AppointmentStatus.CONFIRMED} == set(ahead.values_list("status", flat=True))


def test_a_family_shares_one_phone(db: None, now: datetime) -> None:
    seed(now=now)

    azahar = Clinic.objects.get(slug=AZAHAR.slug)
    family = Patient.objects.for_clinic(azahar).filter(full_name__contains="Solana")
    contacts = contact_ids_of_patients([(azahar.pk, person.pk) for person in family])
    assert len(family) == 3
    assert len({tuple(ids) for ids in contacts.values()}) == 1
    assert len(contacts) == 3


def test_the_command_fills_once(
    transactional_db: None, simulator: Simulator, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appointments.management.commands.seed_demo.refuse_unless_demo", lambda: None)
    call_command("seed_demo")
    once = sizes()

    call_command("seed_demo")

    assert sizes() == once
    assert {one["name"] for one in simulator.phones()} >= {"Marta, Leo, Emma", "Caio, Lívia"}


@pytest.mark.parametrize(
    ("local", "days", "hour"),
    [
        (datetime(2026, 4, 14, 7, 0, tzinfo=UTC), 0, 7),  # A Tuesday stays.
        (datetime(2026, 4, 17, 14, 59, tzinfo=UTC), 0, 14),  # So does Friday, until five in Seville.
        (datetime(2026, 4, 17, 15, 0, tzinfo=UTC), 3, 7),
        (datetime(2026, 4, 18, 10, 0, tzinfo=UTC), 2, 7),
        (datetime(2026, 4, 19, 21, 59, tzinfo=UTC), 1, 7),
        (datetime(2026, 4, 19, 22, 0, tzinfo=UTC), 0, 22),  # Monday there, Sunday here.
        (datetime(2026, 3, 28, 10, 0, tzinfo=UTC), 2, 7),  # The clocks change on that Sunday.
    ],
)
def test_a_weekend_is_skipped(local: datetime, days: int, hour: int) -> None:
    then = local + until_somebody_works(local)

    assert then.date() - local.date() == timedelta(days=days)
    assert then.hour == hour


def test_phones_told_again_change_nothing(db: None, simulator: Simulator, client: HttpClient, now: datetime) -> None:
    connect_phones(client, now=clock.now())
    once = simulator.phones()

    connect_phones(client, now=clock.now())

    assert simulator.phones() == once
    assert len(once) == sum(1 for cast in CLINICS for person in cast.patients if person.phone)


def test_a_tick_brings_the_templates_of_both_clinics_to_approval(
    live_server: LiveServer, simulator: Simulator, client: HttpClient, settings: Settings
) -> None:
    settings.BASE_URL = live_server.url
    simulator.knobs(
        switches={"review_seconds": 0},
        webhook={"url": f"{live_server.url}/webhooks/whatsapp/"},
        receipts={"instant": True},
    )
    seed(now=clock.now())
    connect_phones(client, now=clock.now())

    for _ in range(2):
        run_tick(budget_seconds=TICK_SECONDS, source=Source.LOOP)
        simulator.settle()
    run_tick(budget_seconds=TICK_SECONDS, source=Source.LOOP)

    for cast in (AZAHAR, JACARANDA):
        approved = MessageTemplate.objects.for_clinic(Clinic.objects.get(slug=cast.slug)).filter(status="APPROVED")
        assert approved.count() == len(wanted_templates())
