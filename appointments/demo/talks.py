"""What the patients of the demonstration write before anybody looks, so that the inbox is a lively one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appointments.demo.cast import AZAHAR, CLINICS, JACARANDA, ClinicCast
from clinicbot.http import HttpClient

MINUTE, HOUR = 60, 3600
SITE_STARTS_WITHIN = 10
"""Seconds before the site is there to hear of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """who: a patient of the cast, or the number of somebody nobody knows. ago_seconds: when they wrote."""

    cast: ClinicCast
    who: str
    text: str = ""
    picture: bool = False
    ago_seconds: int


TALKS = (
    Talk(cast=AZAHAR, who="Helen Whitcombe", text="May I bring my son along?", ago_seconds=26 * HOUR),
    Talk(
        cast=AZAHAR,
        who="Nuria Gallardo",
        text="creo que no llego a esa hora, quizás más tarde? o mejor la dejo",
        ago_seconds=70 * MINUTE,
    ),
    Talk(cast=AZAHAR, who="Hugo Santamaría", text="así se me ha quedado", picture=True, ago_seconds=34 * MINUTE),
    Talk(cast=AZAHAR, who="+34600330833", text="Buenos días, ¿atienden también los sábados?", ago_seconds=25 * MINUTE),
    Talk(cast=AZAHAR, who="Samuel Iglesias", text="Gracias!", ago_seconds=12 * MINUTE),
    Talk(cast=AZAHAR, who="Pilar Antúnez", text="Me puede llamar alguien? Es por la factura", ago_seconds=8 * MINUTE),
    Talk(
        cast=JACARANDA,
        who="Helena Duarte",
        text="acho que não consigo nesse horário, talvez mais tarde? ou deixa",
        ago_seconds=65 * MINUTE,
    ),
    Talk(cast=JACARANDA, who="Bruno Tavares", text="Oi, posso levar um acompanhante?", ago_seconds=9 * MINUTE),
)


def let_people_write(client: HttpClient) -> None:
    """Raises `HttpError` when the simulator cannot be reached."""
    for cast in CLINICS:
        spoilt = {"do": "fail_later", "code": 131026, "number": _number(cast, cast.unlucky), "count": 1}
        client.post("simulator_fault", path="/control/faults", json=spoilt)
    for talk in TALKS:
        number = _number(talk.cast, talk.who)
        client.post("simulator_act", path=f"/control/phones/{number}/act", json=_wish(talk))


def _wish(talk: Talk) -> dict[str, Any]:
    said = {"do": "media", "kind": "image", "caption": talk.text} if talk.picture else {"do": "text", "body": talk.text}
    manner = {"ago_seconds": talk.ago_seconds, "late_seconds": SITE_STARTS_WITHIN}
    return {**said, **manner, "number_id": talk.cast.number_id}


def _number(cast: ClinicCast, who: str) -> str:
    phones = {person.name: "".join(person.phone.split()) for person in cast.patients}
    return phones.get(who, who).replace("-", "")
