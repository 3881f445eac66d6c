"""The next wave is judged while the calls of the one before are made; what may have changed meanwhile is asked again."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import OperationalError
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging import conf
from messaging.channels.base import OutboundMessage, Verdict
from messaging.contracts import Subject
from messaging.models import Contact, KillSwitch, Message, SendingAccount
from messaging.usecases.covering import cover
from messaging.usecases.rounds import send_batches
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel, FakeKind, accepted, again, refused, say, void


def queue_two_waves(clinic: Clinic, *, now: datetime) -> list[Message]:
    return [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(2 * conf.send_threads())]


def queue_waves(clinic: Clinic, count: int, *, now: datetime) -> list[Message]:
    SendingAccount.unscoped.update(rate_per_second=1_000)  # The bucket is not what this is about.
    subjects = [Subject("visit", str(number)) for number in range(count * conf.send_threads())]
    return [say(clinic, subject=subject, now=now) for subject in subjects]


def before_the_second_check(kind: FakeKind, act: Callable[[], object]) -> None:
    """The second wave is judged while the first is in its calls."""
    checks = itertools.count(1)
    kind.on_check = lambda messages: void(act()) if next(checks) == 2 else None


def test_a_switch_thrown_after_the_next_wave_was_judged_ahead_still_stops_it(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    messages = queue_two_waves(clinic, now=now)
    before_the_second_check(kind, lambda: KillSwitch.objects.create(thrown_at=now))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) == conf.send_threads()
    assert {again(message).reason for message in messages if again(message).state == "held"} == {"kill_switch"}


def test_a_clinic_suspended_after_the_next_wave_was_judged_ahead_still_holds_it(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    messages = queue_two_waves(clinic, now=now)
    before_the_second_check(kind, lambda: Clinic.objects.filter(pk=clinic.pk).update(suspended_at=now))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) == conf.send_threads()
    held = {again(message).reason for message in messages if again(message).state == "held"}
    assert held == {"clinic_suspended"}


def test_what_stops_another_clinic_costs_a_wave_no_second_judgement(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    queue_two_waves(clinic, now=now)
    KillSwitch.objects.create(clinic=ClinicFactory.create(), thrown_at=now)
    ClinicFactory.create(suspended_at=now)
    checks: list[int] = []
    kind.on_check = lambda messages: checks.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert checks == [conf.send_threads()] * 2


def test_a_text_that_names_several_is_judged_again_just_before_it_goes(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    """One of them may have changed since, and the text with it."""
    messages = queue_two_waves(clinic, now=now)
    cover(clinic.pk, message_id=messages[-1].pk, subject=Subject("visit", "another"))
    checks: list[int] = []
    kind.on_check = lambda messages: checks.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert checks == [conf.send_threads()] * 3


def test_a_wave_that_was_judged_ahead_is_judged_again_when_the_one_before_did_not_go_well(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    messages = queue_two_waves(clinic, now=now)
    channel.script = [refused(Verdict.PAUSE_ACCOUNT)] * conf.send_threads()

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) <= conf.send_threads()
    assert "account_paused" in {again(message).reason for message in messages}


def test_facts_that_have_grown_old_are_asked_for_again(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime, settings: Settings
) -> None:
    settings.SEND_JUDGED_AHEAD_SECONDS = 0
    queue_two_waves(clinic, now=now)
    checks: list[int] = []
    kind.on_check = lambda messages: checks.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert len(channel.calls) == 2 * conf.send_threads()
    assert checks == [conf.send_threads()] * 3


def test_what_goes_wrong_while_judging_ahead_costs_no_call_its_outcome(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    messages = queue_two_waves(clinic, now=now)

    def lose_the_database() -> None:
        raise OperationalError

    before_the_second_check(kind, lose_the_database)

    with pytest.raises(OperationalError):
        send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    states = Counter(again(message).state for message in messages)
    assert states == {"accepted": conf.send_threads(), "queued": conf.send_threads()}


def test_no_wave_is_judged_ahead_while_one_waits_to_be_leased_alone(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    """Should that one stop the process, nothing else is in its hands."""
    messages = queue_two_waves(clinic, now=now)
    Message.unscoped.filter(pk=messages[-1].pk).update(runs_alone=True)
    checked: list[int] = []
    kind.on_check = lambda messages: checked.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert checked == [conf.send_threads(), 1, conf.send_threads() - 1]


def test_waves_that_will_begin_while_their_facts_are_fresh_are_judged_together(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime, settings: Settings
) -> None:
    """One by one until it is known how long a wave takes."""
    settings.SEND_JUDGED_AHEAD_SECONDS = 600
    messages = queue_waves(clinic, 6, now=now)
    checks: list[int] = []
    kind.on_check = lambda messages: checks.append(len(messages))

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert checks == [conf.send_threads(), conf.send_threads(), 4 * conf.send_threads()]
    assert {again(message).state for message in messages} == {"accepted"}


def test_what_was_judged_together_is_judged_again_when_one_wave_did_not_go_well(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime, settings: Settings
) -> None:
    settings.SEND_JUDGED_AHEAD_SECONDS = 600
    messages = queue_waves(clinic, 6, now=now)
    third = 2 * conf.send_threads()
    channel.script.extend(accepted() for _ in range(third))
    channel.script.extend([refused(Verdict.PAUSE_ACCOUNT)] * conf.send_threads())

    send_batches(real=clock.real(), now=now, deadline=Deadline(600))

    assert third < len(channel.calls) <= third + conf.send_threads()
    rows = [again(message) for message in messages]
    assert {(row.state, row.reason) for row in rows} == {("accepted", ""), ("held", "account_paused")}


def test_a_tick_that_is_told_to_end_gives_back_what_it_had_leased_ahead(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime, settings: Settings
) -> None:
    settings.SEND_JUDGED_AHEAD_SECONDS = 600
    messages = queue_waves(clinic, 6, now=now)
    deadline = Deadline(600)

    def end_in_the_third_wave(message: OutboundMessage) -> None:
        if len(channel.calls) > 2 * conf.send_threads():
            deadline.end_now()

    channel.during = end_in_the_third_wave

    send_batches(real=clock.real(), now=now, deadline=deadline)

    assert len(channel.calls) == 3 * conf.send_threads()
    rows = [again(message) for message in messages]
    waiting = [row for row in rows if row.state == "queued"]
    assert len(waiting) == 3 * conf.send_threads()
    assert {(row.leased_until, row.lapses, row.runs_alone, row.tries) for row in waiting} == {(None, 0, False, 0)}
