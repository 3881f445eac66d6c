"""Cancelling, overtaking, sending again, and the kill switch."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic
from messaging.channels.base import Verdict
from messaging.contracts import Person, Subject
from messaging.errors import (
    AlreadySentAgainError,
    MessageNotFoundError,
    StillOnItsWayError,
    SwitchAlreadyThrownError,
    SwitchNotThrownError,
)
from messaging.models import Contact, KillSwitch, Message, MessageState, StaffTask
from messaging.usecases.sending import cancel_messages, cancel_overtaken, send_again
from messaging.usecases.switches import release_switch, throw_switch
from tests.factories import ClinicFactory
from tests.messaging.sending.drive import look
from tests.messaging.sending.fakes import PATIENT, FakeChannel, FakeKind, again, queue, refused, say, send

STAFF = Actor(ActorKind.STAFF, 5)


def overtake(clinic: Clinic, *, below: int, now: datetime) -> int:
    return cancel_overtaken(
        clinic.pk, subject_type="visit", subject_id="1", below_version=below, person=PATIENT, now=now
    )


def test_only_older_waiting_messages_of_that_person_about_that_subject_are_overtaken(
    clinic: Clinic, contact: Contact, kind: FakeKind, channel: FakeChannel, now: datetime
) -> None:
    gone = say(clinic, subject=Subject("visit", "1", 0), now=now)
    send(now=now)
    old = say(clinic, subject=Subject("visit", "1", 1), now=now)
    held = say(clinic, subject=Subject("visit", "1", 1), rule="held", now=now)
    Message.unscoped.filter(pk=held.pk).update(state=MessageState.HELD)
    kept = [
        say(clinic, subject=Subject("visit", "1", 2), now=now),
        say(clinic, subject=Subject("visit", "2", 1), now=now),
        say(clinic, subject=Subject("visit", "1", 1), person=Person("patient", 8), now=now),
        say(ClinicFactory.create(), subject=Subject("visit", "1", 1), now=now),
    ]

    assert overtake(clinic, below=2, now=now) == 2

    assert {(again(m).state, again(m).reason) for m in (old, held)} == {("cancelled", "overtaken")}
    assert {again(m).state for m in kept} == {"queued"}
    assert again(gone).state == "accepted"


def test_staff_take_back_what_waits_and_it_is_on_record(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    sent = say(clinic, now=now)
    send(now=now)
    waiting = say(clinic, subject=Subject("visit", "2"), now=now)

    cancelled = cancel_messages(clinic.pk, message_ids=[sent.pk, waiting.pk], actor=STAFF, now=now)

    assert cancelled == 1
    assert again(waiting).reason == "cancelled_by_staff"
    assert AuditEntry.objects.get(action="message.cancelled").subject_id == str(waiting.pk)


def test_another_clinic_takes_nothing_back(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    message = say(clinic, now=now)

    assert cancel_messages(ClinicFactory.create().pk, message_ids=[message.pk], actor=STAFF, now=now) == 0


def test_staff_send_a_failed_message_again_with_a_reason(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.REJECTED)]
    send(now=now)

    newer_id = send_again(clinic.pk, message_id=message.pk, reason="number was fixed", actor=STAFF, now=now)
    send(now=now)

    newer = Message.unscoped.get(pk=newer_id)
    assert (newer.state, newer.generation, newer.asked_again_reason) == ("accepted", 2, "number was fixed")
    assert AuditEntry.objects.get(action="message.sent_again").reason == "number was fixed"
    assert StaffTask.objects.for_clinic(clinic).get().state == "done"
    assert not queue(clinic, now=now).is_new


def test_a_double_click_sends_once(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> None:
    message = say(clinic, now=now)
    send(now=now)
    newer_id = send_again(clinic.pk, message_id=message.pk, reason="again", actor=STAFF, now=now)

    with pytest.raises(AlreadySentAgainError):
        send_again(clinic.pk, message_id=message.pk, reason="again", actor=STAFF, now=now)
    with pytest.raises(StillOnItsWayError):
        send_again(clinic.pk, message_id=newer_id, reason="again", actor=STAFF, now=now)


def test_what_is_too_late_gets_a_new_term_and_what_is_not_keeps_its_own(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now, expires_at=now + timedelta(hours=3))
    send(now=now)

    early = send_again(clinic.pk, message_id=message.pk, reason="again", actor=STAFF, now=now)
    send(now=now)
    late_at = now + timedelta(hours=4)
    late = send_again(clinic.pk, message_id=early, reason="again", actor=STAFF, now=late_at)

    assert Message.unscoped.get(pk=early).expires_at == now + timedelta(hours=3)
    assert Message.unscoped.get(pk=late).expires_at == late_at + timedelta(days=2)


def test_nothing_of_another_clinic_is_sent_again(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    send(now=now)

    for clinic_id, message_id in ((ClinicFactory.create().pk, message.pk), (clinic.pk, uuid4())):
        with pytest.raises(MessageNotFoundError):
            send_again(clinic_id, message_id=message_id, reason="again", actor=STAFF, now=now)


def test_a_clinics_switch_stops_that_clinic_until_it_is_released(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    throw_switch(ClinicFactory.create(), reason="drill", actor=STAFF, now=now)
    switch = throw_switch(clinic, reason="wrong texts", actor=STAFF, now=now)
    message = say(clinic, now=now)
    send(now=now)
    look(now=now)
    assert (again(message).state, again(message).reason) == ("held", "kill_switch")

    release_switch(switch, actor=STAFF, now=now)
    look(now=now)
    send(now=now)

    assert again(message).state == "accepted"
    log = AuditEntry.objects.filter(clinic=clinic, subject_type="messaging.killswitch").order_by("pk")
    assert list(log.values_list("action", "reason")) == [
        ("kill_switch.thrown", "wrong texts"),
        ("kill_switch.released", ""),
    ]


def test_a_switch_is_thrown_once_and_released_once(clinic: Clinic, now: datetime) -> None:
    switch = throw_switch(None, reason="drill", actor=STAFF, now=now)
    with pytest.raises(SwitchAlreadyThrownError):
        throw_switch(None, reason="drill", actor=STAFF, now=now)

    release_switch(switch, actor=STAFF, now=now)
    with pytest.raises(SwitchNotThrownError):
        release_switch(switch, actor=STAFF, now=now)
    throw_switch(None, reason="again", actor=STAFF, now=now)

    assert KillSwitch.objects.filter(released_at__isnull=True).count() == 1


def test_thousands_held_by_a_switch_cost_a_look_one_query(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime, django_assert_num_queries: object
) -> None:
    throw_switch(clinic, reason="drill", actor=STAFF, now=now)
    for number in range(300):
        say(clinic, subject=Subject("visit", str(number)), now=now)
    Message.unscoped.update(state=MessageState.HELD, reason="kill_switch")

    with django_assert_num_queries(2):  # type: ignore[operator]  # The clock, and the page that is empty.
        look(now=now)
