"""Tells the WhatsApp simulator of the clinics' numbers and the patients' phones. Told again, nothing changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from appointments.demo.cast import CLINICS, VISIBLE_PHONES, ClinicCast
from appointments.demo.seeding import TOKEN
from clinicbot.http import HttpClient


def connect_phones(client: HttpClient, *, now: datetime) -> None:
    """Raises `HttpError` when the simulator cannot be reached."""
    client.post("simulator_clock", path="/control/clock", json={"set": now.isoformat()})
    client.post(
        "simulator_provision",
        path="/control/provision",
        json={
            "accounts": [_account(cast) for cast in CLINICS],
            "phones": [phone for cast in CLINICS for phone in _phones(cast)],
        },
    )


def _account(cast: ClinicCast) -> dict[str, Any]:
    number = {"id": cast.number_id, "number": cast.number, "verified_name": cast.name}
    return {"id": cast.account_id, "name": cast.name, "tokens": [TOKEN], "numbers": [number], "subscribed": True}


def _phones(cast: ClinicCast) -> list[dict[str, Any]]:
    sharing = {person.name: [person.name.split()[0]] for person in cast.patients if person.phone}
    for person in cast.patients:
        if person.shares_with:
            sharing[person.shares_with].append(person.name.split()[0])
    return [
        {
            "number": person.phone,
            "name": ", ".join(sharing[person.name]) if len(sharing[person.name]) > 1 else person.name,
            "language": person.language or cast.language,
            "pinned": place < VISIBLE_PHONES,
        }
        for place, person in enumerate(one for one in cast.patients if one.phone)
    ]
