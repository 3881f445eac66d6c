"""The calendar's pages: what they show, what they ask of the database, and how a visit is put elsewhere."""

from __future__ import annotations

import re
from datetime import time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from appointments.models import Appointment, Closure, Patient, Practitioner, Room, WorkingHours
from appointments.usecases.booking import reschedule_appointment
from clinicbot import clock
from clinicbot.models import Clinic, Role
from clinicbot.settings.environment import PROJECT
from scheduler.models import TickRun
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.appointments.pages import at_desk, booked, code, day_ahead
from tests.factories import ClinicFactory

A_PAGE = 12


@pytest.fixture
def practice(clinic: Clinic) -> Practice:
    return make_practice(clinic, now=clock.now())


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def show(desk: Client, name: str = "calendar", **query: Any) -> str:
    answer = desk.get(reverse(name, query=query))
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def any_room(practice: Practice, *, at: time, days: int = 3) -> str:
    return code(practice, at=at, days=days).rsplit("-", 1)[0] + "-0"


def move(desk: Client, visit: Appointment, at: str, **rest: Any) -> Any:
    posted = {"at": at, "version": visit.notice_version, **rest}
    return desk.post(
        reverse("calendar-move", args=[visit.pk], query={"day": visit.local_date.isoformat()}), posted, follow=True
    )


def crowd(practice: Practice, *, visits: int) -> None:
    """So many on one day, shared by as many practitioners as it takes."""
    for number in range(visits // 24 + 1):
        if number:
            room = Room.objects.create(clinic=practice.clinic, name=f"Room {number}")
            person = Practitioner.objects.create(clinic=practice.clinic, full_name=f"Dr {number:02}", initials="D")
            WorkingHours.objects.bulk_create(
                WorkingHours(
                    clinic=practice.clinic,
                    practitioner=person,
                    weekday=weekday,
                    begins=time(8),
                    ends=time(20),
                    room=room,
                )
                for weekday in range(7)
            )
            gives_all(practice.clinic)
        else:
            person, room = practice.practitioner, practice.room
        for half in range(min(24, visits - number * 24)):
            slot = practice.slot(
                day_ahead(practice.clinic),
                time(8 + half // 2, 30 * (half % 2)),
                practitioner_id=person.pk,
                room_id=room.pk,
            )
            booked(practice, slot=slot, patient=practice.ana)


@pytest.mark.parametrize("visits", [3, 300])
def test_a_page_asks_the_same_of_the_database_however_many_visits(
    practice: Practice, visits: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    crowd(practice, visits=visits)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")  # Silence would be asked about.
    desk, day = at_desk(practice.clinic), day_ahead(practice.clinic).isoformat()
    visit = Appointment.objects.for_clinic(practice.clinic).latest("pk")

    for query in (
        {"day": day},
        {"day": day, "view": "week"},
        {"day": day, "hand": visit.pk},
        {"day": day_ahead(practice.clinic, 4).isoformat(), "hand": visit.pk, "view": "week"},
    ):
        with django_assert_max_num_queries(A_PAGE):
            page = show(desk, **query)
        assert "Calendar" in page
    with django_assert_max_num_queries(A_PAGE):
        show(desk, "calendar-live", day=day)
    with django_assert_max_num_queries(26):  # The text and the reminders are judged as the sender judges them.
        show(desk, "calendar-hand", day=day, hand=visit.pk, at=any_room(practice, at=time(9), days=5))


def test_a_free_time_opens_booking_with_it_filled_in(desk: Client, practice: Practice) -> None:
    page = show(desk, day=day_ahead(practice.clinic).isoformat())

    link = next(one for one in re.findall(r'href="([^"]+)"', page) if code(practice) in one).replace("&amp;", "&")
    found = desk.get(link + "&q=n%C3%BA%C3%B1").content.decode()
    chosen = next(one for one in re.findall(r'href="([^"]+)"', found) if f"patient={practice.ana.pk}" in one)
    review = desk.get(chosen.replace("&amp;", "&")).content.decode()

    assert 'name="at"' in found
    assert "Book and tell them" in text_of(review)


def test_the_hand_says_what_was_what_will_be_and_what_is_told(desk: Client, practice: Practice) -> None:
    visit = booked(practice)

    said = text_of(show(desk, "calendar-hand", hand=visit.pk, at=any_room(practice, at=time(16, 15))))

    assert "10:30 16:15" in said
    assert f"{practice.practitioner.full_name} and {practice.room.name} are free" in said
    assert "16:15" in said.split("will receive, now")[1]
    assert "Move and tell them" in said or "cannot be reached" in said


def test_where_it_does_not_fit_the_hand_says_why_and_offers_no_move(desk: Client, practice: Practice) -> None:
    visit, _other = booked(practice), booked(practice, at=time(12))
    day = visit.local_date + timedelta(days=1)
    Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day, reason="Feria")

    said = {
        at: show(desk, "calendar-hand", hand=visit.pk, at=at)
        for at in (
            any_room(practice, at=time(12, 15)),
            any_room(practice, at=time(7)),
            any_room(practice, at=time(9), days=4),
        )
    }

    assert ["put-down" in page for page in said.values()] == [False, False, False]
    taken, early, closed = (text_of(page) for page in said.values())
    assert "Somebody else has just taken that time" in taken
    assert "does not work at that time" in early
    assert "Feria" in closed


def test_put_down_it_stands_there_and_the_calendar_shows_that_day(desk: Client, practice: Practice) -> None:
    visit = booked(practice)

    answer = move(desk, visit, any_room(practice, at=time(9), days=5))

    visit.refresh_from_db()
    assert (visit.local_date, visit.local_time) == (day_ahead(practice.clinic, 5), time(9))
    assert visit.room_id == practice.room.pk
    assert answer.redirect_chain[-1][0].startswith(f"/calendar/?day={visit.local_date.isoformat()}")
    assert f'id="visit-{visit.pk}"' in answer.content.decode()


def test_a_time_taken_meanwhile_moves_nothing_and_offers_three_others(desk: Client, practice: Practice) -> None:
    visit = booked(practice)
    booked(practice, at=time(16), patient=practice.add("Bea Lu", now=clock.now()))

    answer = move(desk, visit, any_room(practice, at=time(16)))

    visit.refresh_from_db()
    page = answer.content.decode()
    alert = page.split('role="alert"')[1].split("</aside>")[0]
    assert answer.status_code == 409
    assert visit.local_time == time(10, 30)
    assert "Nothing was moved." in text_of(alert)
    assert re.findall(r'data-key="([abc])"', alert) == ["a", "b", "c"]
    other = re.findall(r'href="([^"]+hand=[^"]+)"', alert)[0].replace("&amp;", "&")
    assert "put-down" in show(desk, "calendar-hand", **dict(part.split("=") for part in other.split("?")[1].split("&")))


def test_a_visit_that_somebody_else_moved_meanwhile_stays_where_they_put_it(desk: Client, practice: Practice) -> None:
    visit = booked(practice)
    reschedule_appointment(
        practice.clinic,
        appointment_id=visit.pk,
        slot=practice.slot(visit.local_date, time(12)),
        actor=DESK,
        now=clock.now(),
    )

    answer = move(desk, visit, any_room(practice, at=time(16)))

    visit.refresh_from_db()
    assert (answer.status_code, visit.local_time) == (409, time(12))
    assert "Somebody changed the visit meanwhile" in text_of(answer.content.decode())


def test_who_may_moves_it_into_closed_time_with_a_reason(practice: Practice) -> None:
    visit, admin = booked(practice), at_desk(practice.clinic, role=Role.CLINIC_ADMIN)
    early = any_room(practice, at=time(7))

    hand = show(admin, "calendar-hand", hand=visit.pk, at=early)
    without = move(admin, visit, early)
    with_reason = move(admin, visit, early, override="he flies at noon")

    visit.refresh_from_db()
    assert 'name="override"' in hand
    assert (without.status_code, with_reason.status_code) == (409, 200)
    assert visit.local_time == time(7)


def test_a_room_column_chooses_the_room(desk: Client, practice: Practice) -> None:
    visit, spare = booked(practice), Room.objects.create(clinic=practice.clinic, name="X-ray")
    at = any_room(practice, at=time(10, 30)).rsplit("-", 1)[0] + f"-{spare.pk}"

    said = text_of(show(desk, "calendar-hand", hand=visit.pk, at=at))
    move(desk, visit, at)

    visit.refresh_from_db()
    assert (visit.room_id, visit.local_time) == (spare.pk, time(10, 30))
    assert "the patient need not know of this" in said


def test_who_may_not_move_visits_opens_them_instead(practice: Practice) -> None:
    visit = booked(practice)
    dentist = at_desk(practice.clinic, role=Role.PRACTITIONER)

    page = show(dentist, day=visit.local_date.isoformat(), hand=visit.pk)

    assert reverse("visit", args=[visit.pk]) in page
    assert "data-movable" not in page and 'id="hand"' not in page and "/book/" not in page
    assert dentist.get(reverse("calendar-hand", query={"hand": visit.pk})).status_code == 403
    assert dentist.post(reverse("calendar-move", args=[visit.pk])).status_code == 403


def test_ids_of_another_clinic_show_and_move_nothing(desk: Client, practice: Practice) -> None:
    foreign = make_practice(ClinicFactory.create(), now=clock.now(), name="Dr Fremdwort")
    theirs, ours = booked(foreign), booked(practice)

    pages = [
        show(desk, day=theirs.local_date.isoformat(), who=foreign.practitioner.pk, hand=theirs.pk),
        show(desk, view="week", day=theirs.local_date.isoformat(), room=foreign.room.pk, service=foreign.service.pk),
    ]

    assert not any("Fremdwort" in page or 'id="hand"' in page for page in pages)
    assert desk.get(reverse("calendar-hand", query={"hand": theirs.pk})).status_code == 404
    assert desk.post(reverse("calendar-move", args=[theirs.pk]), {"at": code(foreign)}).status_code == 404
    assert move(desk, ours, code(foreign, at=time(12))).status_code == 409


@pytest.mark.parametrize("word", ["", "x", "-1", "9" * 30, "2026-02-30", "0001-01-01", "9999-12-31"])
def test_no_address_breaks_the_calendar(desk: Client, practice: Practice, word: str) -> None:
    visit = booked(practice)
    for name in ("day", "view", "who", "room", "service", "hand", "at", "moved"):
        for query in ({"hand": str(visit.pk), name: word}, {"view": "week", name: word}):
            assert desk.get(reverse("calendar", query=query)).status_code == 200
    show(desk, "calendar-hand", hand=visit.pk, at=word)
    assert move(desk, visit, word, version=word).status_code == 200


def test_an_empty_clinic_has_a_calendar(clinic: Clinic) -> None:
    desk = at_desk(clinic)

    assert "Nobody works on that day" in show(desk)
    assert "Nobody works on that day" in show(desk, view="week")
    assert Patient.objects.for_clinic(clinic).count() == 0


def test_every_hour_and_minute_has_its_class() -> None:
    sheet = (PROJECT / "static/css/calendar_times.css").read_text(encoding="utf-8")

    for name, count in (("t-h", 49), ("t-m", 60), ("l-h", 49), ("l-m", 60)):
        variable = name.replace("-", "")
        assert [f".{name}{number} {{ --{variable}: {number}; }}" in sheet for number in range(count)] == [True] * count
