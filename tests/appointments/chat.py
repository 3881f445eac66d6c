"""Drives the whole line in one process: deliver events, run jobs, send. And speaks as the patient."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Any

from django.db import transaction

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging.channels.base import FreeContent, OutboundMessage, TemplateContent
from messaging.events import InboundReceived
from messaging.models import Contact, InboundMessage, Message, SendingAccount
from messaging.usecases.answers import note_answer
from messaging.usecases.rounds import send_batch
from outbox.usecases.publishing import publish
from scheduler.usecases.working import run_due_jobs
from tests.drive import deliver_all
from tests.messaging.sending.fakes import FakeChannel

_wamids = itertools.count(1)


def run(*, now: datetime) -> None:
    """What a tick does, until nothing more is due."""
    deliver_all(now=now)
    run_due_jobs(now=now, real=clock.real(), deadline=Deadline(60))
    send_batch(real=clock.real(), now=now, deadline=Deadline(60))


def said(channel: FakeChannel) -> list[str]:
    """The texts that went out, or the templates' names with what fills them."""
    return [text_of(call) for call in channel.calls]


def text_of(call: OutboundMessage) -> str:
    content = call.content
    if isinstance(content, TemplateContent):
        return f"{content.name}/{content.language}: " + ", ".join(value for _name, value in content.parameters)
    assert isinstance(content, FreeContent)
    return content.body


def rows_of(call: OutboundMessage) -> list[str]:
    """The payloads of a list's rows."""
    assert isinstance(call.content, FreeContent)
    return [row.payload for section in call.content.sections for row in section.rows]


def buttons_of(call: OutboundMessage) -> dict[str, str]:
    """Label to payload."""
    assert isinstance(call.content, FreeContent)
    return {button.label: button.payload for button in call.content.buttons}


def hear(
    clinic: Clinic, *, now: datetime, text: str = "", action: str = "", answers: Message | None = None, **rest: Any
) -> InboundMessage:
    """A patient's message as the webhook stores it, and its event."""
    contact = rest.pop("contact", None) or Contact.objects.for_clinic(clinic).order_by("pk").first()
    assert contact is not None
    Contact.objects.for_clinic(clinic).filter(pk=contact.pk).update(last_inbound_at=now)
    with transaction.atomic():
        if answers is not None:
            note_answer(clinic.pk, message_id=answers.pk, action=action, now=now)
        inbound = InboundMessage.objects.create(
            clinic=clinic,
            account=SendingAccount.objects.for_clinic(clinic).get(),
            contact=contact,
            channel="whatsapp",
            provider_message_id=f"wamid.in{next(_wamids)}",
            type=rest.pop("type", "text" if not action else "button"),
            text=text or action,
            action=action,
            answers=answers,
            sent_at=now,
            received_at=now,
        )
        publish(InboundReceived(clinic_id=clinic.pk, inbound_id=inbound.pk), now=now)
    return inbound


def last_message(clinic: Clinic, kind: str) -> Message:
    message = Message.objects.for_clinic(clinic).filter(kind=kind).order_by("-pk").first()
    assert message is not None
    return message
