"""E-mail through the sender: as written, from the installation's address, and nobody tells what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from clinicbot.errors import MalformedEmailError
from clinicbot.models import Clinic
from messaging import contracts
from messaging.channels.base import FreeContent, Outcome, Verdict
from messaging.channels.registry import stand_in
from messaging.models import Contact, SendingAccount, StaffTask
from messaging.usecases.contacts import add_contact
from messaging.usecases.setting_up import have_email_account
from tests.factories import ClinicFactory
from tests.messaging.sending.drive import is_sent_once_more, put_in_doubt
from tests.messaging.sending.fakes import (
    KIND,
    PATIENT,
    FakeChannel,
    FakeKind,
    account_of,
    attempts_of,
    say,
    send,
    states_of,
)

MINUTE = timedelta(minutes=1)


class FakeMail(FakeChannel):
    kind = "email"


@pytest.fixture
def mail(db: None) -> Iterator[FakeMail]:
    fake = FakeMail()
    with stand_in(fake):
        yield fake


@pytest.fixture
def address(clinic: Clinic, kind: FakeKind, now: datetime) -> Contact:
    have_email_account(clinic)
    contact_id = add_contact(clinic, channel="email", typed=" Ada@Example.ORG ", now=now)
    kind.contacts[PATIENT] = (contact_id,)
    return Contact.objects.for_clinic(clinic).get(pk=contact_id)


def test_an_e_mail_goes_as_written_without_window_or_template(
    clinic: Clinic, address: Contact, mail: FakeMail, now: datetime
) -> None:
    message = say(clinic, now=now)

    send(now=now)

    [call] = mail.calls
    assert isinstance(call.content, FreeContent)
    head = call.content.letterhead
    assert head is not None
    assert (call.email, call.phone, call.user_id) == ("ada@example.org", "", "")
    assert (head.sender_name, head.language) == (clinic.name, "es")
    assert call.content.body.startswith(head.subject[:40])  # A text without a subject lends its first line.
    assert call.content.buttons == ()
    assert states_of(message) == ("accepted", ["accepted"])


def test_what_opens_a_door_is_said_and_not_kept(
    clinic: Clinic, address: Contact, mail: FakeMail, kind: FakeKind, now: datetime
) -> None:
    kind.unkept = frozenset({"where"})
    message = say(clinic, now=now)

    send(now=now)

    [call], [attempt] = mail.calls, attempts_of(message)
    assert isinstance(call.content, FreeContent)
    assert kind.variables["where"] in call.content.body
    assert kind.variables["where"] not in attempt.text
    assert kind.variables["patient"] in attempt.text


@pytest.mark.parametrize("rather_twice", [False, True])
def test_in_doubt_it_goes_once_more_only_where_the_kind_would_rather_twice(
    clinic: Clinic, address: Contact, mail: FakeMail, now: datetime, rather_twice: bool
) -> None:
    """Channels without evidence: at most once, unless the kind says otherwise."""
    contracts._kinds[KIND] = replace(contracts._kinds[KIND], rather_twice=rather_twice)
    message = say(clinic, now=now)
    put_in_doubt(message, now=now, began=12 * MINUTE)

    went_again = is_sent_once_more(message, mail, now=now)

    tasks = StaffTask.objects.for_clinic(clinic).filter(message=message, reason="not_known_whether_sent")
    assert went_again == rather_twice
    assert tasks.exists() == (not rather_twice)


def test_a_server_that_refuses_us_pauses_e_mail_alone(
    clinic: Clinic, account: SendingAccount, address: Contact, mail: FakeMail, now: datetime
) -> None:
    mail.script = [Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="535 5.7.8")]
    message = say(clinic, now=now)

    send(now=now)
    send(now=now)

    states = dict(SendingAccount.objects.for_clinic(clinic).values_list("channel", "state"))
    assert states == {"email": "paused", "whatsapp": "active"}
    assert states_of(message) == ("held", ["failed"])


def test_each_clinic_has_one_account_on_the_address_they_share(clinic: Clinic) -> None:
    other = ClinicFactory.create()

    ids = [have_email_account(one) for one in (clinic, other, clinic)]

    assert ids[0] == ids[2] != ids[1]
    assert account_of(clinic).external_id == account_of(other).external_id == ""


def test_an_address_is_one_contact_however_it_is_typed(clinic: Clinic, address: Contact, now: datetime) -> None:
    same = add_contact(clinic, channel="email", typed="ADA@example.org", now=now)

    assert same == address.pk


@pytest.mark.parametrize("typed", ["", "ada", "ada@", "a b@x.example", f"{'a' * 65}@x.example", "ada@localhost"])
def test_what_is_no_address_is_refused(clinic: Clinic, now: datetime, typed: str) -> None:
    with pytest.raises(MalformedEmailError):
        add_contact(clinic, channel="email", typed=typed, now=now)
