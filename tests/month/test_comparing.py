"""A fault in what arrived is seen, whatever its kind: the test of the test."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.month.comparing import compare
from tests.month.oracle.facts import Said, Told, When
from tests.month.reading import TEXTS, Heard, read

BEGINS = datetime(2031, 10, 7, 8, 0, tzinfo=UTC)
MADRID = ZoneInfo("Europe/Madrid")
WHEN = When(day=date(2031, 10, 10), time=time(10, 30))
PHONE = "+34600000001"


def told(hours: int, text: str = "visit_reminder_ask") -> Told:
    at = BEGINS + timedelta(hours=hours)
    said = Said(text=text, patient="Ana", when=WHEN)
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
        f"missing: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30 at Wed 08 Oct 10:00"
    ]
    assert words([*DID, DID[0]]) == [
        f"extra: {PHONE} should not have got visit_booked to Ana of Fri 10 Oct 10:30 at Tue 07 Oct 10:00"
    ]


def test_an_hour_is_seen() -> None:
    late = replace(DID[1], at=DID[1].at + timedelta(hours=1))

    [said] = words([DID[0], late, DID[2]])
    assert said.startswith(f"at another time: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30")
    assert said.endswith("at Wed 08 Oct 10:00, got it at Wed 08 Oct 11:00")


def test_other_words_are_seen() -> None:
    old = replace(DID[1], said=replace(DID[1].said, when=When(day=WHEN.day, time=time(9))))

    [said] = words([DID[0], old, DID[2]])
    assert said.startswith(f"other text: {PHONE} should have got visit_reminder_ask to Ana of Fri 10 Oct 10:30 at")
    assert said.endswith("got visit_reminder_ask to Ana of Fri 10 Oct 09:00 at Wed 08 Oct 10:00")


def test_another_phone_has_not_got_it() -> None:
    stray = replace(DID[1], phone="+34600000002")

    assert [one.kind for one in compare(SHOULD, [DID[0], stray, DID[2]])] == ["missing", "extra"]


def test_a_text_is_read_as_a_patient_reads_it() -> None:
    values = {"patient": "Ana", "old_when": "mié 31 dic, 9:00", "when": "vie 2 ene, 10:30"}
    source = (TEXTS / "visit_moved" / "es.txt").read_text(encoding="utf-8").split("\n---\n")[0]
    body = re.sub(r"\{\{ (\w+) \}\}", lambda found: values.get(found[1], "anything, at all"), source)
    row = {"at": "2031-12-30T09:00:00+00:00", "wamid": "w", "type": "template", "shown": {"body": body}}

    assert read(row, phone=PHONE).said == Said(
        text="visit_moved",
        patient="Ana",
        when=When(day=date(2032, 1, 2), time=time(10, 30)),
        old_when=When(day=date(2031, 12, 31), time=time(9)),
    )


def test_a_stay_of_several_visits_is_read_by_its_beginning() -> None:
    body = (TEXTS / "visits_reminder" / "pt.txt").read_text(encoding="utf-8").split("\n---\n")[0]
    values = {"day": "ter. 7 out.", "visits": "09:00 Emilio (2 consultas, cerca de 1 hora), 14:30 Bruno"}
    said = re.sub(r"\{\{ (\w+) \}\}", lambda found: values.get(found[1], "anything, at all"), body)
    row = {"at": "2031-10-06T09:00:00+00:00", "wamid": "w", "type": "template", "shown": {"body": said}}

    assert read(row, phone=PHONE).said.visits == ((time(9), "Emilio"), (time(14, 30), "Bruno"))
