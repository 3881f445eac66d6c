"""What the oracle says of words, of chosen rows, of the page and of those who want no messages."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

from tests.month.asking import ANA, LEO, MADRID, MONDAY, asked, at, booked, said, tapped, told, typed
from tests.month.oracle.facts import (
    Chose,
    ConfirmedAtDesk,
    History,
    MovedOnPage,
    NumberIsRight,
    PressedOnPage,
    Said,
    TaskDone,
    When,
)
from tests.month.oracle.months import what_should_arrive

FRIDAY = MONDAY + timedelta(days=4)
ANAS, LEOS = booked(4, 16, on=at(0, 9)), booked(4, 18, on=at(0, 9, 12), visit=2, patient="leo")
BOTH = Said(
    text="visits_reminder_ask",
    clinic="sol",
    language="es",
    day=FRIDAY,
    visits=((time(16), "Ana"), (time(18), "Leo")),
)
ROWS = ((When(day=FRIDAY, time=time(16)), "Ana", "a"), (When(day=FRIDAY, time=time(18)), "Leo", "a"))


def test_a_bare_yes_is_for_the_single_open_question_and_else_we_ask_which() -> None:
    single = told(booked(11, 16, on=at(0, 9)), typed(at(8, 12), "sii"))
    other = booked(12, 16, on=at(8, 10, 12), visit=2, patient="leo")
    two = told(booked(11, 16, on=at(0, 9)), other, typed(at(8, 12), "ok"))

    assert said(single)[2:] == [("answer_confirmed", "Tue 15 12:05"), ("visit_reminder", "Thu 17 10:00")]
    assert ("answer_which", "Tue 15 12:05") in said(two)


def test_words_never_cancel_and_a_number_is_the_place_of_a_button() -> None:
    visit = booked(11, 16, on=at(0, 9))

    for words in ("no puedo", "Cancelar, por favor", "3"):
        assert said(told(visit, typed(at(8, 12), words)))[2] == ("answer_choose_act", "Tue 15 12:05")
    assert said(told(visit, typed(at(8, 12), "2")))[2][0] == "answer_choose_time"
    assert said(told(visit, typed(at(1, 12), "1")))[1][0] == "answer_unclear"  # "Booked" has no such button.


def test_what_is_unclear_is_passed_on_once_until_the_desk_has_seen_to_it() -> None:
    visit, again = booked(11, 16, on=at(0, 9)), [typed(at(1, hour), "quién es?") for hour in (12, 13, 15)]
    done = TaskDone(at=at(1, 14), phone=ANA.phone)

    assert said(told(visit, *again[:2], done, again[2]))[1:3] == [
        ("answer_unclear", "Tue 08 12:05"),
        ("answer_unclear", "Tue 08 15:05"),
    ]


def test_thanks_need_no_answer_nor_does_a_yes_to_the_answer() -> None:
    thanked = told(ANAS, typed(at(1, 12), "gracias"))
    answered = told(
        booked(0, 16, on=at(0, 9)),
        ConfirmedAtDesk(at=at(0, 10), visit=1),
        typed(at(0, 17), "ok"),
        typed(at(0, 18), "ok"),
    )

    assert said(thanked) == said(told(ANAS))
    assert [text for text, _ in said(answered)] == ["visit_booked_ask", "answer_state_past"]


def test_who_stops_gets_nothing_but_answers_until_they_start_again() -> None:
    visit = booked(11, 16, on=at(0, 9))
    confirm = tapped(at(8, 12), "confirm", on_message=asked(11, 16))

    assert said(told(visit, typed(at(9, 9), "STOP"), typed(at(10, 12), "alta"))) == [
        ("visit_booked", "Mon 07 09:05"),
        ("visit_reminder_ask", "Tue 15 10:00"),
        ("opted_out", "Wed 16 09:05"),
        ("opted_in", "Thu 17 12:05"),
        ("visit_reminder_ask", "Fri 18 14:00"),
    ]
    assert said(told(visit, typed(at(8, 11), "baja"), confirm))[2:] == [
        ("opted_out", "Tue 15 11:05"),
        ("answer_confirmed", "Tue 15 12:05"),
    ]


def test_a_wrong_number_hears_nothing_and_who_was_never_told_is_told_of_a_booking() -> None:
    wrong, right = typed(at(1, 9), "wrong number"), NumberIsRight(at=at(3, 9), phone=ANA.phone)
    visit = booked(11, 16, on=at(1, 10))
    moved = MovedOnPage(at=at(4, 9), visit=1, practitioner="a", day=MONDAY + timedelta(days=11), time=time(18))

    assert said(told(wrong, visit)) == []
    assert said(told(wrong, visit, right, moved))[0] == ("visit_booked", "Fri 11 09:05")


def test_the_page_answers_itself_and_its_changes_are_told() -> None:
    visit = booked(11, 16, on=at(0, 9))
    confirmed, cancelled = (PressedOnPage(at=at(1, 9), action=action, visits=(1,)) for action in ("confirm", "cancel"))

    assert [text for text, _ in said(told(visit, confirmed))] == ["visit_booked", "visit_reminder", "visit_reminder"]
    assert said(told(visit, cancelled))[1:] == [("visit_cancelled_by_patient", "Tue 08 09:05")]


def test_change_and_cancel_of_several_ask_which_and_a_row_is_for_its_own() -> None:
    change = tapped(at(3, 11), "change", on_message=BOTH)
    which = Said(text="answer_which_change", clinic="sol", language="es", listed=ROWS)
    leos = Chose(at=at(3, 11, 12), phone=ANA.phone, place=1, on=which)

    messages = told(ANAS, LEOS, change, leos)

    assert messages[4].said == which
    assert (messages[5].said.text, messages[5].said.patient) == ("answer_choose_time", "Leo")


def test_all_of_several_are_cancelled_at_one_stroke_and_what_stood_otherwise_is_said_apart() -> None:
    cancel = tapped(at(3, 11), "cancel", on_message=BOTH)
    which = Said(text="answer_which_cancel", clinic="sol", language="es", listed=ROWS)
    both = Chose(at=at(3, 11, 12), phone=ANA.phone, place=None, on=which)
    moved = MovedOnPage(at=at(3, 10, 32), visit=2, practitioner="a", day=FRIDAY + timedelta(days=1), time=time(9))
    confirmed = PressedOnPage(at=at(3, 10, 42), action="confirm", visits=(2,))

    assert told(ANAS, LEOS, cancel, both)[-1].said == replace(BOTH, text="answer_cancelled_several")
    some = told(ANAS, LEOS, moved, confirmed, tapped(at(3, 11), "confirm", on_message=BOTH))
    answer = next(one.said for one in some if one.said.text == "answer_confirmed_some")
    assert answer.visits == ((time(16), "Ana"),)
    assert answer.stands == (("Leo", "confirmed", When(day=FRIDAY + timedelta(days=1), time=time(9))),)


def test_an_answer_speaks_the_language_of_whom_it_is_about_and_else_the_clinics() -> None:
    joao = replace(LEO, language="pt")
    history = History(
        begins=at(0, 8, 0),
        ends=at(21, 8, 0),
        clinics=[MADRID],
        patients=[ANA, joao],
        acts=[LEOS, typed(at(1, 9), "no"), typed(at(2, 9), "STOP"), typed(at(3, 9), "quién es?")],
    )

    assert [(one.said.text, one.said.language) for one in what_should_arrive(history)] == [
        ("visit_booked", "pt"),
        ("answer_choose_act", "pt"),
        ("visit_reminder_ask", "pt"),
        ("opted_out", "pt"),
        ("answer_unclear", "es"),
    ]
