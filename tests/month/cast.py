"""Two clinics and their patients, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.month.oracle.facts import PatientFacts

FIRST_NAMES = """
Ana Leo Eva Hugo Sara Iván Nora Raúl Vera Teo Lola Marc Irene Saúl Julia Bruno Alba Oriol Elsa Adrián
Carla Dario Greta Emilio Inés Fabio Lidia Gael Marta Jaime Olga Kilian Paula Luis Rosa Mateo Sonia Noel Tania Óscar
"""
LARGEST_HOUSEHOLD = 3
FIRST_DAY = date(2031, 10, 6)
"""A Monday; Madrid's clocks change in its month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PractitionerPart:
    """`hours`: of each weekday (0 is Monday) on which they work, from when to when."""

    name: str
    hours: dict[int, tuple[time, time]]

    def works(self, day: date, at: time, *, minutes: int) -> bool:
        begins, ends = self.hours.get(day.weekday(), (time(0), time(0)))
        return begins <= at and datetime.combine(day, at) + timedelta(minutes=minutes) <= datetime.combine(day, ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicPart:
    key: str
    name: str
    zone: str
    country: str
    language: str
    number_id: str
    business_id: str
    number: str
    address: str
    phones: str
    practitioners: Sequence[PractitionerPart]
    holidays: frozenset[date]
    """As published, of the whole country, from the month's first day to the year's end."""
    new_zone: str = ""

    @property
    def weekdays(self) -> frozenset[int]:
        return frozenset(weekday for practitioner in self.practitioners for weekday in practitioner.hours)

    def moment(self, day: date, at: time) -> datetime:
        return datetime.combine(day, at, ZoneInfo(self.zone)).astimezone(UTC)


def _hours(weekdays: str, begins: int, ends: int) -> dict[int, tuple[time, time]]:
    return {int(weekday): (time(begins), time(ends)) for weekday in weekdays}


def _days(*days: str) -> frozenset[date]:
    return frozenset(datetime.strptime(f"{day} {FIRST_DAY.year}", "%d %b %Y").date() for day in days)  # noqa: DTZ007


CLINICS = (
    ClinicPart(
        key="azahar",
        name="Clínica Azahar",
        zone="Europe/Madrid",
        country="ES",
        language="es",
        number_id="71001",
        business_id="71000",
        number="+34954550120",
        address="Calle Feria 12",
        phones="+346",
        practitioners=(
            PractitionerPart(name="Dra. Lucía Barrera", hours=_hours("01234", 8, 15)),
            PractitionerPart(name="Dr. Andrés Molina", hours=_hours("01234", 12, 20)),
            PractitionerPart(name="Dra. Pilar Quesada", hours=_hours("135", 8, 14)),
        ),
        # Fiesta Nacional, Todos los Santos, Constitución, Inmaculada, Navidad.
        holidays=_days("12 Oct", "1 Nov", "6 Dec", "8 Dec", "25 Dec"),
    ),
    ClinicPart(
        key="ipe",
        name="Clínica Ipê",
        zone="America/Sao_Paulo",
        new_zone="America/Manaus",
        country="BR",
        language="pt",
        number_id="72001",
        business_id="72000",
        number="+551155550120",
        address="Rua das Flores 8",
        phones="+55119",
        practitioners=(
            PractitionerPart(name="Dra. Helena Prado", hours=_hours("01234", 8, 14)),
            PractitionerPart(name="Dr. Caio Teles", hours=_hours("0124", 11, 20)),
            PractitionerPart(name="Dra. Rita Amaral", hours=_hours("24", 9, 19)),
        ),
        # Nossa Senhora Aparecida, Finados, República, Consciência Negra, Natal.
        holidays=_days("12 Oct", "2 Nov", "15 Nov", "20 Nov", "25 Dec"),
    ),
)


def draw_patients(dice: random.Random, *, count: int) -> list[PatientFacts]:
    """Half of them at each clinic; some share a phone, and now and then not the language."""
    patients: list[PatientFacts] = []
    for place, clinic in enumerate(CLINICS):
        wanted = count // len(CLINICS) + (place < count % len(CLINICS))
        names = FIRST_NAMES.split()
        dice.shuffle(names)
        made = 0
        while made < wanted:
            phone = f"{clinic.phones}{10_000_000 + len(patients) * 7919 + dice.randrange(7919):08}"
            for _ in range(min(wanted - made, dice.choice((1, 1, 2, LARGEST_HOUSEHOLD)))):
                other = "pt" if clinic.language == "es" else "es"
                patients.append(
                    PatientFacts(
                        key=f"{clinic.key}-{made}",
                        clinic=clinic.key,
                        first_name=names[made % len(names)],
                        phone=phone,
                        language=other if dice.random() < 0.15 else clinic.language,
                    )
                )
                made += 1
    return patients
