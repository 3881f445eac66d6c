from __future__ import annotations

from datetime import date, datetime, time, timedelta

from django.test import Client

from appointments.models import Closure, VisitDecision
from appointments.usecases.holidays import write_holidays
from clinicbot import clock
from tests.appointments.admin.pages import add_to, list_of, page_of, text_of
from tests.appointments.closing import closed
from tests.appointments.making import Practice, make_practice


def close(client: Client, **rest: object) -> str:
    wish = {"begins_on": "2026-04-20", "ends_on": "2026-04-22", "practitioner": "", "reason": ""} | rest
    return client.post(add_to(Closure), wish, follow=True).content.decode()


def test_a_closure_over_visits_closes_nothing_and_leads_to_where_each_is_decided_about(
    practice: Practice, chief: Client, now: datetime
) -> None:
    day = clock.now().date() + timedelta(days=30)
    practice.book(now=now, day=day)
    other = make_practice(practice.clinic, now=now, name="Dr Other")
    days = {"begins_on": day - timedelta(days=1), "ends_on": day}

    whole = close(chief, **days, reason="Fair")
    others = close(chief, **days, practitioner=other.practitioner.pk)

    assert "1 visit stands in these days, so nothing was closed." in whole
    assert (
        f"/closures/new/?who=&amp;day={day - timedelta(days=1)}&amp;ends_on={day}" in whole and "reason=Fair" in whole
    )
    assert "these days" not in others
    assert [one.practitioner for one in Closure.objects.for_clinic(practice.clinic)] == [other.practitioner]


def test_a_closure_is_not_stretched_over_visits_either_nor_a_holiday_closed_again(
    practice: Practice, chief: Client, now: datetime
) -> None:
    day = clock.now().date() + timedelta(days=30)
    closure = Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day, reason="Fair")
    kept = practice.book(now=now, day=day, override="agreed")
    practice.book(now=now, day=day + timedelta(days=1))
    holiday = Closure.objects.create(
        clinic=practice.clinic,
        begins_on=day + timedelta(days=1),
        ends_on=day + timedelta(days=1),
        source="holiday",
        is_open=True,
    )
    wish = {"practitioner": "", "begins_on": day, "ends_on": day + timedelta(days=1), "reason": "Fair"}

    stretched = chief.post(page_of(closure), wish).content.decode()
    again = chief.post(page_of(holiday), {}).content.decode()
    renamed = chief.post(page_of(closure), wish | {"ends_on": day, "reason": "Feria"})

    assert "1 visit stands in these days" in stretched and "1 visit stands in these days" in again
    assert renamed.status_code == 302
    closure.refresh_from_db()
    holiday.refresh_from_db()
    assert (closure.ends_on, closure.reason, holiday.is_open) == (day, "Feria", True)
    assert kept.is_live


def test_a_closure_until_further_notice_or_since_ever_is_refused_in_words(practice: Practice, chief: Client) -> None:
    today = f"{clock.now():%Y-%m-%d}"

    for days in ({"begins_on": today, "ends_on": "9999-12-31"}, {"begins_on": "0001-01-01", "ends_on": today}):
        assert "Within 800 days of today, please." in close(chief, **days)
    assert not Closure.objects.for_clinic(practice.clinic).exists()


def test_a_closure_whose_patients_are_about_to_be_told_is_neither_changed_nor_deleted_here(
    practice: Practice, chief: Client
) -> None:
    practice.book(now=clock.now(), day=clock.now().date() + timedelta(days=30))
    plan = closed(practice, now=clock.now(), day=clock.now().date() + timedelta(days=30), decision=VisitDecision.CANCEL)
    assert plan.closure is not None

    assert chief.post(page_of(plan.closure, "delete"), {"post": "yes"}).status_code == 403
    assert chief.post(page_of(plan.closure), {}).status_code == 403
    assert Closure.objects.for_clinic(practice.clinic).exists()


def test_a_closure_that_ends_before_it_begins_is_refused(practice: Practice, chief: Client) -> None:
    said = close(chief, ends_on="2026-04-19")

    assert "Not before the first day" in said
    assert not Closure.objects.for_clinic(practice.clinic).exists()


def test_a_closure_of_some_hours_counts_the_visits_of_those_hours(
    practice: Practice, chief: Client, now: datetime
) -> None:
    day = clock.now().date() + timedelta(days=30)
    practice.book(now=now, day=day, at=time(10, 30))
    hours = {"begins_on": day.isoformat(), "ends_on": ""}

    before = close(chief, **hours, begins_at="08:00", ends_at="10:30")
    over = close(chief, **hours, begins_at="10:00", ends_at="11:00")

    assert "these days" not in before
    assert "1 visit stands in these days" in over
    assert "begins_at=10%3A00&amp;ends_at=11%3A00" in over
    assert [closure.ends_on for closure in Closure.objects.for_clinic(practice.clinic)] == [day]


def test_hours_of_a_closure_that_end_before_they_begin_are_refused(practice: Practice, chief: Client) -> None:
    assert "Later than the beginning" in close(chief, ends_on="2026-04-20", begins_at="12:00", ends_at="11:00")


def test_a_holiday_is_not_deleted_but_worked_on(practice: Practice, chief: Client, now: datetime) -> None:
    write_holidays(practice.clinic, now=now)
    holiday = Closure.objects.for_clinic(practice.clinic).get(begins_on=date(2026, 5, 1))

    page = text_of(chief, page_of(holiday))
    refused = chief.post(page_of(holiday, "delete"), {"post": "yes"})
    chief.post(page_of(holiday), {"is_open": "on", "begins_on": "2026-06-01"})

    assert "We work that day" in page
    assert refused.status_code == 403
    holiday.refresh_from_db()
    assert (holiday.is_open, holiday.begins_on) == (True, date(2026, 5, 1))
    assert "Fiesta del Trabajo" in text_of(chief, list_of(Closure))
