"""The wizard at the desk: who is away, which visits it hits, what patients will read, closing it, the undo, and what came of it."""

from __future__ import annotations

import re
from datetime import time, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from appointments.models import (
    Appointment,
    AppointmentStatus,
    Closure,
    ClosurePlan,
    PlanState,
    Practitioner,
    VisitDecision,
    VisitOutcome,
)
from appointments.models.guarding import changing_visits
from appointments.queries.closure_plans import rows_of
from appointments.usecases.closing import UNDO_FOR
from clinicbot import clock
from clinicbot.models import Role
from messaging.contracts import TaskReason
from messaging.models import Contact
from messaging.queries.tasks import open_tasks_for
from scheduler.models import TickRun
from tests.appointments.chat import run
from tests.appointments.closing import closed, draft, outcomes, row_of, run_on
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import at_desk, booked, day_ahead
from tests.appointments.test_calendar_pages import crowd
from tests.factories import ClinicFactory

A_PAGE = 12


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def words(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def show(desk: Client, name: str, *args: object, **query: object) -> str:
    answer = desk.get(reverse(name, args=args, query=query))
    assert answer.status_code == 200
    return words(answer)


def draw_up(desk: Client, practice: Practice, *, days: int = 3, **rest: object) -> ClosurePlan:
    """The first step, as the page sends it."""
    day = day_ahead(practice.clinic, days)
    answer = desk.post(reverse("closure-new"), {"begins_on": day.isoformat(), "reason": "Strike", **rest})
    assert answer.status_code == 302, words(answer)
    return ClosurePlan.objects.for_clinic(practice.clinic).latest("pk")


def send(desk: Client, name: str, plan: ClosurePlan, *args: object, **given: object) -> Any:
    return desk.post(reverse(name, args=[plan.pk, *args]), given)


def test_a_day_is_closed_from_the_first_step_to_the_last_and_its_patients_hear_once(
    speaking: Practice, desk: Client
) -> None:
    visit = booked(speaking)
    run(now=clock.now())

    plan = draw_up(desk, speaking)
    deciding = show(desk, "closure", plan.pk)
    option = row_of(plan, visit).options[0]
    chosen = send(desk, "closure-decide", plan, act="review", **{f"d-{visit.pk}": f"move:{option}"})
    review, texts = show(desk, "closure-review", plan.pk), show(desk, "closure-texts", plan.pk)
    before = Closure.objects.for_clinic(speaking.clinic).exists()
    send(desk, "closure-close", plan)
    send(desk, "closure-close", plan)
    waiting = show(desk, "closure", plan.pk)
    run(now=clock.now() + UNDO_FOR)
    after = show(desk, "closure", plan.pk)

    assert "1 visit is hit. Nothing is closed and nobody is told yet." in deciding
    assert chosen["location"] == reverse("closure-review", args=[plan.pk])
    assert "In ten minutes 1 visit moves." in review and "Close and tell 1 patient" in review
    assert "1 patient hears by WhatsApp." in review
    assert "Visit moved" in texts and "su cita ha cambiado" in texts
    assert not before
    assert Closure.objects.for_clinic(speaking.clinic).get().reason == "Strike"
    assert "It is closed: nobody can be booked then." in waiting and "Undo" in waiting
    assert "1 moved" in after and "Undo" not in after


def test_the_absence_of_one_hits_only_their_visits(practice: Practice, desk: Client) -> None:
    colleague = make_practice(practice.clinic, now=clock.now(), name="Dr. Mateo Quiroga")
    visit = booked(practice)
    booked(colleague, at=time(12), patient=colleague.ana)

    plan = draw_up(desk, practice, who=practice.practitioner.pk)

    assert [row.appointment_id for row in rows_of(plan)] == [visit.pk]
    assert "Absence of Dra. Lucía Barrera" in show(desk, "closure", plan.pk)


def test_undo_opens_the_day_again(speaking: Practice, desk: Client) -> None:
    visit = booked(speaking)
    plan = closed(speaking, now=clock.now(), day=day_ahead(speaking.clinic), decision=VisitDecision.CANCEL)

    answer = desk.post(reverse("closure-undo", args=[plan.pk]), follow=True)

    assert "Nobody was told, and the time can be booked again." in words(answer)
    assert not Closure.objects.for_clinic(speaking.clinic).exists()
    visit.refresh_from_db()
    assert visit.status == AppointmentStatus.BOOKED


def test_what_is_missing_is_said_under_its_field_and_nothing_is_lost(practice: Practice, desk: Client) -> None:
    day = day_ahead(practice.clinic)

    answer = desk.post(
        reverse("closure-new"),
        {"begins_on": day.isoformat(), "ends_on": (day - timedelta(days=1)).isoformat(), "reason": ""},
    )

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Not before the first day, please." in page and "This field is required." in page
    assert day.isoformat() in page
    assert not ClosurePlan.objects.for_clinic(practice.clinic).exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"begins_at": "12:00", "ends_at": "11:00"}, "Later than the beginning, please."),
        ({"begins_on": "2020-01-01"}, "Check the days: they are over, or years ahead."),
        ({"begins_on": "9999-12-31"}, "Check the days: they are over, or years ahead."),
        ({"begins_on": "0001-01-01"}, "Check the days: they are over, or years ahead."),
        ({"who": "999999"}, "The patient, practitioner, room or service is no longer in use here."),
        ({"begins_on": "soon"}, "Enter a valid date."),
    ],
)
def test_days_that_cannot_be_are_refused(practice: Practice, desk: Client, given: dict[str, str], said: str) -> None:
    day = day_ahead(practice.clinic)

    answer = desk.post(reverse("closure-new"), {"begins_on": day.isoformat(), "reason": "Strike", **given})

    assert answer.status_code == 400
    assert said in words(answer)


def test_a_first_day_of_long_ago_is_refused(practice: Practice, desk: Client) -> None:
    days = {"begins_on": "0001-01-01", "ends_on": day_ahead(practice.clinic).isoformat()}

    answer = desk.post(reverse("closure-new"), {"reason": "Strike", **days})

    assert answer.status_code == 400
    assert "Within 800 days of today, please." in words(answer)


def test_a_visit_is_kept_only_with_a_note_and_what_was_chosen_beside_it_is_not_lost(
    practice: Practice, desk: Client
) -> None:
    first, second = booked(practice, at=time(9)), booked(practice, at=time(10), patient=practice.ana)
    plan = draw_up(desk, practice)

    answer = send(desk, "closure-decide", plan, act="review", **{f"d-{first.pk}": "keep", f"d-{second.pk}": "cancel"})

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Say why the visit stays" in page
    assert re.search(rf'name="d-{second.pk}" value="cancel" checked', page)
    assert [row.decision for row in rows_of(plan)] == ["", ""]
    noted = {f"d-{first.pk}": "keep", f"n-{first.pk}": "A colleague comes", f"d-{second.pk}": "cancel"}
    assert send(desk, "closure-decide", plan, act="review", **noted).status_code == 302
    assert [row.decision for row in rows_of(plan)] == ["keep", "cancel"]


def test_a_time_that_was_never_proposed_is_refused(practice: Practice, desk: Client) -> None:
    visit = booked(practice)
    plan = draw_up(desk, practice)

    for wish in ("move:20990101T0900-1-1", "move:", "move:x-y-z", "explode"):
        send(desk, "closure-decide", plan, act="save", **{f"d-{visit.pk}": wish, "d-x": "cancel", "d-": "keep"})

    assert row_of(plan, visit).decision == ""


def test_all_at_once_are_moved_cancelled_or_left_and_those_without_a_time_are_counted(
    practice: Practice, desk: Client
) -> None:
    for hour in (9, 10, 11):
        booked(practice, at=time(hour))
    plan = draw_up(desk, practice)
    rows_of(plan).filter(appointment__local_time=time(9)).update(options=[])

    answer = desk.post(reverse("closure-decide", args=[plan.pk]), {"act": "move_all"}, follow=True)
    moved = sorted(row.decision for row in rows_of(plan))
    send(desk, "closure-decide", plan, act="cancel_all")

    assert "For 1 visit no time was found: decide about it." in words(answer)
    assert moved == ["", "move", "move"]
    assert {row.decision for row in rows_of(plan)} == {"cancel"}


def test_what_came_meanwhile_is_shown_and_nothing_is_closed(practice: Practice, desk: Client) -> None:
    booked(practice)
    plan = draw_up(desk, practice)
    send(desk, "closure-decide", plan, act="cancel_all")
    booked(practice, at=time(16))

    answer = desk.post(reverse("closure-close", args=[plan.pk]), follow=True)

    text = words(answer)
    assert "Visits came or changed since this list was made." in text
    assert "2 visits are hit." in text and "1 undecided" in text
    assert not Closure.objects.for_clinic(practice.clinic).exists()


def test_who_comes_within_the_hour_is_to_be_called_now(practice: Practice, desk: Client) -> None:
    now = clock.now()
    soon = booked(practice)
    plan = draw_up(desk, practice)
    with changing_visits():
        Appointment.objects.for_clinic(practice.clinic).filter(pk=soon.pk).update(starts_at=now + timedelta(minutes=30))

    page = desk.get(reverse("closure", args=[plan.pk])).content.decode()

    assert "Call now: it begins soon" in page
    assert 'href="tel:+34612345678"' in page


def test_who_cannot_be_reached_is_listed_with_the_number_to_call(speaking: Practice, desk: Client) -> None:
    booked(speaking)
    booked(speaking, at=time(12), patient=speaking.add("Eva Sanz", now=clock.now()))
    Contact.objects.for_clinic(speaking.clinic).update(unreachable_since=clock.now())
    plan = draw_up(desk, speaking)
    send(desk, "closure-decide", plan, act="cancel_all")

    page = desk.get(reverse("closure-review", args=[plan.pk])).content.decode()

    assert "To call: 2 patients" in page
    assert 'href="tel:+34612345678"' in page and "No number to call." in page
    assert re.search(r"Close <kbd", page)


def test_with_nobody_booked_it_is_closed_at_once(practice: Practice, desk: Client) -> None:
    plan = draw_up(desk, practice)

    page = show(desk, "closure", plan.pk)
    send(desk, "closure-close", plan)

    assert "Nobody is booked then. Nobody has to be told." in page
    assert Closure.objects.for_clinic(practice.clinic).count() == 1
    assert "Nobody is to be told. It can be taken back for" in show(desk, "closure", plan.pk)


def test_a_draft_can_be_given_up(practice: Practice, desk: Client) -> None:
    plan = draw_up(desk, practice)

    assert "Given up. Nothing was closed." in words(desk.post(reverse("closure-drop", args=[plan.pk]), follow=True))
    assert "Strike" not in show(desk, "closures")
    assert "It is closed already, or was given up" in words(
        desk.post(reverse("closure-close", args=[plan.pk]), follow=True)
    )


def test_a_visit_that_was_left_for_later_is_kept_on_the_page_and_its_task_is_done(
    practice: Practice, desk: Client
) -> None:
    visit = booked(practice)
    plan = closed(practice, now=clock.now(), day=day_ahead(practice.clinic), decision=VisitDecision.LATER)
    run(now=clock.now() + UNDO_FOR)
    page = show(desk, "closure", plan.pk)

    without = send(desk, "closure-keep", plan, visit.pk, note="  ")
    kept = desk.post(reverse("closure-keep", args=[plan.pk, visit.pk]), {"note": "A colleague comes"}, follow=True)
    again = desk.post(reverse("closure-keep", args=[plan.pk, visit.pk]), {"note": "Twice"}, follow=True)

    assert "1 needs a person" in page and "to be decided" in page
    assert without.status_code == 302
    assert "Noted: the visit stays." in words(kept)
    assert "Somebody changed the visit meanwhile" in words(again)
    assert outcomes(plan) == [VisitOutcome.KEPT]
    assert open_tasks_for(practice.clinic.pk, reason=TaskReason.CLOSED_TIME) == []
    visit.refresh_from_db()
    assert visit.note == "A colleague comes"


def test_the_list_shows_drafts_what_is_to_come_and_what_is_past(practice: Practice, desk: Client) -> None:
    clinic, today = practice.clinic, day_ahead(practice.clinic, 0)
    booked(practice, days=5)
    Closure.objects.create(clinic=clinic, begins_on=day_ahead(clinic, 5), ends_on=day_ahead(clinic, 5), reason="Fair")
    Closure.objects.create(
        clinic=clinic, begins_on=today - timedelta(days=9), ends_on=today - timedelta(days=9), reason="Old"
    )
    draw_up(desk, practice)
    closed(practice, now=clock.now(), day=day_ahead(clinic, 7), decision=VisitDecision.CANCEL, reason="Works")

    text = show(desk, "closures")

    drafts, _coming, rest = text.partition("Now and to come")
    coming, _past, past = rest.partition("Past, and taken back")
    assert "Strike" in drafts and "Go on" in drafts
    assert "Fair" in coming and "Decide about 1 visit" in coming and "Works" in coming and "nobody told yet" in coming
    assert "Old" in past


def test_visits_on_days_that_are_closed_already_are_decided_about_without_closing_them_again(
    practice: Practice, desk: Client
) -> None:
    booked(practice, days=5)
    day = day_ahead(practice.clinic, 5)
    fair = Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day, reason="Fair")
    url = reverse("closure-new", query={"closure": fair.pk})

    page = desk.get(url).content.decode()
    desk.post(url, {"begins_on": day.isoformat(), "ends_on": day.isoformat(), "reason": "Fair"})
    plan = ClosurePlan.objects.for_clinic(practice.clinic).get()
    send(desk, "closure-decide", plan, act="cancel_all")
    send(desk, "closure-close", plan)
    desk.post(reverse("closure-undo", args=[plan.pk]))

    assert f'value="{day.isoformat()}"' in page and "Fair" in page
    assert Closure.objects.for_clinic(practice.clinic).get() == fair


def test_who_may_see_does_not_close_and_the_desk_does_not_let_anybody_go(practice: Practice, desk: Client) -> None:
    colleague, chief = (
        at_desk(practice.clinic, role=Role.PRACTITIONER),
        at_desk(practice.clinic, role=Role.CLINIC_ADMIN),
    )
    leave = reverse("practitioner-leave", args=[practice.practitioner.pk])
    plan = draw_up(desk, practice)

    assert colleague.get(reverse("closures")).status_code == 200
    assert colleague.get(reverse("closure", args=[plan.pk])).status_code == 200
    for name in ("closure-decide", "closure-close", "closure-undo", "closure-drop", "closure-again"):
        assert send(colleague, name, plan).status_code == 403
    assert colleague.get(reverse("closure-new")).status_code == 403
    assert desk.get(leave).status_code == 403
    assert chief.post(leave, {"reason": "Moves to Vigo"}).status_code == 302
    leaving = ClosurePlan.objects.for_clinic(practice.clinic).latest("pk")
    for name in ("closure-decide", "closure-close", "closure-drop", "closure-again"):
        assert send(desk, name, leaving).status_code == 403
    assert ClosurePlan.objects.for_clinic(practice.clinic).get(pk=leaving.pk).state == PlanState.DRAFT


def test_a_practitioner_is_let_go_from_the_page(speaking: Practice) -> None:
    chief = at_desk(speaking.clinic, role=Role.CLINIC_ADMIN)
    make_practice(speaking.clinic, now=clock.now(), name="Dr. Mateo Quiroga")
    visit = booked(speaking)
    run(now=clock.now())

    leave = reverse("practitioner-leave", args=[speaking.practitioner.pk])
    assert leave in chief.get(reverse("closure-new")).content.decode()
    chief.post(leave, {"reason": "Moves to Vigo"})
    plan = ClosurePlan.objects.for_clinic(speaking.clinic).get()
    send(chief, "closure-decide", plan, act="move_all")
    review = show(chief, "closure-review", plan.pk)
    texts = show(chief, "closure-texts", plan.pk)
    send(chief, "closure-close", plan)
    run_on(now=clock.now() + UNDO_FOR)

    assert "nobody is booked with them, and their calendar address ends" in review
    assert "Dr. Mateo Quiroga" in texts
    assert not Practitioner.objects.for_clinic(speaking.clinic).get(pk=speaking.practitioner.pk).is_active
    visit.refresh_from_db()
    assert visit.practitioner.full_name == "Dr. Mateo Quiroga"


@pytest.mark.parametrize("visits", [3, 300])
def test_a_page_asks_the_same_of_the_database_however_many_visits(
    practice: Practice, visits: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    crowd(practice, visits=visits)
    desk = at_desk(practice.clinic)
    days = [visit.local_date for visit in Appointment.objects.for_clinic(practice.clinic)]
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")  # Silence would be asked about.
    plan = draft(practice, now=clock.now(), day=min(days), ends_on=max(days))
    send(desk, "closure-decide", plan, act="cancel_all")
    desk.get(reverse("closures"))

    for name in ("closure", "closure-review", "closure-texts"):
        with django_assert_max_num_queries(A_PAGE):
            show(desk, name, plan.pk)
    with django_assert_max_num_queries(A_PAGE):
        show(desk, "closures")
    send(desk, "closure-close", plan)
    for _round in range(3):
        with django_assert_max_num_queries(A_PAGE):
            show(desk, "closure", plan.pk)
        with django_assert_max_num_queries(A_PAGE):
            show(desk, "closure-live", plan.pk)
        run(now=clock.now() + UNDO_FOR)
    assert rows_of(plan).count() == visits


def test_another_clinic_s_closure_is_not_found(practice: Practice) -> None:
    booked(practice)
    plan = draft(practice, now=clock.now(), day=day_ahead(practice.clinic))
    stranger = at_desk(ClinicFactory.create(), role=Role.CLINIC_ADMIN)

    for name in ("closure", "closure-live", "closure-review", "closure-texts"):
        assert stranger.get(reverse(name, args=[plan.pk])).status_code == 404
    for name in ("closure-decide", "closure-close", "closure-undo", "closure-again", "closure-drop"):
        assert send(stranger, name, plan).status_code == 404
    assert stranger.get(reverse("practitioner-leave", args=[practice.practitioner.pk])).status_code == 404
    assert "Strike" not in show(stranger, "closures")
