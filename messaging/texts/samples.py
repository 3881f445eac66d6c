"""Made-up values of every variable: for a preview, and as the examples Meta wants with a template."""

from __future__ import annotations

from collections.abc import Mapping

_SAMPLES: dict[str, dict[str, str]] = {
    "en": {
        "clinic": "Clinic Sol",
        "patient": "Ana",
        "when": "Tue 14 Apr, 10:30",
        "others": "Eva: booked (Wed 15 Apr, 12:00)",
        "day": "Tue 14 Apr",
        "visits": "10:30 Ana, 12:00 Leo",
        "old_when": "Mon 13 Apr, 9:00",
        "where": "5 Mayor St",
        "old_where": "12 Castle Row",
        "practitioner": "Dr Soto",
        "phone": "555 123 456",
        "role": "Front desk",
        "link": "https://clinic.example/visit/k3Xv9Qm2Rt7Lp4Wz/",
        "until": "Tuesday 21 April",
        "since": "Tuesday 14 April",
        "reason": "Unpaid bill",
        "waiting": "40",
        "login": "ana@clinic.example",
        "hours": "2",
    },
    "es": {
        "clinic": "Clínica Sol",
        "patient": "Ana",
        "when": "mar 14 abr, 10:30",
        "others": "Eva: reservada (mié 15 abr, 12:00)",
        "day": "mar 14 abr",
        "visits": "10:30 Ana, 12:00 Leo",
        "old_when": "lun 13 abr, 9:00",
        "where": "C/ Mayor 5",
        "old_where": "Plaza Nueva 12",
        "practitioner": "Dra. Soto",
        "phone": "555 123 456",
        "role": "Recepción",
        "link": "https://clinic.example/visit/k3Xv9Qm2Rt7Lp4Wz/",
        "until": "martes 21 de abril",
        "since": "martes 14 de abril",
        "reason": "Factura pendiente",
        "waiting": "40",
        "login": "ana@clinic.example",
        "hours": "2",
    },
    "pt": {
        "clinic": "Clínica Sol",
        "patient": "Ana",
        "when": "ter 14 abr, 10:30",
        "others": "Eva: marcada (qua 15 abr, 12:00)",
        "day": "ter 14 abr",
        "visits": "10:30 Ana, 12:00 Leo",
        "old_when": "seg 13 abr, 9:00",
        "where": "R. Maior, 5",
        "old_where": "Praça Nova, 12",
        "practitioner": "Dra. Soto",
        "phone": "11 5555 1234",
        "role": "Recepção",
        "link": "https://clinic.example/visit/k3Xv9Qm2Rt7Lp4Wz/",
        "until": "terça-feira, 21 de abril",
        "since": "terça-feira, 14 de abril",
        "reason": "Fatura em aberto",
        "waiting": "40",
        "login": "ana@clinic.example",
        "hours": "2",
    },
}


def samples_of(language: str) -> Mapping[str, str]:
    return _SAMPLES[language]
