"""clinics C40: somebody young who decides alone, and whose guardian is not to be notified. Through every door that says something."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
from django.urls import reverse

from appointments.models import Appointment, Patient
from appointments.queries.desk_tasks import desk_tasks
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.forecasting import forecast_of_clinic
from appointments.usecases.people import add_way_to_reach, keep_guardian_out
from appointments.usecases.rules import add_rule
from clinicbot import clock
from clinicbot.models import Role
from messaging.channels.base import Verdict
from messaging.contracts import Category, TaskReason
from messaging.models import InboundState, Message, MessageState
from messaging.usecases.foreseeing import Fate
from tests.appointments.admin.pages import page_of
from tests.appointments.chat import run, said
from tests.appointments.household import EVE, LATER, TUESDAY, bundle, tap, write
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, book_url, booked
from tests.appointments.patient_page.links import link, phone
from tests.canary import values
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel, refused

ANAS, LEOS = "+34612345678", "+34612999000"
WHY = "the guardian is not to be notified, and the patient has no number of their own"


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)


def keep_out(practice: Practice, patient: Patient, *, is_kept_out: bool = True) -> None:
    keep_guardian_out(practice.clinic, patient_id=patient.pk, is_kept_out=is_kept_out, actor=DESK, now=clock.now())
    patient.refresh_from_db()


def give_own_number(practice: Practice, patient: Patient) -> None:
    add_way_to_reach(
        practice.clinic, patient=patient, phone=LEOS, agreed_to=[Category.VISITS], actor=DESK, now=clock.now()
    )


def whys(practice: Practice) -> list[tuple[str, str, list[int]]]:
    return [(one.task.reason, one.why, [person.pk for person in one.people]) for one in desk_tasks(practice.clinic)]


def test_confirmation_change_and_cancellation_go_to_the_own_number(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    give_own_number(speaking, leo)
    keep_out(speaking, leo)

    visit = speaking.book(now=now, day=TUESDAY, patient=leo)
    run(now=now)
    slot = speaking.slot(TUESDAY, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    run(now=now)

    assert [call.phone for call in channel.calls] == [LEOS] * 3
    assert whys(speaking) == []


def test_without_a_number_of_their_own_each_message_becomes_a_task_that_says_why(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    keep_out(speaking, leo)

    speaking.book(now=now, day=TUESDAY, patient=leo)
    run(now=now)
    run(now=EVE)

    assert channel.calls == []
    assert whys(speaking) == [(TaskReason.NO_REACHABLE_CONTACT, WHY, [leo.pk])] * 2


def test_a_number_that_was_the_patients_own_before_the_guardian_had_it_is_not_used(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    eva = speaking.add("Eva Ruiz", phone=LEOS, guardian=speaking.ana, now=now)
    give_own_number(speaking, speaking.ana)
    keep_out(speaking, eva)

    speaking.book(now=now, day=TUESDAY, patient=eva)
    run(now=now)

    assert channel.calls == []
    assert [why for _reason, why, _people in whys(speaking)] == [WHY]


def test_the_guardians_message_leaves_the_visit_out_also_when_it_was_queued_before(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    for at, patient in ((time(10, 30), speaking.ana), (time(12), leo)):
        speaking.book(now=now, day=TUESDAY, at=at, patient=patient)
    run(now=now)
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    channel.calls.clear()

    give_own_number(speaking, leo)
    keep_out(speaking, leo)
    run(now=LATER)
    run(now=LATER)

    texts = dict(zip([call.phone for call in channel.calls], said(channel), strict=True))
    assert set(texts) == {ANAS, LEOS}
    assert "Leo" not in texts[ANAS] and "Leo" in texts[LEOS]


def test_the_guardian_neither_answers_for_them_nor_is_told_how_they_stand(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """By the button of an old message, and by words."""
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    visits = [
        speaking.book(now=now, day=TUESDAY, at=at, patient=patient)
        for at, patient in ((time(10, 30), speaking.ana), (time(12), leo))
    ]
    run(now=now)
    run(now=EVE)
    asked = bundle(speaking)
    keep_out(speaking, leo)
    count = len(channel.calls)

    tap(speaking, "confirm", asked)
    tap(speaking, f"cancel:{visits[1].pk}", asked)
    write(speaking, "cancelar")

    assert [Appointment.objects.for_clinic(speaking.clinic).get(pk=one.pk).status for one in visits] == [
        "confirmed",
        "booked",
    ]
    assert len(channel.calls) > count
    assert not any("Leo" in text for text in said(channel)[count:])


def test_an_answer_that_waits_for_the_account_is_not_sent_to_the_guardian_any_more(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    speaking.book(now=now, day=TUESDAY, patient=leo)
    run(now=now)
    notice = Message.objects.for_clinic(speaking.clinic).get()
    channel.script = [refused(Verdict.RETRY)]
    inbound = tap(speaking, "change", notice, now=now)
    count = len(channel.calls)

    keep_out(speaking, leo)
    run(now=now + timedelta(minutes=10))

    answer = Message.objects.for_clinic(speaking.clinic).latest("pk")
    assert inbound.state == InboundState.ANSWERED
    assert (answer.state, answer.reason) == (MessageState.SKIPPED, "not_for_guardian")
    assert len(channel.calls) == count


def test_a_forecast_says_who_hears_and_who_becomes_a_task(speaking: Practice, leo: Patient, now: datetime) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    for at, patient in ((time(10, 30), speaking.ana), (time(12), leo)):
        speaking.book(now=now, day=TUESDAY, at=at, patient=patient)
    run(now=now)
    keep_out(speaking, leo)

    forecast = forecast_of_clinic(speaking.clinic, days=10, real=clock.real(), now=now)

    found = [([one.patient_id for one in each.visits], each.foreseen) for each in forecast.reminders]
    assert [(people, one.fate, one.reason) for people, one in found] == [
        ([speaking.ana.pk], Fate.SEND, ""),
        ([leo.pk], Fate.FAIL, "guardian_kept_out"),
    ]


def test_the_guardians_page_shows_nothing_of_them_and_links_sent_before_stop_working(
    speaking: Practice, leo: Patient
) -> None:
    anas, leos = booked(speaking), booked(speaking, at=time(12), patient=leo)
    old = link(leos)
    before = phone().get(link(anas)).content.decode()

    keep_out(speaking, leo)

    leos.refresh_from_db()
    of_guardian = phone().get(link(anas)).content.decode()
    messages = phone().get(link(anas, "patient-hearing")).content.decode()
    own = phone().get(link(leos)).content.decode()
    own_messages = phone().get(link(leos, "patient-hearing")).content.decode()
    assert "Leo" in before
    assert "Leo" not in of_guardian and "Leo" not in messages
    assert phone().get(old).status_code == 404
    assert "Leo" in own and "Ana" not in own
    assert "5678" not in own_messages


def test_staff_say_so_on_the_patients_page_which_tells_what_follows(speaking: Practice, leo: Patient) -> None:
    desk = at_desk(speaking.clinic)
    page, act = reverse("patient", args=[leo.pk]), reverse("patient-guardian", args=[leo.pk])
    before = desk.get(page).content.decode()

    desk.post(act, {"notify": "no"})
    without_number = desk.get(page).content.decode()
    booking = desk.get(book_url(speaking, patient=leo.pk)).content.decode()
    give_own_number(speaking, leo)
    with_number = desk.get(page).content.decode()
    booking_again = desk.get(book_url(speaking, patient=leo.pk)).content.decode()
    desk.post(act, {"notify": "yes"})

    assert "Do not notify Ana" in before and "Links sent before stop working." in before
    assert "Ana is not notified." in without_number and "instead of each message the desk gets a task" in without_number
    assert "Ana is not to be notified." in booking and "Nothing is sent to *** 5678." in booking
    assert "Messages go to *** 9000." in with_number
    assert "*** 5678 · WhatsApp" not in booking and "*** 9000 · WhatsApp" in booking_again
    leo.refresh_from_db()
    assert not leo.is_guardian_kept_out


def test_the_admin_does_the_same(speaking: Practice, leo: Patient) -> None:
    visit = booked(speaking, patient=leo, days=4)
    old = visit.link_token
    chief = at_desk(speaking.clinic, role=Role.CLINIC_ADMIN)
    form = {"full_name": "Leo Ruiz", "language": "es", "reached_at-TOTAL_FORMS": 0, "reached_at-INITIAL_FORMS": 0}

    response = chief.post(page_of(leo), {**form, "is_guardian_kept_out": "on"})

    assert response.status_code == 302, response.content.decode()
    leo.refresh_from_db()
    visit.refresh_from_db()
    assert leo.is_guardian_kept_out
    assert visit.link_token != old


def test_only_who_may_change_patients_of_this_clinic_may_say_so(speaking: Practice, leo: Patient) -> None:
    act = reverse("patient-guardian", args=[leo.pk])

    assert at_desk(speaking.clinic, role=Role.PRACTITIONER).post(act, {"notify": "no"}).status_code == 403
    assert at_desk(ClinicFactory.create()).post(act, {"notify": "no"}).status_code == 404
    leo.refresh_from_db()
    assert not leo.is_guardian_kept_out
