"""The next wave is leased while the calls of the one before are made, and judged when its turn comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import OperationalError

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging import conf
from messaging.channels.base import OutboundMessage, Verdict
from messaging.contracts import Category, ConsentSource, Standing, Subject
from messaging.models import Contact, KillSwitch, Message, SendingAccount
from messaging.usecases import leasing, rounds
from messaging.usecases.consents import withdraw
from messaging.usecases.rounds import send_batches
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, refused, say


def queue_waves(clinic: Clinic, count: int, *, now: datetime) -> list[Message]:
    SendingAccount.unscoped.update(rate_per_second=1_000)  # The bucket is not what this is about.
    subjects = [Subject("visit", str(number)) for number in range(count * conf.send_threads())]
    return [say(clinic, subject=subject, now=now) for subject in subjects]


@pytest.fixture
def after_the_lease(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Have something happen once the second wave is leased, and the first in its calls."""

    def arrange(act: Callable[[], object]) -> None:
        leases = []

        def lease(**wish: object) -> object:
            leases.append(lease_batch(**wish))  # type: ignore[arg-type]
            if len(leases) == 2:
                act()
            return leases[-1]

        lease_batch = leasing.lease_batch
        monkeypatch.setattr(rounds, "lease_batch", lease)

    return arrange


def stop(clinic: Clinic, contact: Contact, kind: FakeKind, *, now: datetime, what: str) -> None:
    if what == "kill_switch":
        KillSwitch.objects.create(thrown_at=now)
    elif what == "clinic_suspended":
        Clinic.objects.filter(pk=clinic.pk).update(suspended_at=now)
    elif what == "account_paused":
        SendingAccount.unscoped.update(state="paused")
    elif what == "opted_out":
        withdraw(
            clinic.pk,
            contact_id=contact.pk,
            categories=[Category.VISITS],
            source=ConsentSource.KEYWORD,
            actor=Actor.system(),
            now=now,
        )
    else:
        kind.standing = Standing.skipped(what)


@pytest.mark.parametrize("what", ["kill_switch", "clinic_suspended", "account_paused", "opted_out", "visit_cancelled"])
def test_what_stops_being_true_after_the_next_wave_was_leased_does_not_go(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    kind: FakeKind,
    now: datetime,
    after_the_lease: Callable[[Callable[[], object]], None],
    what: str,
) -> None:
    messages = queue_waves(clinic, 2, now=now)
    after_the_lease(lambda: stop(clinic, contact, kind, now=now, what=what))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) == conf.send_threads()
    assert {again(message).reason for message in messages} == {"", what}


def test_a_wave_that_was_leased_ahead_waits_when_the_one_before_paused_the_account(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = queue_waves(clinic, 2, now=now)
    channel.script = [refused(Verdict.PAUSE_ACCOUNT)] * conf.send_threads()

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) <= conf.send_threads()
    assert "account_paused" in {again(message).reason for message in messages}


def test_what_goes_wrong_while_leasing_ahead_costs_no_call_its_outcome(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    now: datetime,
    after_the_lease: Callable[[Callable[[], object]], None],
) -> None:
    messages = queue_waves(clinic, 2, now=now)

    def lose_the_database() -> None:
        raise OperationalError

    after_the_lease(lose_the_database)

    with pytest.raises(OperationalError):
        send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    states = Counter(again(message).state for message in messages)
    assert states == {"accepted": conf.send_threads(), "queued": conf.send_threads()}


def test_no_wave_is_leased_ahead_while_one_waits_to_be_leased_alone(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    """Should that one stop the process, nothing else is in its hands."""
    messages = queue_waves(clinic, 2, now=now)
    Message.unscoped.filter(pk=messages[-1].pk).update(runs_alone=True)
    checked: list[int] = []
    kind.on_check = lambda messages: checked.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert checked == [conf.send_threads(), 1, conf.send_threads() - 1]


def test_a_tick_that_is_told_to_end_gives_back_what_it_had_leased_ahead(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = queue_waves(clinic, 3, now=now)
    deadline = Deadline(600)

    def end_in_the_second_wave(message: OutboundMessage) -> None:
        if len(channel.calls) > conf.send_threads():
            deadline.end_now()

    channel.during = end_in_the_second_wave

    send_batches(real=clock.real(), now=now, deadline=deadline)

    rows = [again(message) for message in messages]
    waiting = [row for row in rows if row.state == "queued"]
    assert len(channel.calls) + len(waiting) == 3 * conf.send_threads()
    assert waiting
    assert {(row.leased_until, row.lapses, row.runs_alone, row.tries) for row in waiting} == {(None, 0, False, 0)}
