"""What the oracle says of who came, of what is taken back, of free times and of calls."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta

from tests.month.asking import ANA, LEO, MADRID, MONDAY, asked, at, booked, said, tapped, told, typed
from tests.month.oracle.facts import (
    Act,
    Cancelled,
    ClinicFacts,
    ConfirmedAtDesk,
    History,
    Hours,
    Moved,
    Note,
    Noted,
    TakenBack,
    TimesInChat,
    TimesOnPage,
    ToCall,
    When,
)
from tests.month.oracle.months import judge

TODAY = booked(0, 16, on=at(0, 9))
FAR = booked(11, 16, on=at(0, 9))
WORKING = replace(
    MADRID,
    closed=frozenset({MONDAY + timedelta(days=2)}),
    closed_from={MONDAY + timedelta(days=3): time(12)},
    hours={
        "a": Hours(
            of_weekday=dict.fromkeys(range(6), (time(9), time(14))), away=frozenset({MONDAY + timedelta(days=4)})
        )
    },
)


def noted(what: Note, days: int, hours: int, minutes: int = 2) -> Noted:
    return Noted(at=at(days, hours, minutes), visit=1, what=what)


def taken_back(what: str, days: int, hours: int, minutes: int = 2) -> TakenBack:
    return TakenBack(at=at(days, hours, minutes), visit=1, what=what)  # type: ignore[arg-type]


def moved(days: int, hours: int, *, on: int, practitioner: str = "a") -> Moved:
    return Moved(at=at(on, 9), visit=1, practitioner=practitioner, day=MONDAY + timedelta(days=days), time=time(hours))


def objections(*acts: Act, clinic: ClinicFacts = WORKING) -> list[str]:
    history = History(begins=at(0, 8, 0), ends=at(21, 8, 0), clinics=[clinic], patients=[ANA, LEO], acts=acts)
    return [one.words for one in judge(history).objections]


def test_who_is_here_is_reminded_of_nothing_and_when_that_was_wrong_as_soon_as_it_is_known() -> None:
    visit = booked(1, 11, on=at(0, 15))
    here = noted("here", 1, 8, 32)

    assert said(told(visit, here)) == [("visit_booked_ask", "Mon 07 15:05")]
    assert said(told(visit, here, taken_back("noted", 1, 9, 32)))[1:] == [("visit_reminder_ask", "Tue 08 09:35")]


def test_of_who_came_nobody_hears_nor_of_an_outcome_that_was_wrong() -> None:
    absent, wrong = noted("no show", 0, 16, 12), taken_back("noted", 0, 16, 22)

    assert said(told(TODAY, absent, wrong, noted("here", 0, 16, 32), noted("done", 0, 17))) == said(told(TODAY))[:2]


def test_a_button_of_a_visit_for_which_they_are_here_does_nothing() -> None:
    booking = replace(asked(0, 16), text="visit_booked_ask")
    tap = tapped(at(0, 15, 52), "cancel", on_message=booking)

    assert said(told(TODAY, noted("here", 0, 15, 42), tap))[-1] == ("answer_state_past", "Mon 07 15:55")


def test_a_late_cancellation_is_no_news_to_who_made_it_and_nor_is_that_it_was_none() -> None:
    late = noted("late cancel", 0, 12)

    assert said(told(TODAY, late)) == [("visit_booked_ask", "Mon 07 09:05")]
    assert said(told(TODAY, late, taken_back("noted", 0, 12, 12))) == said(told(TODAY))


def test_a_cancellation_taken_back_is_told_to_whom_heard_of_it() -> None:
    cancelled = Cancelled(at=at(1, 9), visit=1)

    assert said(told(FAR, cancelled, taken_back("cancelled", 1, 10)))[1:4] == [
        ("visit_cancelled_by_clinic", "Tue 08 09:05"),
        ("visit_restored", "Tue 08 10:05"),
        ("visit_reminder_ask", "Tue 15 10:00"),
    ]
    assert said(told(FAR, cancelled, taken_back("cancelled", 1, 9, 3))) == said(told(FAR))


def test_a_yes_is_kept_by_whom_heard_of_nothing_else() -> None:
    confirmed, cancelled = ConfirmedAtDesk(at=at(0, 10), visit=1), Cancelled(at=at(1, 9), visit=1)

    def reminders(*acts: Act) -> set[str]:
        return {text for text, _ in said(told(FAR, confirmed, *acts)) if "reminder" in text}

    assert reminders(cancelled, taken_back("cancelled", 1, 9, 3)) == {"visit_reminder"}
    assert reminders(cancelled, taken_back("cancelled", 1, 10)) == {"visit_reminder_ask"}
    assert reminders(moved(12, 16, on=1), taken_back("moved", 1, 10)) == {"visit_reminder_ask"}
    assert reminders(moved(11, 16, on=1, practitioner="b"), taken_back("moved", 1, 10)) == {"visit_reminder"}
    assert reminders(taken_back("confirmed", 0, 11)) == {"visit_reminder_ask"}


def test_a_move_and_a_booking_taken_back_are_told_as_what_they_come_to() -> None:
    assert said(told(FAR, moved(12, 16, on=1), taken_back("moved", 1, 10)))[:3] == [
        ("visit_booked", "Mon 07 09:05"),
        ("visit_moved", "Tue 08 09:05"),
        ("visit_moved", "Tue 08 10:05"),
    ]
    assert said(told(FAR, taken_back("booked", 0, 9, 12)))[1:] == [("visit_cancelled_by_clinic", "Mon 07 09:15")]
    assert told(FAR, taken_back("booked", 0, 9, 3)) == []


def test_no_reminder_goes_twice_because_its_visit_stood_otherwise_for_a_while() -> None:
    cancelled = Cancelled(at=at(9, 9), visit=1)
    moments = [moment for text, moment in said(told(FAR, cancelled, taken_back("cancelled", 9, 9, 3))) if "rem" in text]

    assert moments == ["Tue 15 10:00", "Thu 17 10:00", "Fri 18 14:00"]


def test_the_desk_takes_back_what_was_last() -> None:
    assert objections(FAR, moved(12, 16, on=1), taken_back("booked", 1, 10), clinic=MADRID) == [
        "of visit 1 the desk took back what was booked, and last it was moved"
    ]


def test_a_time_that_is_offered_is_free() -> None:
    mine, theirs = booked(7, 10, on=at(0, 9)), booked(1, 10, on=at(0, 9, 12), visit=2, patient="leo")

    def wrong(day: int, hour: int, minute: int = 0) -> list[str]:
        first, seen = When(day=MONDAY, time=time(13)), When(day=MONDAY + timedelta(days=day), time=time(hour, minute))
        return objections(mine, theirs, TimesOnPage(at=at(0, 12), visit=1, times=((first, "a"), (seen, "a"))))

    def refused(day: date, hour: str) -> list[str]:
        return [f"visit 1 was offered {day:%a %d %b} {hour} with a, which was not free"]

    assert [wrong(1, 9, 30), wrong(1, 10, 30), wrong(3, 11, 30), wrong(7, 10, 15)] == [[]] * 4
    for day, hour in (
        (0, 11),
        (1, 10),
        (2, 10),
        (3, 12),
        (4, 10),
        (6, 10),
        (8, 14),
    ):  # Past, taken, closed, away, Sunday ...
        assert wrong(day, hour) == refused(MONDAY + timedelta(days=day), f"{hour:02}:00")
    assert wrong(1, 9, 45) == refused(MONDAY + timedelta(days=1), "09:45")


def test_the_first_day_with_a_free_time_is_offered() -> None:
    offer = replace(asked(11, 16), text="answer_choose_time")
    change = tapped(at(0, 9, 12), "change", on_message=replace(asked(11, 16), text="visit_booked"))
    late = ((When(day=MONDAY + timedelta(days=1), time=time(9)), "a"),)

    assert objections(FAR, change, TimesInChat(at=at(0, 9, 16), phone=ANA.phone, on=offer, times=late)) == [
        f"visit 1 was offered a from {MONDAY + timedelta(days=1)} on, who has time on {MONDAY}"
    ]


def test_whom_no_message_reaches_is_to_be_called() -> None:
    moves, stop, wrong = moved(12, 16, on=2), typed(at(1, 9), "STOP"), typed(at(1, 9), "wrong number")
    nobody = ToCall(at=at(2, 18), clinic="sol", visits=frozenset())
    uncalled = [f"nobody is asked to call Ana ({ANA.phone}) about visit 1"]

    assert objections(FAR, stop, moves, nobody) == objections(FAR, wrong, moves, nobody) == uncalled
    assert objections(FAR, stop, moves, replace(nobody, visits=frozenset({1}))) == []
    assert objections(FAR, moves, nobody) == objections(FAR, stop, nobody) == []
    assert objections(wrong, booked(11, 16, on=at(1, 10)), nobody) == uncalled
    assert objections(stop, booked(11, 16, on=at(1, 10)), nobody) == []
