"""A fault in what arrived is seen, whatever its kind: the test of the test."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.month.cast import CLINICS, ClinicPart
from tests.month.comparing import compare
from tests.month.oracle.facts import Said, Told, When
from tests.month.reading import TEXTS, Heard, read

BEGINS = datetime(2031, 10, 7, 8, 0, tzinfo=UTC)
MADRID = ZoneInfo("Europe/Madrid")
WHEN = When(day=date(2031, 10, 10), time=time(10, 30))
PHONE = "+34600000001"
AZAHAR, IPE = CLINICS


def told(hours: int, text: str = "visit_reminder_ask") -> Told:
    at = BEGINS + timedelta(hours=hours)
    said = Said(text=text, clinic="azahar", language="es", patient="Ana", when=WHEN)
    return Told(at=at, latest=at + timedelta(minutes=5), phone=PHONE, said=said)


def heard(one: Told) -> Heard:
    return Heard(at=one.at, wamid="", phone=one.phone, said=one.said, shown={}, is_template=False)


SHOULD = [told(0, "visit_booked"), told(24), told(48)]
DID = [heard(one) for one in SHOULD]


def words(did: list[Heard]) -> list[str]:
    return [difference.words(MADRID) for difference in compare(SHOULD, did)]


def test_the_same_is_no_difference_in_whatever_order_it_stands() -> None:
    assert words(DID[::-1]) == []


def test_a_message_that_was_dropped_is_missing_and_a_second_one_is_extra() -> None:
    assert words([DID[0], DID[2]]) == [
        f"missing: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30 [azahar, es] at Wed 08 Oct 10:00"
    ]
    assert words([*DID, DID[0]]) == [
        f"extra: {PHONE} should not have got visit_booked to Ana of Fri 10 Oct 10:30 [azahar, es] at Tue 07 Oct 10:00"
    ]


def test_an_hour_is_seen() -> None:
    late = replace(DID[1], at=DID[1].at + timedelta(hours=1))

    [said] = words([DID[0], late, DID[2]])
    assert said.startswith(f"at another time: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30")
    assert said.endswith("at Wed 08 Oct 10:00, got it at Wed 08 Oct 11:00")


def test_other_words_are_seen() -> None:
    old = replace(DID[1], said=replace(DID[1].said, when=When(day=WHEN.day, time=time(9))))

    [said] = words([DID[0], old, DID[2]])
    assert said.startswith(
        f"other text: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30 [azahar, es] at"
    )
    assert said.endswith("got visit_reminder_ask to Ana of Fri 10 Oct 09:00 [azahar, es] at Wed 08 Oct 10:00")


def test_another_phone_has_not_got_it() -> None:
    stray = replace(DID[1], phone="+34600000002")

    assert [one.kind for one in compare(SHOULD, [DID[0], stray, DID[2]])] == ["missing", "extra"]


def test_a_text_is_read_as_a_patient_reads_it() -> None:
    values = {"old_when": "mié 31 dic, 9:00", "when": "vie 2 ene, 10:30", "practitioner": "Dra. Ruiz"}
    row = row_of("visit_moved", "es", at="2031-12-30", sender=AZAHAR, values=values)

    assert read(row, phone=PHONE).said == Said(
        text="visit_moved",
        clinic="azahar",
        language="es",
        patient="Ana",
        practitioner="Dra. Ruiz",
        when=When(day=date(2032, 1, 2), time=time(10, 30)),
        old_when=When(day=date(2031, 12, 31), time=time(9)),
    )


def test_a_stay_of_several_visits_is_read_by_its_beginning() -> None:
    values = {"day": "ter. 7 out.", "visits": "09:00 Emilio (2 consultas, cerca de 1 hora), 14:30 Bruno"}
    row = row_of("visits_reminder", "pt", at="2031-10-06", sender=IPE, values=values)

    assert read(row, phone=PHONE).said.visits == ((time(9), "Emilio"), (time(14, 30), "Bruno"))


def test_how_others_stand_is_read_of_each() -> None:
    values = {
        "day": "ter. 7 out.",
        "visits": "09:00 Emilio",
        "others": "Bruno: marcada (qua. 8 out., 10:00); Eva: não pode mais ser alterada aqui (ter. 7 out., 08:00)",
    }
    row = row_of("answer_confirmed_some", "pt", at="2031-10-06", sender=IPE, values=values)

    assert read(row, phone=PHONE).said.stands == (
        ("Bruno", "booked", When(day=date(2031, 10, 8), time=time(10))),
        ("Eva", "over", When(day=date(2031, 10, 7), time=time(8))),
    )


def test_another_number_language_or_practitioner_is_seen() -> None:
    values = {"day": "ter. 7 out.", "visits": "09:00 Emilio"}
    stray = read(row_of("visits_reminder", "pt", at="2031-10-06", sender=AZAHAR, values=values, of=IPE), phone=PHONE)
    own = read(row_of("visits_reminder", "pt", at="2031-10-06", sender=IPE, values=values), phone=PHONE)
    should = Told(at=own.at, latest=own.at, phone=PHONE, said=own.said)
    others = [replace(own.said, language="es"), replace(own.said, practitioner="Dr. Caio Teles"), stray.said]

    assert [one.kind for said in others for one in compare([should], [replace(own, said=said)])] == ["text"] * 3
    assert stray.said.clinic == "azahar in the name of Clínica Ipê, +551155550120, Rua das Flores 8"


def row_of(
    text: str, language: str, *, at: str, sender: ClinicPart, values: dict[str, str], of: ClinicPart | None = None
) -> dict[str, Any]:
    """As the simulator's ledger has it, in the words of `of`."""
    part = of or sender
    known = {"clinic": part.name, "phone": part.number, "where": part.address, "patient": "Ana", **values}
    source = (TEXTS / text / f"{language}.txt").read_text(encoding="utf-8").split("\n---\n")[0]
    body = re.sub(r"\{\{ (\w+) \}\}", lambda found: known.get(found[1], "anything, at all"), source)
    shown = {"body": body}
    return {
        "at": f"{at}T09:00:00+00:00",
        "wamid": "w",
        "type": "template",
        "number_id": sender.number_id,
        "shown": shown,
    }
