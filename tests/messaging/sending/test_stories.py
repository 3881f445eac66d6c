"""The counterexamples that a model checker found: each fails when its rule is taken out."""

from __future__ import annotations

from datetime import datetime, timedelta

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging import conf
from messaging.channels.base import Verdict
from messaging.contracts import Subject
from messaging.models import Attempt, Contact, Message, MessageState, SendingAccount
from messaging.steady import steady_seconds
from messaging.usecases.calling import Call, Called, make_calls
from messaging.usecases.committing import commit_wave
from messaging.usecases.judging import judge
from messaging.usecases.leasing import lease_batch, rescue_lapsed_leases
from messaging.usecases.outcomes import record_outcomes
from messaging.usecases.rescuing import rescue_cut_off
from messaging.usecases.sending import cancel_overtaken, send_again
from messaging.usecases.switches import release_switch, throw_switch
from tests.messaging.sending.drive import begin, finish, look
from tests.messaging.sending.fakes import (
    PATIENT,
    VISIT,
    FakeChannel,
    FakeKind,
    accepted,
    again,
    apply_receipt,
    attempts_of,
    receipt,
    refused,
    say,
    send,
    states_of,
)
from tests.messaging.templates import make_template

STAFF = Actor.system()


def overtake(clinic: Clinic, *, now: datetime, below: int = 2) -> int:
    return cancel_overtaken(
        clinic.pk,
        subject_type=VISIT.type,
        subject_id=VISIT.id,
        below_version=below,
        person=PATIENT,
        now=now,
    )


def test_a_message_overtaken_while_the_wave_judges_it_does_not_go(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)

    # The visit is cancelled after the guard has read it, before the wave commits.
    kind.on_check = lambda messages: overtaken.append(overtake(clinic, now=now))
    overtaken: list[int] = []
    send(now=now)

    assert overtaken == [1]
    assert channel.calls == []
    assert states_of(message) == (MessageState.CANCELLED, [])


def test_what_is_in_its_call_is_not_overtaken_and_the_newer_word_comes_after_it(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    confirmation = say(clinic, now=now)
    begun = begin(now=now)

    assert overtake(clinic, now=now) == 0
    moved = say(clinic, subject=Subject("visit", "1", 2), now=now)
    send(now=now)
    assert again(moved).state == MessageState.QUEUED
    assert again(moved).reason == "older_on_its_way"
    assert channel.calls == []

    finish(begun, now=now)
    send(now=now + timedelta(seconds=3))
    assert again(confirmation).state == MessageState.ACCEPTED
    assert again(moved).state == MessageState.ACCEPTED
    assert [call.attempt_id for call in channel.calls] == [attempts_of(m)[0].pk for m in (confirmation, moved)]


def test_of_two_about_one_visit_in_one_wave_the_older_goes_first(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    older = say(clinic, now=now)
    newer = say(clinic, subject=Subject("visit", "1", 2), now=now)
    unrelated = say(clinic, subject=Subject("visit", "2", 1), now=now)

    send(now=now)

    assert [again(m).state for m in (older, newer, unrelated)] == ["accepted", "queued", "accepted"]


def test_a_process_that_wakes_after_its_lease_does_not_call(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    [call] = begin(now=now)
    late = Call(
        attempt_id=call.attempt_id,
        message_id=call.message_id,
        channel=call.channel,
        outbound=call.outbound,
        begin_before=steady_seconds() - 0.001,
    )
    rescue_cut_off(real=clock.real() + timedelta(hours=1), now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])

    record_outcomes(next(make_calls([late])), real=clock.real(), now=now)

    assert channel.calls == []
    assert states_of(message) == (MessageState.QUEUED, ["failed"])
    assert (again(message).reason, again(message).tries) == ("not_sent", 0)
    send(now=now)
    assert states_of(message) == (MessageState.ACCEPTED, ["failed", "accepted"])


def test_the_last_moment_to_begin_leaves_the_call_its_time_within_the_lease(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    before = steady_seconds()

    [call] = begin(now=now)

    leased_until = again(message).leased_until
    assert leased_until is not None
    lease_left = (leased_until - clock.real()).total_seconds()
    assert call.begin_before - steady_seconds() <= lease_left - conf.send_call_seconds()
    assert call.begin_before > before


def test_an_outcome_counts_whatever_has_become_of_the_lease(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    rescue_cut_off(real=clock.real() + timedelta(hours=1), now=now)
    assert again(message).state == MessageState.UNKNOWN

    finish(begun, now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["accepted"])


def test_what_is_written_held_after_the_release_goes_with_the_next_look(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)
    switch = throw_switch(clinic, reason="drill", actor=STAFF, now=now)
    leased = lease_batch(resting=[], now=now)
    decisions = judge([message.pk], real=clock.real(), now=now)

    # Released, and held ones looked at, before the wave writes what it has read.
    release_switch(switch, actor=STAFF, now=now)
    look(now=now)
    commit_wave(leased, decisions, now=now)
    assert again(message).state == MessageState.HELD

    look(now=now)
    send(now=now)
    assert again(message).state == MessageState.ACCEPTED


def test_a_switch_thrown_after_the_lease_stops_the_call(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    leased = lease_batch(resting=[], now=now)

    throw_switch(None, reason="drill", actor=STAFF, now=now)
    commit_wave(leased, judge([message.pk], real=clock.real(), now=now), now=now)

    assert states_of(message) == (MessageState.HELD, [])
    assert again(message).reason == "kill_switch"


def test_sending_again_ends_the_older_generation(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    make_template(account, "visit_booked", now=now)
    message = say(clinic, now=now)
    send(now=now)
    [first] = attempts_of(message)

    newer = send_again(clinic.pk, message_id=message.pk, reason="nothing came", actor=STAFF, now=now)
    apply_receipt(receipt(first, "failed", at=now, failure=refused(Verdict.USE_TEMPLATE)), now=now)
    while send(now=now).more:
        pass

    assert states_of(message) == (MessageState.FAILED, ["failed"])
    assert again(message).reason == "sent_again"
    assert states_of(Message.unscoped.get(pk=newer)) == (MessageState.ACCEPTED, ["accepted"])
    assert len(channel.calls) == 2


def test_a_stale_hand_finds_its_lease_gone_after_any_change(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    stale = lease_batch(resting=[], now=now)
    decisions = judge([message.pk], real=clock.real(), now=now)
    Message.unscoped.filter(pk=message.pk).update(leased_until=clock.real() - timedelta(seconds=1))
    rescue_lapsed_leases(real=clock.real(), now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)  # Another process: taken, tried, back to `queued`.
    assert states_of(message) == (MessageState.QUEUED, ["failed"])

    assert commit_wave(stale, decisions, now=now) == []
    assert states_of(message) == (MessageState.QUEUED, ["failed"])


def test_a_judgement_whose_lease_has_lapsed_is_not_acted_on(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    stale = lease_batch(resting=[], now=now)
    decisions = judge([message.pk], real=clock.real(), now=now)
    Message.unscoped.filter(pk=message.pk).update(leased_until=clock.real() - timedelta(seconds=1))
    rescue_lapsed_leases(real=clock.real(), now=now)  # Nobody has taken it again yet.

    assert commit_wave(stale, decisions, now=now) == []
    assert states_of(message) == (MessageState.QUEUED, [])


def test_recording_twice_changes_nothing(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> None:
    message = say(clinic, now=now)
    [call] = begin(now=now)
    called = Called(call, accepted())

    record_outcomes([called], real=clock.real(), now=now)
    record_outcomes([called], real=clock.real(), now=now + timedelta(minutes=1))

    assert states_of(message) == (MessageState.ACCEPTED, ["accepted"])
    assert Attempt.unscoped.get().accepted_at == now


def test_a_release_moves_nothing_itself(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> None:
    message = say(clinic, now=now)
    switch = throw_switch(clinic, reason="drill", actor=STAFF, now=now)
    send(now=now)

    release_switch(switch, actor=STAFF, now=now)

    assert again(message).state == MessageState.HELD
