"""Who takes which messages in hand, and what becomes of those whose holder is gone."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import datetime, timedelta

import pytest
from django.db import connection

from clinicbot import clock
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.models import Attempt, AttemptState, Contact, Message, MessageState, StaffTask
from messaging.reasons import describe
from messaging.usecases.leasing import Leased, give_back, lease_alone, lease_batch, rescue_lapsed_leases
from scheduler.usecases.ticking import Source, run_tick
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, open_window, queue, say, send, states_of


def again_of(leased: Leased) -> Message:
    return Message.unscoped.get(pk=leased.message_id)


def say_many(clinic: Clinic, count: int, *, now: datetime, person: int = 1, urgency: int = 5) -> list[Message]:
    messages = [
        say(clinic, subject=Subject("visit", f"{person}-{number}"), person=Person("patient", person), now=now)
        for number in range(count)
    ]
    Message.unscoped.filter(pk__in=[message.pk for message in messages]).update(urgency=urgency)
    return messages


def clinics_of(leased: list[Leased]) -> Counter[int]:
    return Counter(row.clinic_id for row in leased)


def lapse_all() -> None:
    Message.unscoped.filter(leased_until__isnull=False).update(leased_until=clock.real() - timedelta(seconds=1))


def rescue(*, now: datetime) -> int:
    return rescue_lapsed_leases(real=clock.real(), now=now)


def test_a_clinic_with_a_thousand_does_not_keep_another_waiting(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    say_many(clinic, 30, now=now - timedelta(hours=1))
    other = ClinicFactory.create()
    say_many(other, 4, now=now)

    leased = lease_batch(resting=[], now=now)

    assert clinics_of(leased) == {clinic.pk: 4, other.pk: 4}


def test_what_is_urgent_goes_first_but_not_every_time(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    urgent = {message.pk for message in say_many(clinic, 60, now=now, urgency=0)}
    say_many(clinic, 60, now=now, person=2, urgency=8)

    batches = [{row.message_id for row in lease_batch(resting=[], now=now)} for _ in range(5)]

    assert [len(batch) for batch in batches] == [8] * 5
    assert sum(batch <= urgent for batch in batches) == 4
    assert sum(len(batch & urgent) == 4 for batch in batches) == 1


def test_what_is_not_due_stays(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    queue(clinic, now=now, due_at=now + timedelta(seconds=1))

    assert lease_batch(resting=[], now=now) == []
    assert len(lease_batch(resting=[], now=now + timedelta(seconds=1))) == 1


def test_what_is_in_a_hand_is_not_taken_again(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    say(clinic, now=now)
    assert len(lease_batch(resting=[], now=now)) == 1

    assert lease_batch(resting=[], now=now) == []


def test_what_is_given_back_is_anybodys_again_and_what_another_took_meanwhile_is_not(
    clinic: Clinic, kind: FakeKind, now: datetime
) -> None:
    say_many(clinic, 3, now=now)
    first, second, third = lease_batch(resting=[], now=now)
    Message.unscoped.filter(pk=second.message_id).update(
        lease_no=second.lease_no + 2
    )  # Rescued, and leased by another.
    Message.unscoped.filter(pk=third.message_id).update(state=MessageState.CANCELLED, leased_until=None)

    give_back([first, second, third])

    assert [row.message_id for row in lease_batch(resting=[], now=now)] == [first.message_id]
    assert again_of(first).lease_no == first.lease_no + 2
    assert again_of(third).lease_no == third.lease_no


def test_a_resting_clinic_is_passed_over(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    say(clinic, now=now)

    assert lease_batch(resting=[clinic.pk], now=now) == []
    assert lease_alone(resting=[clinic.pk], now=now) == []


@pytest.mark.django_db(transaction=True)
def test_many_who_lease_at_once_never_share_a_message(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    say_many(clinic, 64, now=now)
    start = threading.Barrier(8)
    taken: list[Leased] = []

    def lease() -> None:
        start.wait()
        taken.extend(lease_batch(resting=[], now=now))
        connection.close()

    threads = [threading.Thread(target=lease) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(taken) == len({row.message_id for row in taken})
    assert len(taken) >= 32  # Whoever finds rows locked takes the next ones.


def test_a_lapsed_lease_charges_nothing_and_its_rows_go_alone(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    messages = say_many(clinic, 3, now=now)
    lease_batch(resting=[], now=now)
    lapse_all()

    assert rescue(now=now) == 3

    assert {(m.state, m.lapses, m.tries) for m in map(again, messages)} == {(MessageState.QUEUED, 0, 0)}
    assert lease_batch(resting=[], now=now) == []
    assert len(lease_alone(resting=[], now=now)) == 1
    assert len(lease_alone(resting=[], now=now)) == 1


def test_three_lapses_alone_end_a_message_and_a_person_hears_of_it(
    clinic: Clinic, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)
    lease_batch(resting=[], now=now)
    lapse_all()
    rescue(now=now)

    for lapses in (1, 2):
        lease_alone(resting=[], now=now)
        lapse_all()
        rescue(now=now)
        assert (again(message).state, again(message).lapses) == (MessageState.QUEUED, lapses)
    lease_alone(resting=[], now=now)
    lapse_all()
    rescue(now=now)

    assert (again(message).state, again(message).reason) == (MessageState.FAILED, "crashed")
    [task] = StaffTask.objects.for_clinic(clinic)
    assert (task.reason, task.detail, task.message_id) == ("not_delivered", "crashed", message.pk)


class KilledError(BaseException):
    """What SIGKILL is to the code: nothing after it runs."""


@pytest.fixture
def poison(clinic: Clinic, contact: Contact, kind: FakeKind, now: datetime) -> Message:
    """A message whose rendering kills its process."""
    message = say(clinic, subject=Subject("visit", "poison"), now=now)

    def kill(messages: object) -> None:
        if message.pk in {m.message_id for m in messages}:  # type: ignore[attr-defined]
            raise KilledError

    kind.on_check = kill
    return message


def test_a_message_that_kills_its_process_takes_nobody_with_it(
    clinic: Clinic, poison: Message, channel: FakeChannel, now: datetime
) -> None:
    good = say_many(clinic, 7, now=now, person=7)

    for _tick in range(12):
        with_kill(now=now)
        lapse_all()
        rescue(now=now)

    assert {states_of(message)[0] for message in good} == {MessageState.ACCEPTED}
    assert len(channel.calls) == len(good)
    assert (again(poison).state, again(poison).reason) == (MessageState.FAILED, "crashed")


def with_kill(*, now: datetime) -> None:
    """One process: rounds until nothing is left, or until it dies."""
    try:
        while send(now=now).more:
            pass
    except KilledError:
        return


def test_a_crash_with_an_attempt_in_doubt_is_not_called_failed(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)
    send(now=now)
    Attempt.unscoped.filter(message=message).update(state=AttemptState.UNKNOWN)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED, runs_alone=True, lapses=2)
    lease_alone(resting=[], now=now)
    lapse_all()

    rescue(now=now)

    assert again(message).state == MessageState.UNKNOWN


def test_an_error_of_a_kind_costs_only_the_message_that_causes_it_and_only_time(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    bad, good = say_many(clinic, 2, now=now, person=7)
    kind.fails_for = {bad.pk}

    for minute in range(60):
        send(now=now + timedelta(minutes=minute))
    assert again(good).state == MessageState.ACCEPTED
    assert (again(bad).state, again(bad).reason) == (MessageState.QUEUED, "trouble")
    assert kind.failures < 45  # Not each minute: it backs off.

    kind.fails_for = set()
    send(now=now + timedelta(hours=2))
    assert again(bad).state == MessageState.ACCEPTED


def test_of_three_due_at_once_the_one_that_cannot_be_judged_is_told_and_the_others_go(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, caplog: pytest.LogCaptureFixture
) -> None:
    """clinics C17."""
    # Given
    now = clock.now()
    open_window(contact, at=now)
    first, second, third = say_many(clinic, 3, now=now, person=7)
    kind.fails_for = {second.pk}

    # When
    tick = run_tick(budget_seconds=20, source=Source.CRON)

    # Then
    assert tick.errors == {}
    assert [again(one).state for one in (first, second, third)] == ["accepted", "queued", "accepted"]
    assert describe(again(second).reason) == "It could not be prepared and is tried again."
    alerts = [record for record in caplog.records if record.message == "A message kind failed."]
    assert [record.levelname for record in alerts] == ["ERROR", "ERROR"]
    assert alerts[-1].messages == [str(second.pk)]  # type: ignore[attr-defined]
    send(now=now + timedelta(days=3))
    assert again(second).state == MessageState.EXPIRED
    assert StaffTask.objects.for_clinic(clinic).get().message_id == second.pk


def test_a_message_that_could_never_be_prepared_is_told_to_staff(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    bad = say(clinic, now=now)
    kind.fails_for = {bad.pk}
    send(now=now)

    send(now=now + timedelta(days=3))

    assert again(bad).state == MessageState.EXPIRED
    assert StaffTask.objects.for_clinic(clinic).get().message_id == bad.pk
