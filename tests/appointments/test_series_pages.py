"""Booking again and again on the page: each date is looked at, what does not fit is taken elsewhere or left out."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

from django.test import Client
from django.urls import reverse

from appointments.models import Appointment, Closure, SeriesUnit, VisitSeries
from appointments.queries.series import visits_of_series
from appointments.recurring import Recurrence, same_weekday
from appointments.usecases.booking import cancel_appointment
from appointments.usecases.series import SeriesWish, book_series
from clinicbot import clock
from clinicbot.models import Role
from messaging.models import Message
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, booked, code, day_ahead
from tests.factories import ClinicFactory

TOKEN = "00000000-0000-4000-8000-000000000001"


def series_url(practice: Practice, **rest: Any) -> str:
    wanted = {"patient": practice.ana.pk, "service": practice.service.pk, "at": code(practice)}
    return reverse("book-series", query={**wanted, "every": 1, "unit": "weeks", "times": 3, **rest})


def days(practice: Practice, count: int = 3) -> list[date]:
    return [day_ahead(practice.clinic) + timedelta(weeks=number) for number in range(count)]


def chosen(practice: Practice, **rest: str) -> dict[str, str]:
    """As the form posts them."""
    fields = {
        f"visit-{number}": f"{day:%Y%m%d}T1030-{practice.practitioner.pk}-{practice.room.pk}"
        for number, day in enumerate(days(practice), start=1)
    }
    return {"token": TOKEN, **fields, **rest}


def booked_series(practice: Practice, *, count: int = 3) -> list[Appointment]:
    slots = [practice.slot(day, time(10, 30)) for day in days(practice, count)]
    wish = SeriesWish(patient=practice.ana, service=practice.service, slots=slots, every=1, unit=SeriesUnit.WEEKS)
    return book_series(practice.clinic, wish=wish, actor=DESK, now=clock.now())


def standing(practice: Practice) -> list[tuple[date, time]]:
    rows = Appointment.objects.for_clinic(practice.clinic).order_by("starts_at")
    return [(one.local_date, one.local_time) for one in rows if one.is_live]


# The calendar


def test_months_keep_their_weekday_and_its_place() -> None:
    third_tuesday, fifth_friday = date(2026, 4, 21), date(2026, 1, 30)

    assert same_weekday(third_tuesday, months=1) == date(2026, 5, 19)
    assert same_weekday(third_tuesday, months=9) == date(2027, 1, 19)
    assert [same_weekday(fifth_friday, months=number) for number in range(4)] == [
        date(2026, 1, 30),
        date(2026, 2, 27),
        date(2026, 3, 27),
        date(2026, 4, 24),
    ]


def test_a_day_until_which_counts_and_nothing_goes_on_for_ever() -> None:
    until = Recurrence(every=3, unit=SeriesUnit.DAYS, times=0, until=date(2026, 4, 27))
    for_ever = Recurrence(every=1, unit=SeriesUnit.DAYS, times=0, until=date(2099, 1, 1))

    assert until.days_from(date(2026, 4, 21)) == [date(2026, 4, 21), date(2026, 4, 24), date(2026, 4, 27)]
    assert len(for_ever.days_from(date(2026, 4, 21))) == 26


# Booking


def test_each_date_is_shown_before_anything_is_booked(speaking: Practice) -> None:
    text = at_desk(speaking.clinic).get(series_url(speaking)).content.decode()

    assert text.count("It is free") == 3
    assert "Book 3 visits" in text
    assert "sus 3 citas son" in text
    assert Appointment.objects.for_clinic(speaking.clinic).count() == 0


def test_the_button_counts_in_every_language(practice: Practice) -> None:
    desk = at_desk(practice.clinic)

    for language, many in (("en", "Book 77 visits"), ("es", "Dar 77 citas"), ("pt", "Marcar 77 consultas")):
        text = desk.get(series_url(practice), headers={"accept-language": language}).content.decode()
        assert f'data-many="{many}"' in text


def test_what_does_not_fit_says_why_and_offers_others(practice: Practice) -> None:
    _first, second, third = days(practice)
    practice.book(now=clock.now(), day=second, at=time(10, 15), patient=practice.add("Bea Lu", now=clock.now()))
    Closure.objects.create(clinic=practice.clinic, begins_on=third, ends_on=third, reason="Fiesta mayor")

    text = at_desk(practice.clinic).get(series_url(practice)).content.decode()

    assert text.count("It is free") == 1
    assert "2 do not fit" in text
    assert "That time is taken." in text
    assert "Fiesta mayor" in text
    assert f'value="{second:%Y%m%d}T1045-' in text  # The nearest of that day.
    assert f'value="{third + timedelta(days=1):%Y%m%d}T1030-' in text  # And of the next, where all of it is closed.


def test_all_are_booked_as_they_were_chosen(practice: Practice) -> None:
    first, second, third = days(practice)

    answer = at_desk(practice.clinic).post(series_url(practice), chosen(practice, note="Braces"))

    visits = visits_of_series(Appointment.objects.for_clinic(practice.clinic).earliest("pk"))
    assert answer["Location"] == reverse("visit", args=[visits[0].pk])
    assert standing(practice) == [(first, time(10, 30)), (second, time(10, 30)), (third, time(10, 30))]
    assert {one.note for one in visits} == {"Braces"}
    series = VisitSeries.objects.for_clinic(practice.clinic).get()
    assert (series.every, series.unit) == (1, "weeks")


def test_one_may_be_left_out_or_put_elsewhere(practice: Practice) -> None:
    first, second, _third = days(practice)
    practice.book(now=clock.now(), day=second, at=time(10, 15), patient=practice.add("Bea Lu", now=clock.now()))
    other = f"{second:%Y%m%d}T1045-{practice.practitioner.pk}-{practice.room.pk}"

    at_desk(practice.clinic).post(
        series_url(practice),
        chosen(practice, **{"visit-2": other, "visit-3": ""}),
    )

    assert standing(practice) == [(first, time(10, 30)), (second, time(10, 15)), (second, time(10, 45))]


def test_a_date_taken_meanwhile_books_nothing_and_offers_others(practice: Practice) -> None:
    _first, second, _third = days(practice)
    practice.book(now=clock.now(), day=second, patient=practice.add("Bea Lu", now=clock.now()))

    answer = at_desk(practice.clinic).post(series_url(practice), chosen(practice, note="Braces"))

    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Nothing was booked." in text
    assert "Braces" in text
    assert f'value="{second:%Y%m%d}T1000-' in text
    assert len(standing(practice)) == 1


def test_a_double_click_books_once(practice: Practice) -> None:
    desk = at_desk(practice.clinic)

    answers = [desk.post(series_url(practice), chosen(practice)) for _click in range(2)]

    assert answers[0]["Location"] == answers[1]["Location"]
    assert len(standing(practice)) == 3


def test_bad_wishes_are_said_beside_their_fields(practice: Practice) -> None:
    desk = at_desk(practice.clinic)

    for wrong in ({"every": 0}, {"times": 1}, {"times": 27}, {"unit": "years"}, {"until": "soon"}, {"times": ""}):
        answer = desk.get(series_url(practice, **wrong))
        assert answer.status_code == 200
        assert 'class="error"' in answer.content.decode(), wrong
    assert desk.get(series_url(practice, at="nonsense")).status_code == 302
    assert desk.get(series_url(practice, service=practice.service.pk + 999)).status_code == 302


def test_another_clinics_patient_is_not_booked(practice: Practice) -> None:
    desk = at_desk(ClinicFactory.create())

    assert desk.post(series_url(practice), chosen(practice)).status_code == 302
    assert at_desk(practice.clinic, role=Role.PRACTITIONER).get(series_url(practice)).status_code == 403
    assert standing(practice) == []


def test_the_booking_page_offers_to_repeat(practice: Practice) -> None:
    wanted = {"patient": practice.ana.pk, "service": practice.service.pk, "at": code(practice)}

    text = at_desk(practice.clinic).get(reverse("book", query=wanted)).content.decode()

    assert "Repeat this visit" in text
    assert reverse("book-series") in text


# One of them, and those that follow


def test_a_visit_says_which_it_is_and_leads_to_the_others(practice: Practice) -> None:
    first, second, third = booked_series(practice)
    alone = booked(practice, at=time(15))
    desk = at_desk(practice.clinic)

    text = desk.get(reverse("visit", args=[second.pk])).content.decode()

    assert "Visit 2 of 3" in text
    assert all(reverse("visit", args=[one.pk]) in text for one in (first, third))
    assert "Visit 1 of" not in desk.get(reverse("visit", args=[alone.pk])).content.decode()


def test_cancelling_offers_those_that_follow(practice: Practice) -> None:
    first, second, third = booked_series(practice)
    desk = at_desk(practice.clinic)
    address = reverse("visit-cancel-following", args=[second.pk])

    assert address in desk.get(reverse("visit-cancel", args=[second.pk])).content.decode()
    assert "Cancel 2 visits" in desk.get(address).content.decode()
    assert desk.post(address, versions(second, third)).status_code == 400  # No reason.
    desk.post(address, {**versions(second, third), "common": "patient_called"})

    assert [one.is_live for one in visits_of_series(first)] == [True, False, False]
    assert desk.get(reverse("visit-cancel-following", args=[first.pk])).status_code == 302  # None follows any more.


def test_only_what_was_shown_is_cancelled(practice: Practice) -> None:
    first, second, third = booked_series(practice)
    desk, address = at_desk(practice.clinic), reverse("visit-cancel-following", args=[first.pk])
    stale = {**versions(first, second), f"version-{third.pk}": "9", "common": "patient_called"}

    assert desk.post(address, stale).status_code == 400
    assert [one.is_live for one in visits_of_series(first)] == [True, True, True]


def test_where_one_that_was_shown_has_gone_meanwhile_none_is_cancelled(practice: Practice) -> None:
    first, second, third = booked_series(practice)
    desk, address = at_desk(practice.clinic), reverse("visit-cancel-following", args=[first.pk])
    shown = {**versions(first, second, third), "common": "patient_called"}
    cancel_appointment(practice.clinic, appointment_id=third.pk, actor=DESK, reason="ill", now=clock.now())

    assert desk.post(address, shown).status_code == 400
    assert [one.is_live for one in visits_of_series(first)] == [True, True, False]


def test_only_what_was_cancelled_is_counted(practice: Practice) -> None:
    first, second, _not_shown = booked_series(practice)
    desk, address = at_desk(practice.clinic), reverse("visit-cancel-following", args=[first.pk])

    answer = desk.post(address, {**versions(first, second), "common": "patient_called"}, follow=True)

    assert "2 visits are cancelled." in answer.content.decode()


def test_those_that_follow_move_by_as_much(speaking: Practice) -> None:
    visits = booked_series(speaking)
    run(now=clock.now())
    desk, at = at_desk(speaking.clinic), code(speaking, at=time(12), days=4)
    address = reverse("visit-move-following", args=[visits[0].pk], query={"at": at})

    offered = desk.get(reverse("visit-move", args=[visits[0].pk], query={"at": at})).content.decode()
    text = desk.get(address).content.decode()
    fields = {
        f"visit-{one.pk}": f"{one.local_date + timedelta(days=1):%Y%m%d}T1200-{speaking.practitioner.pk}-{speaking.room.pk}"
        for one in visits
    }
    answer = desk.post(address, {**versions(*visits), **fields})

    assert "Move them as well" in offered
    assert "Move 3 visits" in text
    assert "han cambiado 3" in text
    assert answer.status_code == 302
    assert standing(speaking) == [(day + timedelta(days=1), time(12)) for day in days(speaking)]
    assert desk.post(address, {**versions(*visits), **fields}).status_code == 302  # The same again.
    run(now=clock.now())
    assert Message.objects.for_clinic(speaking.clinic).filter(text_name="visits_moved").count() == 1


def test_one_that_cannot_move_offers_others_and_none_moves(practice: Practice) -> None:
    visits = booked_series(practice)
    practice.book(
        now=clock.now(),
        day=visits[1].local_date + timedelta(days=1),
        at=time(12),
        patient=practice.add("Bea Lu", now=clock.now()),
    )
    desk, at = at_desk(practice.clinic), code(practice, at=time(12), days=4)
    address = reverse("visit-move-following", args=[visits[0].pk], query={"at": at})
    fields = {
        f"visit-{one.pk}": f"{one.local_date + timedelta(days=1):%Y%m%d}T1200-{practice.practitioner.pk}-{practice.room.pk}"
        for one in visits
    }

    answer = desk.post(address, {**versions(*visits), **fields})

    assert answer.status_code == 409
    assert "Nothing was moved." in answer.content.decode()
    assert [one.local_time for one in visits_of_series(visits[0])] == [time(10, 30)] * 3


def versions(*visits: Appointment) -> dict[str, str]:
    return {f"version-{one.pk}": str(one.notice_version) for one in visits}


def test_nobody_else_reaches_them(practice: Practice, client: Client) -> None:
    first, *_rest = booked_series(practice)
    stranger = at_desk(ClinicFactory.create())

    for name in ("visit-cancel-following", "visit-move-following"):
        assert stranger.post(reverse(name, args=[first.pk])).status_code == 404
        assert client.get(reverse(name, args=[first.pk])).status_code == 302  # To log in.


def test_the_patients_page_lists_all_of_them_each_behind_its_own_link(practice: Practice, client: Client) -> None:
    first, second, third = booked_series(practice)

    text = client.get(reverse("patient-page", args=[second.link_token])).content.decode()

    assert "3 " in text
    assert all(reverse("patient-page", args=[one.link_token]) in text for one in (first, third))
    alone = booked(practice, at=time(15))
    assert first.link_token not in client.get(reverse("patient-page", args=[alone.link_token])).content.decode()
