"""The columns of a file of visits or of patients: which there are, which must be, and what people call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from appointments.search_key import search_key

VISITS, PATIENTS = "visits", "patients"
NEEDED: Mapping[str, tuple[str, ...]] = {
    VISITS: ("patient", "date", "time", "practitioner", "service"),
    PATIENTS: ("patient",),
}
COLUMNS: Mapping[str, tuple[str, ...]] = {
    VISITS: (
        "patient", "surname", *NEEDED[VISITS][1:], "room", "phone", "agreed", "born_on", "language", "status", "note",
    ),
    PATIENTS: (*NEEDED[PATIENTS], "surname", "phone", "agreed", "born_on", "language", "guardian", "note"),
}  # fmt: skip
# In English, Spanish and Portuguese, as other programs and our own export head them; without accents and case.
_CALLED: Mapping[str, tuple[str, ...]] = {
    "patient": (
        "patient", "name", "full name", "patient name", "client", "paciente", "nombre", "nombre completo",
        "nombre y apellidos", "nombre del paciente", "cliente", "nome", "nome completo", "nome do paciente", "utente",
    ),
    "surname": ("surname", "last name", "family name", "apellido", "apellidos", "sobrenome", "apelido", "apelidos"),
    "date": ("date", "day", "visit date", "fecha", "dia", "fecha de la cita", "fecha cita", "data", "data da consulta"),
    "time": ("time", "hour", "start", "start time", "hora", "hora inicio", "hora de inicio", "horario", "inicio"),
    "practitioner": (
        "practitioner", "dentist", "doctor", "provider", "professional", "profesional", "odontologo", "odontologa",
        "dentista", "medico", "medica", "doctora", "doctor/a", "profissional", "doutor", "doutora",
    ),
    "service": (
        "service", "treatment", "procedure", "reason", "servicio", "tratamiento", "prestacion", "motivo", "servico",
        "tratamento", "procedimento", "procedimiento",
    ),
    "room": ("room", "chair", "sala", "gabinete", "sillon", "consultorio", "box", "cadeira", "gabinete dental"),
    "phone": (
        "phone", "phone number", "mobile", "mobile phone", "cell", "cell phone", "telephone", "whatsapp", "telefono",
        "telefono movil", "movil", "celular", "tel", "tfno", "telefone", "telemovel", "numero de telefono",
    ),
    "agreed": (
        "agreed", "consent", "agrees", "consentimiento", "acepta", "acepta mensajes", "autoriza", "consentimento",
        "aceita", "aceita mensagens", "concorda",
    ),
    "born_on": (
        "born_on", "born on", "born", "birth date", "birthdate", "date of birth", "birthday", "dob", "nacimiento",
        "fecha de nacimiento", "fecha nacimiento", "f. nacimiento", "nascimento", "data de nascimento", "data nascimento",
    ),
    "language": ("language", "idioma", "lengua", "lingua"),
    "status": ("status", "state", "estado", "estatus", "situacion", "situacao"),
    "note": ("note", "notes", "comment", "comments", "nota", "notas", "observaciones", "comentario", "comentarios",
             "observacoes", "obs", "observacao"),
    "guardian": ("guardian", "parent", "tutor", "tutora", "responsable", "responsavel", "encarregado",
                 "encarregado de educacao", "madre o padre"),
}  # fmt: skip


def known_as(heading: str) -> str:
    """The column that people call so; "" for none that we know."""
    return _names().get(search_key(heading.replace("_", " ")), "") or _names().get(search_key(heading), "")


def guess_columns(headings: Sequence[str], *, what: str) -> dict[str, int]:
    """Which column stands at which place. Of two that are called alike the first counts."""
    found: dict[str, int] = {}
    for place, heading in enumerate(headings):
        column = known_as(heading)
        if column in COLUMNS[what]:
            found.setdefault(column, place)
    return found


def missing_columns(columns: Mapping[str, int], *, what: str) -> list[str]:
    return [name for name in NEEDED[what] if name not in columns]


def unused_headings(headings: Sequence[str], columns: Mapping[str, int]) -> list[str]:
    """What stands in the file and is not read."""
    used = set(columns.values())
    return [heading for place, heading in enumerate(headings) if place not in used and heading]


@cache
def _names() -> Mapping[str, str]:
    return {name: column for column, names in _CALLED.items() for name in names}
