"""Writes the cast into an empty database, by the same use cases that the pages call."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import cycle

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from appointments import wall_time
from appointments.demo.attendance import note_the_day_so_far
from appointments.demo.cast import CLINICS, PASSWORD, SUPERUSER, ClinicCast
from appointments.demo.cast import Patient as PatientCast
from appointments.errors import ClinicClosedError, SlotTakenError
from appointments.models import Appointment, Patient, Practitioner, Room, Service, WorkingHours
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.queries.giving import given_pairs
from appointments.queries.people import contact_ids_of_patients
from appointments.slots import Slot
from appointments.usecases.booking import book_appointment
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.closing import ClosureWish, draft_closure
from appointments.usecases.giving import set_services_of
from appointments.usecases.holidays import write_holidays
from appointments.usecases.importing import import_visit
from appointments.usecases.people import NewPatient, add_patient, link_contact
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic, Membership, Role
from messaging.contracts import Category
from messaging.usecases.setting_up import add_whatsapp_account, save_text

SEED = 20260414
DAYS_BACK, DAYS_AHEAD = 3, 14
WEEKDAYS = range(5)
OPENING, WEEKEND = time(9, 10), time(17)
TOKEN = "demo-token"
AGREED = (Category.VISITS, Category.PAYMENTS)


def has_data() -> bool:
    return Clinic.objects.exists()


def until_somebody_works(now: datetime) -> timedelta:
    """How far to move the demo's clock, so that no empty weekend is ahead: to Monday morning, or not at all."""
    local = wall_time.local_of(now, zone=CLINICS[0].zone)
    is_over = local.weekday() == WEEKDAYS[-1] and local.time() >= WEEKEND
    if local.weekday() in WEEKDAYS and not is_over:
        return timedelta(0)
    monday = local.date() + timedelta(days=7 - local.weekday())
    return wall_time.lenient_instant_of(monday, OPENING, zone=CLINICS[0].zone) - now


@transaction.atomic
def seed(*, now: datetime) -> None:
    """Both clinics and a superuser, or nothing."""
    _add_user(SUPERUSER, is_superuser=True)
    for cast in CLINICS:
        _seed_clinic(cast, now=now)


def _seed_clinic(cast: ClinicCast, *, now: datetime) -> None:
    clinic = Clinic.objects.create(
        name=cast.name,
        slug=cast.slug,
        zone=cast.zone,
        country=cast.country,
        subdivision=cast.region,
        language=cast.language,
        phone=cast.phone,
        address=cast.address,
    )
    desk = _add_user(cast.desk)
    for user, role in ((_add_user(cast.admin), Role.CLINIC_ADMIN), (desk, Role.FRONT_DESK)):
        Membership.objects.create(user=user, clinic=clinic, role=role)
    add_default_rules(clinic)
    add_whatsapp_account(
        clinic,
        label=cast.name,
        number_id=cast.number_id,
        business_id=cast.account_id,
        number=cast.number,
        token=TOKEN,
        now=now,
    )
    services = [
        Service.objects.create(clinic=clinic, name=name, duration_minutes=minutes) for name, minutes in cast.services
    ]
    _add_practitioners(clinic, cast=cast, services=services)
    write_holidays(clinic, now=now)
    patients = _add_patients(clinic, cast=cast, now=now)
    _import_fortnight(clinic, cast=cast, patients=patients, services=services, now=now)
    after_tomorrow = wall_time.local_date_of(now, zone=clinic.zone) + timedelta(days=2)
    note_the_day_so_far(clinic, actor=Actor(ActorKind.STAFF, desk.pk), until=after_tomorrow, now=now)
    _book_for_the_phones(clinic, patients=patients, service=services[0], unlucky=cast.unlucky, now=now)
    for place, (title, language, body) in enumerate(cast.saved_texts, 1):
        save_text(clinic, title=title, language=language, body=body, position=place)
    _draw_up_an_absence(clinic, reason=cast.absence, now=now)


def _add_user(person: tuple[str, str], *, is_superuser: bool = False) -> User:
    username, name = person
    first, _, last = name.partition(" ")
    user = User(
        username=username,
        email=f"{username}@clinicbot.example",
        first_name=first,
        last_name=last,
        is_staff=True,
        is_superuser=is_superuser,
    )
    user.set_password(PASSWORD)
    user.save()
    return user


def _add_practitioners(clinic: Clinic, *, cast: ClinicCast, services: list[Service]) -> None:
    rooms = [Room.objects.create(clinic=clinic, name=name) for name in cast.rooms]
    for person, room in zip(cast.practitioners, cycle(rooms), strict=False):
        practitioner = Practitioner.objects.create(
            clinic=clinic, full_name=person.name, initials=person.initials, specialty=person.specialty, hue=person.hue
        )
        WorkingHours.objects.bulk_create(
            WorkingHours(clinic=clinic, practitioner=practitioner, weekday=weekday, begins=begins, ends=ends, room=room)
            for weekday in WEEKDAYS
            for begins, ends in person.ranges
        )
        given = [service.pk for service in services if service.name in person.gives]
        set_services_of(clinic, practitioner_id=practitioner.pk, service_ids=given)


def _add_patients(clinic: Clinic, *, cast: ClinicCast, now: datetime) -> list[Patient]:
    made: dict[str, Patient] = {}
    phones: dict[str, str] = {}
    for person in cast.patients:
        guardian = made.get(person.shares_with)
        newcomer = NewPatient(
            full_name=person.name,
            language=person.language or cast.language,
            phone=person.phone,
            agreed_to=AGREED,
            guardian=guardian,
            born_on=_born_on(person, now=now),
        )
        patient = add_patient(clinic, newcomer=newcomer, actor=Actor.system(), now=now)
        made[person.name], phones[person.name] = patient, person.phone
        if guardian is not None:
            for contact_id in contact_ids_of_patients([(clinic.pk, guardian.pk)]).get(guardian.pk, ()):
                link_contact(clinic, patient=patient, contact_id=contact_id, phone=phones[person.shares_with])
    return list(made.values())


def _born_on(person: PatientCast, *, now: datetime) -> date | None:
    return date(now.year - person.age, 3, 14) if person.age is not None else None


def _import_fortnight(
    clinic: Clinic, *, cast: ClinicCast, patients: list[Patient], services: list[Service], now: datetime
) -> None:
    """A few days back and a fortnight ahead, each weekday partly full. The same dice each time."""
    dice = random.Random(SEED + clinic.pk)  # noqa: S311
    today = wall_time.local_date_of(now, zone=clinic.zone)
    for offset in range(-DAYS_BACK, DAYS_AHEAD):
        day = today + timedelta(days=offset)
        wanted = cast.visits_a_day if offset <= 1 else cast.visits_a_day - 2 * offset
        in_turn = cycle(dice.sample(patients, len(patients)))  # Few come twice a day.
        for slot, service in _wishes(clinic, day=day, services=services, dice=dice, wanted=max(wanted, 4)):
            try:
                import_visit(
                    clinic,
                    patient=next(in_turn),
                    slot=slot,
                    service=service,
                    remind_from=today,
                    now=now,
                )
            except (SlotTakenError, ClinicClosedError):
                continue


def _wishes(
    clinic: Clinic, *, day: date, services: list[Service], dice: random.Random, wanted: int
) -> Iterator[tuple[Slot, Service]]:
    """Times within somebody's hours that day; some of them overlap, and the later wish is refused."""
    working = list(WorkingHours.objects.for_clinic(clinic).filter(weekday=day.weekday()).order_by("pk"))
    given = given_pairs(clinic)
    for _ in range(wanted if working else 0):
        hours = dice.choice(working)
        service = dice.choice([one for one in services if (hours.practitioner_id, one.pk) in given])
        begins = datetime.combine(day, hours.begins)
        room_left = int((datetime.combine(day, hours.ends) - begins).total_seconds() // 60) - service.duration_minutes
        start = begins + timedelta(minutes=15 * dice.randint(0, room_left // 15))
        yield (
            Slot(
                practitioner_id=hours.practitioner_id,
                room_id=hours.room_id,
                local_date=day,
                local_time=start.time(),
                zone=clinic.zone,
                duration_minutes=service.duration_minutes,
            ),
            service,
        )


def _book_for_the_phones(
    clinic: Clinic, *, patients: list[Patient], service: Service, unlucky: str, now: datetime
) -> None:
    """Real bookings for the first patients, so that the phones have something to show when the demo starts; and for one whom
    it does not reach.
    """
    tomorrow = wall_time.local_date_of(now, zone=clinic.zone) + timedelta(days=1)
    not_reached = [patient for patient in patients if patient.full_name == unlucky]
    for patient, days in zip([*patients[:4], *not_reached], (0, 2, 2, 4, 0), strict=False):
        wish = SlotWish(service=service, from_day=tomorrow + timedelta(days=days), days=10)
        free = find_free_slots(clinic, wish=wish, now=now, limit=6)
        if free:
            book_appointment(
                clinic, patient=patient, slot=free[-1].slot, service=service, actor=Actor.system(), now=now
            )


def _draw_up_an_absence(clinic: Clinic, *, reason: str, now: datetime) -> None:
    """Whoever is busiest on a day from the fifth on is away then: what that hits, and where it could go, is there to be looked
    at. Nothing is closed.
    """
    first = wall_time.local_date_of(now, zone=clinic.zone) + timedelta(days=5)
    days = Appointment.objects.for_clinic(clinic).filter(local_date__gte=first).values("practitioner_id", "local_date")
    busiest = days.annotate(visits=Count("pk")).order_by("-visits", "local_date", "practitioner_id").first()
    if busiest is not None:
        day = busiest["local_date"]
        wish = ClosureWish(practitioner_id=busiest["practitioner_id"], begins_on=day, ends_on=day, reason=reason)
        draft_closure(clinic, wish=wish, actor=Actor.system(), now=now)
