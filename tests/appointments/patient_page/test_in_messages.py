"""The link in what patients are told: said each time, the same for ever, and not kept with what was sent."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import translation

from appointments.message_names import REMINDER
from appointments.models import Appointment
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.clinic_time import at_clinic, long_date, short_date
from messaging.models import Attempt, Contact, SendingAccount
from messaging.texts.definitions import list_template_texts
from tests.appointments.chat import hear, last_message, run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, book_url, code
from tests.appointments.patient_page.links import link, phone
from tests.messaging.sending.fakes import FakeChannel
from tests.messaging.templates import make_template

TUESDAY = date(2026, 4, 21)


@pytest.mark.parametrize("has_written", [False, True])
def test_the_same_link_stands_in_every_message_and_in_no_record_of_it(
    speaking: Practice, channel: FakeChannel, now: datetime, has_written: bool
) -> None:
    if has_written:  # Then the text goes as written, and not as a template.
        hear(speaking.clinic, now=now, text="Hola")
        run(now=now)
        channel.calls.clear()
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    slot = speaking.slot(TUESDAY, time(12))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)

    page = f"{settings.BASE_URL}{link(visit)}"
    assert len(said(channel)) == 2
    assert all(page in text for text in said(channel))
    kept = list(Attempt.objects.for_clinic(speaking.clinic).values_list("text", flat=True))
    assert kept and not any(visit.link_token in text for text in kept)


def test_who_cancels_on_the_page_is_not_told_that_the_clinic_did(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)

    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=Actor.patient(visit.patient_id), now=now)
    run(now=now)

    assert said(channel)[-1].startswith("visit_cancelled_by_patient/es:")


def test_whoever_speaks_portuguese_reads_nothing_else_though_the_desk_works_in_spanish(
    speaking: Practice, channel: FakeChannel, default_rules: None
) -> None:
    """clinics C32: confirmation, reminder, answer and page."""
    account = SendingAccount.objects.for_clinic(speaking.clinic).get()
    now = clock.now()
    for name in list_template_texts():
        make_template(account, name, language="pt", now=now)
    joao = speaking.add("João Silva", phone="+34 612 999 000", language="pt", now=now)
    desk = at_desk(speaking.clinic)
    sent = {"token": str(uuid4()), "note": ""}

    with translation.override("es"):
        desk.post(
            book_url(speaking, patient=joao.pk, at=code(speaking, days=5)), sent, headers={"accept-language": "es"}
        )
        run(now=now)
        visit = Appointment.objects.for_clinic(speaking.clinic).get()
        eve = at_clinic(visit.starts_at, speaking.clinic).replace(hour=10, minute=1) - timedelta(days=1)
        run(now=eve)
        asked = last_message(speaking.clinic, REMINDER)
        his = Contact.objects.for_clinic(speaking.clinic).get(address="+34612999000")
        hear(speaking.clinic, now=eve, action="confirm", answers=asked, contact=his)
        run(now=eve)
        page = phone().get(link(visit), headers={"accept-language": "es"}).content.decode()

    confirmation, reminder, answer = said(channel)
    when = f"{short_date(visit.local_date, language='pt')}, 10:30"
    assert confirmation.startswith("visit_booked/pt_BR:") and reminder.startswith("visit_reminder_ask/pt_BR:")
    assert answer.startswith(f"Obrigado pela resposta. A consulta de João está confirmada: {when}.")
    assert all(when in text for text in (confirmation, reminder))
    assert '<html lang="pt">' in page and long_date(visit.local_date, language="pt").capitalize() in page
    assert "Esperamos João." in page and "Remarcar" in page
