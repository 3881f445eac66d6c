"""The oracle knows nothing of the product, and what it says is what DESIGN 10 and the facts about clinics say."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path

from tests.month.asking import ANA, MADRID, MONDAY, asked, at, booked, said, tapped, told
from tests.month.oracle.facts import (
    Cancelled,
    ClinicFacts,
    ConfirmedAtDesk,
    Moved,
    Outage,
    Picked,
    Said,
    When,
    ZoneChange,
)


def test_the_oracle_imports_nothing_of_the_product() -> None:
    sources = list((Path(__file__).parent / "oracle").glob("*.py"))
    names = {name for source in sources for name in _imported(source)}
    strangers = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}

    assert len(sources) > 5
    assert all(name.startswith("tests.month.oracle.") for name in strangers)


def _imported(source: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return named + [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]


def test_a_visit_in_ten_days_is_confirmed_and_reminded_three_times_unless_it_is_confirmed() -> None:
    visit = booked(11, 16, on=at(0, 9))
    silent = said(told(visit))
    confirmed = said(told(visit, tapped(at(8, 12), "confirm", on_message=asked(11, 16))))

    assert silent == [
        ("visit_booked", "Mon 07 09:05"),
        ("visit_reminder_ask", "Tue 15 10:00"),
        ("visit_reminder_ask", "Thu 17 10:00"),
        ("visit_reminder_ask", "Fri 18 14:00"),
    ]
    assert confirmed == [
        ("visit_booked", "Mon 07 09:05"),
        ("visit_reminder_ask", "Tue 15 10:00"),
        ("answer_confirmed", "Tue 15 12:05"),
        ("visit_reminder", "Thu 17 10:00"),
    ]


def test_what_is_booked_inside_an_offset_gets_no_late_reminder() -> None:
    in_two_hours = said(told(booked(0, 11, on=at(0, 9))))
    in_twenty = said(told(booked(1, 11, on=at(0, 15))))
    in_three_days = said(told(booked(3, 9, on=at(0, 11))))

    assert in_two_hours == [("visit_booked_ask", "Mon 07 09:05")]
    assert in_twenty == [("visit_booked_ask", "Mon 07 15:05"), ("visit_reminder_ask", "Tue 08 09:00")]
    assert in_three_days == [("visit_booked", "Mon 07 11:05"), ("visit_reminder_ask", "Wed 09 10:00")]


def test_a_reminder_of_a_closed_day_goes_earlier() -> None:
    is_closed = ClinicFacts(
        key="sol",
        language="es",
        zone="Europe/Madrid",
        open_weekdays=frozenset(range(6)),
        closed=frozenset({MONDAY + timedelta(days=8)}),
    )

    assert said(told(booked(9, 9, on=at(0, 9)), clinic=is_closed)) == [
        ("visit_booked", "Mon 07 09:05"),
        # Three days before is a Sunday; of both at Saturday's ten, the nearer to the visit stays.
        ("visit_reminder_ask", "Sat 12 10:00"),
        ("visit_reminder_ask", "Mon 14 10:00"),
    ]


def test_nothing_is_said_of_the_time_before_a_move_or_of_what_was_never_announced() -> None:
    moved = Moved(at=at(1, 9), visit=1, practitioner="a", day=MONDAY + timedelta(days=3), time=time(12))
    down = Outage(begins=at(0, 8, 0), ends=at(1, 13, 0))

    assert said(told(booked(2, 12, on=at(0, 9)), moved))[-3:] == [
        ("visit_moved", "Tue 08 09:05"),
        ("visit_reminder_ask", "Wed 09 10:00"),
        ("visit_reminder_ask", "Thu 10 10:00"),
    ]
    assert said(told(booked(2, 12, on=at(0, 9)), moved, no_provider=(down,)))[:1] == [("visit_booked", "Tue 08 13:00")]
    assert told(booked(2, 12, on=at(0, 9)), Cancelled(at=at(0, 10), visit=1), no_provider=(down,)) == []


def test_a_reminder_that_an_outage_made_late_goes_while_it_is_useful() -> None:
    night = Outage(begins=at(10, 19, 0), ends=at(11, 15, 0))

    assert said(told(booked(12, 16, on=at(0, 9)), no_ticks=(night,)))[2] == ("visit_reminder_ask", "Fri 18 15:00")
    assert said(told(booked(11, 15, on=at(0, 9)), no_ticks=(night,)))[-1] == ("visit_reminder_ask", "Thu 17 10:00")


def test_a_household_is_reminded_once_and_answers_for_both() -> None:
    ana, leo = booked(4, 16, on=at(0, 9)), booked(4, 18, on=at(0, 9, 12), visit=2, patient="leo")

    both = Said(
        text="visits_reminder_ask",
        clinic="sol",
        language="es",
        day=MONDAY + timedelta(days=4),
        visits=((time(16), "Ana"), (time(18), "Leo")),
    )

    messages = told(ana, leo, tapped(at(3, 11), "confirm", on_message=both))

    assert said(messages)[3:] == [
        ("visits_reminder_ask", "Thu 10 10:00"),
        ("answer_confirmed_several", "Thu 10 11:05"),
    ]
    assert messages[3].said == both


def test_a_visit_is_moved_and_cancelled_in_the_chat_and_an_old_button_does_nothing() -> None:
    booking = replace(asked(15, 12), text="visit_booked")
    change = tapped(at(1, 9), "change", on_message=booking)
    cancel = tapped(at(3, 9), "cancel", on_message=booking)
    offer = replace(booking, text="answer_choose_time")
    day = MONDAY + timedelta(days=16)
    pick = Picked(at=at(1, 9, 12), phone=ANA.phone, day=day, time=time(12), practitioner="a", on=offer)

    assert [text for text, _ in said(told(booked(15, 12, on=at(0, 9)), change, pick, cancel))][:4] == [
        "visit_booked",
        "answer_choose_time",
        "answer_moved",
        "answer_state_booked",
    ]


def test_after_a_change_of_zone_ten_is_ten_there() -> None:
    change = ZoneChange(at=at(2, 3), zone="Atlantic/Canary")
    moves_house = replace(MADRID, zone_change=change)

    assert said(told(booked(5, 12, on=at(0, 9)), clinic=moves_house)) == [
        ("visit_booked", "Mon 07 09:05"),
        ("visit_reminder_ask", "Wed 09 11:00"),
        ("visit_reminder_ask", "Fri 11 11:00"),
        ("visit_reminder_ask", "Sat 12 11:00"),
    ]


def test_who_has_confirmed_leaves_the_others_of_the_house_their_reminder() -> None:
    ana, leo = booked(4, 16, on=at(0, 9)), booked(4, 17, on=at(0, 9, 12), visit=2, patient="leo")

    messages = told(ana, leo, ConfirmedAtDesk(at=at(4, 10, 12), visit=1))

    assert messages[-1].said == replace(asked(4, 17), patient="Leo")
    assert said(messages)[-1] == ("visit_reminder_ask", "Fri 11 14:00")


def test_three_reminders_of_one_visit_are_enough_whatever_became_of_its_time() -> None:
    moved = Moved(at=at(4, 9), visit=1, practitioner="a", day=MONDAY + timedelta(days=8), time=time(16))

    assert said(told(booked(4, 16, on=at(0, 9)), moved))[1:] == [
        ("visit_reminder_ask", "Tue 08 10:00"),
        ("visit_reminder_ask", "Thu 10 10:00"),
        ("visit_moved", "Fri 11 09:05"),
        # The third; two hours before its new time there is no fourth, though it is not confirmed.
        ("visit_reminder_ask", "Sat 12 10:00"),
        ("visit_reminder_ask", "Mon 14 10:00"),
    ]


def test_visits_of_one_person_that_follow_upon_each_other_are_told_as_one() -> None:
    first, second = booked(2, 16, on=at(0, 9)), replace(booked(2, 16, on=at(0, 9, 12)), visit=2, time=time(16, 30))

    assert told(first, second)[2].said.visits == ((time(16), "Ana"),)


def test_a_cancellation_names_the_time_that_the_patient_knows() -> None:
    down = Outage(begins=at(1, 8, 0), ends=at(1, 13, 0))
    moved = Moved(at=at(1, 9), visit=1, practitioner="a", day=MONDAY + timedelta(days=9), time=time(12))

    messages = told(booked(11, 16, on=at(0, 9)), moved, Cancelled(at=at(1, 10), visit=1), no_provider=(down,))

    assert said(messages)[1:] == [("visit_cancelled_by_clinic", "Tue 08 13:00")]
    assert messages[1].said.when == When(day=MONDAY + timedelta(days=11), time=time(16))
