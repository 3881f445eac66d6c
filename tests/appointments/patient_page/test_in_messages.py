"""The link in what patients are told: said each time, the same for ever, and not kept with what was sent."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from django.conf import settings

from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from clinicbot.actors import Actor
from messaging.models import Attempt
from tests.appointments.chat import hear, run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.patient_page.links import link
from tests.messaging.sending.fakes import FakeChannel

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
