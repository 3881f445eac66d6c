"""The people of the demonstration: two clinics in two zones and languages, their staff, patients and phones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time


@dataclass(frozen=True, slots=True, kw_only=True)
class Practitioner:
    name: str
    initials: str
    specialty: str
    hue: int
    ranges: tuple[tuple[time, time], ...]
    gives: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """`shares_with`: an earlier patient's name whose phone this one is reached at, as a child at a parent's."""

    name: str
    phone: str = ""
    language: str = ""
    age: int | None = None
    shares_with: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicCast:
    """unlucky: whose first message does not arrive. saved_texts: name, language and words."""

    slug: str
    name: str
    zone: str
    country: str
    region: str
    language: str
    phone: str
    address: str
    admin: tuple[str, str]
    desk: tuple[str, str]
    services: tuple[tuple[str, int], ...]
    rooms: tuple[str, ...]
    practitioners: tuple[Practitioner, ...]
    patients: tuple[Patient, ...]
    number: str
    number_id: str
    account_id: str
    visits_a_day: int
    unlucky: str
    saved_texts: tuple[tuple[str, str, str], ...]
    absence: str


MORNING = (time(8, 30), time(13, 30))
AFTERNOON = (time(15, 30), time(19, 0))

AZAHAR = ClinicCast(
    slug="azahar",
    name="Clínica Dental Azahar",
    zone="Europe/Madrid",
    country="ES",
    region="AN",
    language="es",
    phone="954 55 01 20",
    address="Calle Feria 12, Sevilla",
    admin=("lucia", "Lucía Barrera"),
    desk=("sandra", "Sandra Gil"),
    services=(("Revisión", 30), ("Limpieza", 45), ("Empaste", 45), ("Endodoncia", 60), ("Control de ortodoncia", 20)),
    rooms=("Gabinete 1", "Gabinete 2", "Gabinete 3", "Gabinete 4"),
    practitioners=(
        Practitioner(
            name="Dra. Lucía Barrera",
            initials="LB",
            specialty="Odontología",
            hue=1,
            ranges=(MORNING, AFTERNOON),
            gives=("Revisión", "Limpieza", "Empaste"),
        ),
        Practitioner(
            name="Dr. Mateo Quiroga",
            initials="MQ",
            specialty="Endodoncia",
            hue=2,
            ranges=(MORNING, AFTERNOON),
            gives=("Revisión", "Empaste", "Endodoncia"),
        ),
        Practitioner(
            name="Ana Belén Pizarro",
            initials="AP",
            specialty="Higiene",
            hue=3,
            ranges=(MORNING, AFTERNOON),
            gives=("Limpieza",),
        ),
        Practitioner(
            name="Dra. Sofía Vidal",
            initials="SV",
            specialty="Ortodoncia",
            hue=4,
            ranges=(MORNING, AFTERNOON),
            gives=("Revisión", "Control de ortodoncia"),
        ),
    ),
    patients=(
        Patient(name="Marta Solana Ibáñez", phone="+34 612 34 20 47"),
        Patient(name="Leo Ibarra Solana", age=9, shares_with="Marta Solana Ibáñez"),
        Patient(name="Emma Ibarra Solana", age=6, shares_with="Marta Solana Ibáñez"),
        Patient(
            name="Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine",
            phone="+34 611 20 01 73",
            language="en",
        ),
        Patient(name="Tomás Márquez Rueda", phone="+34 622 10 93 10"),
        Patient(name="María de las Mercedes Fernández de Córdoba y Álvarez de Toledo", phone="+34 633 48 44 71"),
        Patient(name="Omar Lozoya", phone="+34 644 77 66 88"),
        Patient(name="Íñigo Larrea", phone="+34 655 12 08 31"),
        Patient(name="Nuria Gallardo", phone="+34 666 31 52 09"),
        Patient(name="Hugo Santamaría", phone="+34 677 05 14 62"),
        Patient(name="Óscar Requena", phone="+34 688 92 70 15"),
        Patient(name="Pilar Antúnez", phone="+34 699 43 28 56"),
        Patient(name="Samuel Iglesias", phone="+34 610 66 04 93"),
        Patient(name="Vera Montalvo", phone="+34 620 81 37 44"),
        Patient(name="Andrés Colomer", phone="+34 630 19 55 02"),
        Patient(name="Lola Benavente", phone="+34 640 72 86 19"),
        Patient(name="Gael Pastor", phone="+34 650 34 90 77"),
        Patient(name="Elisa Robledo", phone="+34 660 58 21 36"),
        Patient(name="Irene Valcárcel", phone="+34 670 13 69 80"),
        Patient(name="Noa Peralta", phone="+34 680 27 45 98"),
        Patient(name="Rubén Escudero", phone="+34 690 64 02 51"),
        Patient(name="Maite Zubiría", phone="+34 613 95 18 27"),
        Patient(name="Cosme Barrios", phone="+34 623 40 73 66"),
        Patient(name="Olga Trujillo", phone="+34 633 86 11 40"),
        Patient(name="Iker Mendizábal", phone="+34 643 07 59 24"),
        Patient(name="Leire Azcona", phone="+34 653 71 36 85"),
        Patient(name="João Almeida", phone="+351 912 345 678", language="pt"),
        Patient(name="Helen Whitcombe", phone="+44 7911 123456", language="en"),
        Patient(name="Concha Villar"),
    ),
    number="+34954550120",
    number_id="340001000001",
    account_id="340001000000",
    visits_a_day=26,
    unlucky="Íñigo Larrea",
    saved_texts=(
        ("Le esperamos", "es", "Hola, {{ patient }}. Le esperamos el {{ when }}."),
        (
            "¿Otra hora?",
            "es",
            "Hola, {{ patient }}. ¿Quiere que le busquemos otra hora? Díganos qué día le viene bien.",
        ),
        ("¿La cancelo?", "es", "¿Quiere que cancelemos su cita del {{ when }}?"),
        ("¿Puede llamar?", "es", "¿Puede llamarnos al {{ phone }}? Así lo vemos juntos."),
        ("See you then", "en", "Hello {{ patient }}, see you on {{ when }}."),
        ("Can you call?", "en", "Could you call us on {{ phone }}? It is quicker to sort out together."),
    ),
    absence="Congreso de periodoncia",
)

JACARANDA = ClinicCast(
    slug="jacaranda",
    name="Odonto Jacarandá",
    zone="America/Sao_Paulo",
    country="BR",
    region="SP",
    language="pt",
    phone="(11) 3133-4440",
    address="Rua Augusta 1508, São Paulo",
    admin=("camila", "Camila Prado"),
    desk=("renata", "Renata Lima"),
    services=(("Consulta", 30), ("Limpeza", 45), ("Restauração", 60)),
    rooms=("Sala 1", "Sala 2"),
    practitioners=(
        Practitioner(
            name="Dra. Camila Prado",
            initials="CP",
            specialty="Clínica geral",
            hue=1,
            ranges=(MORNING, AFTERNOON),
            gives=("Consulta", "Limpeza", "Restauração"),
        ),
        Practitioner(
            name="Dr. Rafael Moura",
            initials="RM",
            specialty="Ortodontia",
            hue=3,
            ranges=(MORNING, AFTERNOON),
            gives=("Consulta", "Limpeza"),
        ),
    ),
    patients=(
        Patient(name="Helena Duarte", phone="+55 11 98765-4417"),
        Patient(name="Caio Ferreira", phone="+55 11 97654-3321"),
        Patient(name="Lívia Ferreira", age=7, shares_with="Caio Ferreira"),
        Patient(name="Bruno Tavares", phone="+55 31 98765-4321"),
        Patient(name="Joana Siqueira", phone="+55 11 96543-2210"),
        Patient(name="Sílvia Nogueira", phone="+55 11 95432-1109"),
        Patient(name="Otávio Reis", phone="+55 11 94321-0098"),
        Patient(name="Paloma Ríos", phone="+54 9 11 2345-6789", language="es"),
        Patient(name="Grace Okafor", phone="+55 11 93210-9987", language="en"),
    ),
    number="+551131334440",
    number_id="550001000001",
    account_id="550001000000",
    visits_a_day=9,
    unlucky="Joana Siqueira",
    saved_texts=(
        ("Esperamos você", "pt", "Oi, {{ patient }}! Esperamos você em {{ when }}."),
        ("Outro horário?", "pt", "Oi, {{ patient }}! Quer trocar o horário? Diga qual dia fica melhor."),
        ("Quer cancelar?", "pt", "Quer que a gente cancele sua consulta de {{ when }}?"),
        ("Pode ligar?", "pt", "Pode ligar para {{ phone }}? Assim resolvemos juntos."),
    ),
    absence="Congresso de ortodontia",
)

CLINICS = (AZAHAR, JACARANDA)
SUPERUSER = ("admin", "Owner of the demo")
PASSWORD = "clinicbot-demo"
VISIBLE_PHONES = 3
