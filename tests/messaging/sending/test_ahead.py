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
from messaging.channels.base import Verdict
from messaging.contracts import Subject
from messaging.models import Contact, KillSwitch, Message
from messaging.usecases.covering import cover
from messaging.usecases.rounds import send_batches
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, refused, say, void


def queue_two_waves(clinic: Clinic, *, now: datetime) -> list[Message]:
    return [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(2 * conf.send_threads())]


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
