"""What is pressed on the patient's page: once, only as it was shown, and each visit by itself."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from django.test import Client

from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind
from appointments.queries.patient_page import PageState
from appointments.usecases import patient_page
from appointments.usecases.patient_page import PRESSES, WINDOW, Done, count_press
from clinicbot import clock
from clinicbot.actors import ActorKind
from messaging.models import Message
from tests.appointments.making import Practice
from tests.appointments.pages import booked, code
from tests.appointments.patient_page.links import cancel, leo_of, link, move, phone, state, wish
from tests.drive import deliver_all


def press(visit: Appointment, route: str, /, **data: object) -> str:
    """What the page says afterwards."""
    response = phone().post(link(visit, route), data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def last_change(visit: Appointment) -> AppointmentChange:
    return AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("-pk")[0]


def test_yes_is_noted_as_the_patients_and_nothing_is_sent_for_it(practice: Practice) -> None:
    visit = booked(practice)
    deliver_all(now=clock.now())
    told = Message.unscoped.count()

    page = press(visit, "patient-confirm", visit=wish(visit))

    deliver_all(now=clock.now())
    assert state(visit) == PageState.CONFIRMED
    assert "Gracias." in page
    assert (last_change(visit).actor_kind, last_change(visit).kind) == (ActorKind.PATIENT, ChangeKind.CONFIRMED)
    assert Message.unscoped.count() == told


def test_each_of_a_household_says_yes_alone_or_all_at_once(practice: Practice) -> None:
    ana, leo, tia = booked(practice), leo_of(practice, at=time(12)), booked(practice, at=time(14))

    press(ana, "patient-confirm", visit=wish(leo))
    assert [state(one) for one in (ana, leo, tia)] == [PageState.BOOKED, PageState.CONFIRMED, PageState.BOOKED]

    press(ana, "patient-confirm", visit=[wish(ana), wish(tia)])
    assert {state(one) for one in (ana, leo, tia)} == {PageState.CONFIRMED}


def test_a_yes_to_a_time_that_has_moved_counts_for_nothing(practice: Practice) -> None:
    visit = booked(practice)
    shown = wish(visit)
    move(practice, visit, at=time(15))

    page = press(visit, "patient-confirm", visit=shown)

    assert state(visit) == PageState.BOOKED
    assert "No se ha cambiado nada." in page and "15:00" in page


def test_of_several_that_were_confirmed_one_that_moved_is_named_as_left_out(practice: Practice) -> None:
    ana, leo = booked(practice), leo_of(practice, at=time(12))
    shown = [wish(ana), wish(leo)]
    move(practice, leo, at=time(15))

    page = press(ana, "patient-confirm", visit=shown)

    assert (state(ana), state(leo)) == (PageState.CONFIRMED, PageState.BOOKED)
    assert "Solo se ha hecho una parte." in page


@pytest.mark.parametrize("route", ["patient-confirm", "patient-cancel", "patient-change"])
def test_an_old_page_never_brings_a_cancelled_visit_back(practice: Practice, route: str) -> None:
    visit = booked(practice)
    shown = wish(visit)
    cancel(practice, visit)

    for one in (shown, wish(visit)):
        press(visit, route, visit=one, at=code(practice, at=time(15)))

    visit.refresh_from_db()
    assert visit.status == AppointmentStatus.CANCELLED_BY_CLINIC


def test_a_cancelled_page_is_not_thanked_for_by_an_old_form(practice: Practice) -> None:
    visit = booked(practice)
    move(practice, visit, at=time(15))

    press(visit, "patient-cancel", visit=f"{visit.pk}:1")

    assert state(visit) == PageState.BOOKED


def test_cancelling_frees_the_time_says_so_and_is_told(practice: Practice) -> None:
    visit = booked(practice)
    deliver_all(now=clock.now())

    page = press(visit, "patient-cancel", visit=wish(visit), reason="time_does_not_suit")
    press(visit, "patient-cancel", visit=f"{visit.pk}:1")  # Pressed twice.

    deliver_all(now=clock.now())
    visit.refresh_from_db()
    assert visit.status == AppointmentStatus.CANCELLED_BY_PATIENT
    assert "Cancelada." in page
    assert last_change(visit).reason == "time_does_not_suit"
    assert AppointmentChange.unscoped.filter(kind=ChangeKind.CANCELLED).count() == 1
    assert Message.unscoped.filter(subjects__subject_version=visit.notice_version).count() == 1
    assert booked(practice).pk != visit.pk


def test_of_several_only_what_is_ticked_is_cancelled(practice: Practice) -> None:
    ana, leo = booked(practice), leo_of(practice, at=time(12))
    form = phone().get(link(ana, "patient-cancel", visit=leo.pk)).content.decode()
    assert f'value="{wish(leo)}" checked' in form and f'value="{wish(ana)}" checked' not in form

    nothing = phone().post(link(ana, "patient-cancel"), {"reason": "not_needed"})
    assert nothing.status_code == 400
    assert 'value="not_needed" checked' in nothing.content.decode()
    assert state(leo) == PageState.BOOKED

    page = press(ana, "patient-cancel", visit=wish(leo), reason="anything else")
    assert (state(ana), state(leo)) == (PageState.BOOKED, PageState.CANCELLED)
    assert "Cancelada." in page
    assert last_change(leo).reason == ""


def test_another_time_is_looked_at_first_and_then_taken(practice: Practice) -> None:
    visit = booked(practice)
    deliver_all(now=clock.now())
    wanted = code(practice, at=time(16, 15), days=5)

    times = phone().get(link(visit, "patient-change")).content.decode()
    review = phone().get(link(visit, "patient-change", at=wanted)).content.decode()
    assert practice.practitioner.full_name in times and "?visit=" in times
    assert "16:15" in review and "10:30" in review and state(visit) == PageState.BOOKED

    page = press(visit, "patient-change", visit=wish(visit), at=wanted)
    again = press(visit, "patient-change", visit=f"{visit.pk}:1", at=wanted)  # Pressed twice.

    deliver_all(now=clock.now())
    visit.refresh_from_db()
    assert (visit.local_time, visit.notice_version) == (time(16, 15), 2)
    assert all("Nueva hora." in one for one in (page, again))
    assert Message.unscoped.filter(subjects__subject_version=2).count() == 1


def test_one_of_a_household_that_moves_to_another_day_is_shown_there(practice: Practice) -> None:
    ana, leo = booked(practice), leo_of(practice, at=time(12))

    page = press(ana, "patient-change", visit=wish(leo), at=code(practice, at=time(16), days=5))

    assert "Nueva hora." in page and "16:00" in page
    leo.refresh_from_db()
    assert (state(ana), ana.notice_version, leo.local_time) == (PageState.BOOKED, 1, time(16))


def test_what_was_done_is_not_said_by_an_address_that_somebody_made_up(practice: Practice) -> None:
    visit = booked(practice)

    for said in ("cancelled", "moved", "partly"):
        assert 'role="status"' not in phone().get(link(visit, said=said)).content.decode()


def test_a_time_taken_meanwhile_moves_nothing_and_offers_others(practice: Practice) -> None:
    visit = booked(practice)
    booked(practice, at=time(16, 15))

    response = phone().post(
        link(visit, "patient-change"), {"visit": wish(visit), "at": code(practice, at=time(16, 15))}
    )

    page = response.content.decode()
    visit.refresh_from_db()
    assert response.status_code == 409
    assert visit.local_time == time(10, 30)
    assert "16:15 ya no está libre" in page
    assert code(practice, at=time(16, 45)) in page


@pytest.mark.parametrize("at", ["", "x", "20260101T0900-1-1", "99999999T9999-1-1"])
def test_a_time_that_nobody_offered_is_not_taken(practice: Practice, at: str) -> None:
    visit = booked(practice)

    response = phone().post(link(visit, "patient-change"), {"visit": wish(visit), "at": at})

    assert response.status_code in (200, 409)
    assert (state(visit), visit.notice_version) == (PageState.BOOKED, 1)


def test_a_time_between_the_offered_ones_is_not_taken(practice: Practice) -> None:
    visit = booked(practice)

    phone().post(link(visit, "patient-change"), {"visit": wish(visit), "at": code(practice, at=time(16, 7))})

    visit.refresh_from_db()
    assert visit.local_time == time(10, 30)


def test_what_is_posted_for_others_is_nobodys(practice: Practice) -> None:
    ana, other_day = booked(practice), booked(practice, days=4)

    for route in ("patient-confirm", "patient-cancel", "patient-change"):
        data = {"visit": [wish(other_day), "0:1", "x", "999999999999999999999:1", f"{ana.pk}"]}
        phone().post(link(ana, route), {**data, "at": code(practice, at=time(16))})

    assert {state(one) for one in (ana, other_day)} == {PageState.BOOKED}


def test_who_presses_without_end_is_asked_to_wait_and_others_are_not(practice: Practice) -> None:
    visit, other = booked(practice), booked(practice, days=4)
    for _ in range(PRESSES):
        phone().post(link(visit, "patient-hearing"), {})

    response = phone().post(link(visit, "patient-confirm"), {"visit": wish(visit)})

    assert response.status_code == 429
    assert state(visit) == PageState.BOOKED
    assert phone().get(link(visit)).status_code == 200
    assert phone().post(link(other, "patient-confirm"), {"visit": wish(other)}).status_code == 302
    assert count_press(visit, real=clock.real() + WINDOW + timedelta(seconds=1))


def test_a_visit_that_has_begun_is_left_as_it_is(practice: Practice) -> None:
    visit = booked(practice)
    begun = visit.starts_at + timedelta(minutes=1)
    shown = patient_page.Shown(visit=visit, notice_version=visit.notice_version)

    assert patient_page.confirm_shown([shown], now=begun) == Done.NONE
    assert patient_page.cancel_shown([shown], reason="", now=begun) == Done.NONE
    assert not patient_page.move_shown(shown, slot=practice.slot(visit.local_date, time(19)), now=begun)

    visit.refresh_from_db()
    assert (visit.status, visit.notice_version) == (AppointmentStatus.BOOKED, 1)


def test_a_login_does_not_stand_in_for_the_link(practice: Practice, client: Client) -> None:
    visit = booked(practice)

    assert client.post(f"/visit/{visit.pk}/confirm/", {"visit": wish(visit)}).status_code == 404


def test_who_wants_no_messages_is_not_promised_one(practice: Practice) -> None:
    visit = booked(practice)
    with_message = press(visit, "patient-change", visit=wish(visit), at=code(practice, at=time(15)))
    choose = {"contact": practice.ana.reached_at.get().contact_id, "category": "visits", "wants": "no"}
    press(visit, "patient-hearing", **choose)

    without = press(visit, "patient-cancel", visit=wish(visit))

    assert "También se lo escribimos" in with_message
    assert "También se lo escribimos" not in without and "Otra persona" in without
