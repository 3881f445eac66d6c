"""A message held for want of its template asks staff once, and no longer once the template is there."""

from __future__ import annotations

from datetime import datetime

from clinicbot.models import Clinic
from messaging.models import Contact, MessageState, SendingAccount, StaffTask
from messaging.usecases.template_troubles import tell_troubles
from tests.factories import ContactFactory
from tests.messaging.sending.fakes import PATIENT, FakeChannel, FakeKind, again, say, send
from tests.messaging.templates import make_template


def open_tasks(clinic: Clinic) -> int:
    return StaffTask.objects.for_clinic(clinic).filter(state="open").count()


def test_the_task_of_a_missing_template_ends_when_it_is_approved(
    clinic: Clinic, account: SendingAccount, kind: FakeKind, channel: FakeChannel, now: datetime
) -> None:
    stranger: Contact = ContactFactory.create(clinic=clinic)
    kind.contacts[PATIENT] = (stranger.pk,)
    message = say(clinic, now=now)
    send(now=now)
    held, asked = again(message).state, open_tasks(clinic)

    template = make_template(account, "visit_booked", now=now)
    tell_troubles(template, now=now)

    assert (held, asked) == (MessageState.HELD, 1)
    assert open_tasks(clinic) == 0
