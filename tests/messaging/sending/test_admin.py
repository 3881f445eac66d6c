"""What staff see of the sender, and what they may do to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot.models import AuditEntry, Clinic, Role
from messaging.channels.base import Verdict
from messaging.models import AccountState, Contact, KillSwitch, Message, SendingAccount
from tests.canary import values
from tests.factories import ClinicFactory, MembershipFactory, SendingAccountFactory, UserFactory
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, attempts_of, refused, say, send

BACKEND = "clinicbot.auth.ClinicRoleBackend"


def member(clinic: Clinic, role: Role) -> Client:
    client = Client()
    client.force_login(MembershipFactory.create(clinic=clinic, role=role).user, backend=BACKEND)
    return client


@pytest.fixture
def as_chief(clinic: Clinic) -> Client:
    return member(clinic, Role.CLINIC_ADMIN)


@pytest.fixture
def as_desk(clinic: Clinic) -> Client:
    return member(clinic, Role.FRONT_DESK)


@pytest.fixture
def as_boss(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True), backend=BACKEND)
    return client


def page(model: str, name: str = "changelist", *args: object) -> str:
    return reverse(f"admin:messaging_{model}_{name}", args=args)


def act(client: Client, model: str, action: str, *ids: int | UUID, **more: str) -> Any:
    return client.post(page(model), {"action": action, "_selected_action": ids, **more}, follow=True)


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


@pytest.fixture
def failed(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> Message:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.REJECTED)]
    send(now=now)
    return message


def test_a_list_shows_ids_and_reasons_and_no_person(as_desk: Client, failed: Message, contact: Contact) -> None:
    content = as_desk.get(page("message")).content.decode()

    assert str(failed.pk) in content
    for personal in (contact.address, attempts_of(failed)[0].text, "Ada"):
        assert personal not in content


def test_a_messages_page_tells_its_story(as_chief: Client, failed: Message) -> None:
    content = as_chief.get(page("message", "change", failed.pk)).content.decode()

    assert "words of the provider" in content
    assert "131000" in content
    assert as_chief.get(page("attempt", "change", attempts_of(failed)[0].pk)).status_code == 200


def test_another_clinics_messages_are_not_seen_nor_acted_on(failed: Message) -> None:
    stranger = member(ClinicFactory.create(), Role.CLINIC_ADMIN)

    assert str(failed.pk) not in stranger.get(page("message")).content.decode()
    act(stranger, "message", "resend_selected", failed.pk, reason="mine now")
    assert Message.unscoped.count() == 1


def test_the_desk_sends_again_with_a_reason(as_desk: Client, failed: Message) -> None:
    act(as_desk, "message", "resend_selected", failed.pk)
    assert Message.unscoped.count() == 1

    act(as_desk, "message", "resend_selected", failed.pk, reason="number was fixed")

    assert again(failed).superseded
    assert Message.unscoped.get(generation=2).asked_again_reason == "number was fixed"


def test_what_cannot_be_sent_again_is_said(as_desk: Client, failed: Message) -> None:
    act(as_desk, "message", "resend_selected", failed.pk, reason="first")

    response = act(as_desk, "message", "resend_selected", failed.pk, reason="second")

    assert Message.unscoped.count() == 2
    assert len(said(response)) == 2


def test_the_desk_cancels_what_waits(as_desk: Client, clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    message = say(clinic, now=now)

    act(as_desk, "message", "cancel_selected", message.pk)

    assert again(message).state == "cancelled"
    assert AuditEntry.objects.filter(action="message.cancelled").count() == 1


def test_a_practitioner_only_looks(clinic: Clinic, failed: Message) -> None:
    practitioner = member(clinic, Role.PRACTITIONER)

    act(practitioner, "message", "resend_selected", failed.pk, reason="please")

    assert practitioner.get(page("message")).status_code == 200
    assert Message.unscoped.count() == 1


FORM = {
    "label": "Reception",
    "external_id": "555",
    "parent_id": "777",
    "display_address": "+34 910 000 000",
    "rate_per_second": "40",
}


def test_a_token_is_written_and_never_shown(as_chief: Client, clinic: Clinic) -> None:
    refused_form = as_chief.post(page("sendingaccount", "add"), FORM)
    assert refused_form.status_code == 200
    as_chief.post(page("sendingaccount", "add"), {**FORM, "new_token": "EAAsecret"})

    account = SendingAccount.objects.for_clinic(clinic).get()
    assert (account.access_token, account.channel) == ("EAAsecret", "whatsapp")
    shown = as_chief.get(page("sendingaccount", "change", account.pk)).content.decode()
    assert "EAAsecret" not in shown
    assert "EAAsecret" not in str(list(AuditEntry.objects.values_list("detail", flat=True)))


def test_an_empty_token_keeps_the_old_and_the_form_undoes_no_pause(
    as_chief: Client, clinic: Clinic, account: SendingAccount
) -> None:
    SendingAccount.unscoped.update(state=AccountState.PAUSED)

    as_chief.post(page("sendingaccount", "change", account.pk), {**FORM, "label": "Desk"})

    account.refresh_from_db()
    assert (account.label, account.access_token, account.state) == ("Desk", values.ACCOUNT_TOKEN, AccountState.PAUSED)


def test_a_clinic_admin_does_not_set_the_rate_and_a_superuser_does(
    as_chief: Client, as_boss: Client, account: SendingAccount
) -> None:
    as_chief.post(page("sendingaccount", "change", account.pk), {**FORM, "rate_per_second": "900"})
    account.refresh_from_db()
    assert account.rate_per_second == 40

    as_boss.post(page("sendingaccount", "change", account.pk), {**FORM, "rate_per_second": "80"})
    account.refresh_from_db()
    assert account.rate_per_second == 80


def test_an_account_is_paused_and_resumed(as_chief: Client, account: SendingAccount) -> None:
    act(as_chief, "sendingaccount", "pause_selected", account.pk)
    account.refresh_from_db()
    assert account.state == AccountState.PAUSED

    act(as_chief, "sendingaccount", "resume_selected", account.pk)
    account.refresh_from_db()
    assert account.state == AccountState.ACTIVE
    assert account.ramp_from is not None


def test_another_clinics_account_is_out_of_reach(as_chief: Client) -> None:
    foreign = SendingAccountFactory.create(clinic=ClinicFactory.create())

    act(as_chief, "sendingaccount", "pause_selected", foreign.pk)

    foreign.refresh_from_db()
    assert foreign.state == AccountState.ACTIVE
    assert as_chief.get(page("sendingaccount", "change", foreign.pk)).status_code == 302


def test_a_clinic_admin_stops_the_own_clinic_and_lets_it_go(as_chief: Client, clinic: Clinic) -> None:
    there = as_chief.get(page("killswitch", "add")).headers["Location"]
    as_chief.post(there, {"reason": "wrong texts", "knows": "on"})
    [switch] = KillSwitch.objects.all()
    assert (switch.clinic, switch.reason) == (clinic, "wrong texts")

    as_chief.post(there, {"reason": "once more", "knows": "on"})
    assert KillSwitch.objects.count() == 1

    act(as_chief, "killswitch", "release_selected", switch.pk)
    switch.refresh_from_db()
    assert switch.released_at is not None
    assert AuditEntry.objects.filter(clinic=clinic, action__startswith="kill_switch").count() == 2


def test_a_superuser_at_no_clinic_stops_all(as_boss: Client, as_desk: Client) -> None:
    as_boss.post(page("killswitch", "add"), {"reason": "provider is down"})

    assert KillSwitch.objects.get().clinic is None
    assert as_desk.get(page("killswitch", "add")).status_code == 403


def test_every_list_opens(as_boss: Client) -> None:
    for model in ("message", "attempt", "sendingaccount", "killswitch", "parkedreceipt"):
        assert as_boss.get(page(model)).status_code == 200
