from __future__ import annotations

import logging
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.logs import JsonLines
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from outbox import conf, queries
from outbox.models import DeliveryState, OutboxDelivery
from outbox.usecases.dispatching import deliver_due, deliver_events
from tests.drive import deliver_all, deliver_all_again, make_deliveries_due
from tests.outbox.telling import OBEY, WRITE, Behaviour, delivery, effects, tell, tick


@pytest.mark.django_db
def test_each_handler_hears_of_an_event_once(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)

    report = tick(now=now)
    tick(now=now)

    assert report.counts == {"deliveries_done": 2}
    assert (effects(WRITE), effects(OBEY)) == ([1], [1])
    told = delivery(OBEY)
    assert (told.state, told.attempt, told.reported, told.last_error) == (DeliveryState.DELIVERED, 1, 1, "")
    assert told.finished_at is not None


@pytest.mark.django_db
def test_a_failed_handler_leaves_nothing_and_backs_off_alone(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS_AFTER_WRITING, now=now)

    report = tick(now=now)

    assert report.counts == {"deliveries_done": 1, "deliveries_failed": 1}
    assert (effects(WRITE), effects(OBEY)) == ([1], [])
    failed = delivery(OBEY)
    assert (failed.state, failed.attempt, failed.reported) == (DeliveryState.PENDING, 1, 1)
    assert failed.next_try_at > clock.real() + timedelta(seconds=conf.BACKOFF.base_seconds - 1)
    assert not report.more
    assert report.next_due_in_seconds is not None
    assert conf.BACKOFF.base_seconds - 1 < report.next_due_in_seconds < 2 * conf.BACKOFF.base_seconds


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("behaviour", "kept"),
    [(Behaviour.FAILS, "ToldToFailError told_to_fail"), (Behaviour.FAILS_INDISCREETLY, "ValueError")],
)
def test_an_error_is_kept_as_class_and_code_without_its_words(
    clinic: Clinic, now: datetime, caplog: pytest.LogCaptureFixture, behaviour: Behaviour, kept: str
) -> None:
    tell(clinic, behaviour=behaviour, now=now)

    with caplog.at_level(logging.DEBUG):
        tick(now=now)

    assert delivery(OBEY).last_error == kept
    told = [record for record in caplog.records if record.name.startswith("outbox")]
    assert [record.getMessage() for record in told] == ["A handler failed."]
    assert "Ada Byron" not in JsonLines().format(told[0])


@pytest.mark.django_db
def test_the_last_failure_is_the_end(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS, now=now)

    reports = []
    for _attempt in range(4):
        reports.append(tick(now=now))
        make_deliveries_due()

    dead = delivery(OBEY)
    assert (dead.state, dead.attempt, dead.last_error) == (DeliveryState.DEAD, 3, "ToldToFailError told_to_fail")
    assert dead.finished_at is not None
    assert [dict(report.counts) for report in reports[1:]] == [{"deliveries_failed": 1}, {"deliveries_dead": 1}, {}]


@pytest.mark.django_db
def test_spent_and_due_again_is_dead(clinic: Clinic, now: datetime) -> None:
    """protocol.md: pending for ever. The third attempt was counted, and its process never heard of again."""
    tell(clinic, now=now)
    OutboxDelivery.unscoped.filter(handler=OBEY).update(attempt=3)

    tick(now=now)

    dead = delivery(OBEY)
    assert (dead.state, dead.attempt, dead.last_error) == (DeliveryState.DEAD, 3, "crashed")
    assert effects(OBEY) == []


@pytest.mark.django_db
def test_one_bad_event_does_not_stop_the_others(clinic: Clinic, now: datetime) -> None:
    """job-engines C20: older poison than a batch holds."""
    for thing in range(30):
        tell(clinic, thing=thing, behaviour=Behaviour.FAILS, now=now)
    for thing in range(30, 40):
        tell(clinic, thing=thing, now=now)

    # However long it takes here, no back-off is over meanwhile.
    real, rounds = clock.real(), 1
    while deliver_due(now=now, real=real, deadline=Deadline(60), limit=10).more:
        rounds += 1

    assert rounds == 8
    assert effects(WRITE) == list(range(40))
    assert effects(OBEY) == list(range(30, 40))
    failed = OutboxDelivery.objects.for_clinic(clinic).filter(state=DeliveryState.PENDING)
    assert set(failed.values_list("attempt", flat=True)) == {1}


@pytest.mark.django_db
@pytest.mark.tells_on_purpose
def test_a_payload_that_no_longer_fits_is_an_ordinary_failure(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    told = delivery(OBEY)
    told.event.payload = {"thing_id": "nonsense"}
    told.event.save()

    tick(now=now)

    assert delivery(OBEY).last_error == "BadPayloadError bad_payload"


@pytest.mark.django_db
def test_a_handler_that_a_deploy_took_away_is_waited_for(
    clinic: Clinic, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    tell(clinic, now=now)
    OutboxDelivery.unscoped.filter(handler=OBEY).update(handler="tests.ghost")

    report = tick(now=now)

    ghost = delivery("tests.ghost")
    assert report.counts == {"deliveries_done": 1, "deliveries_of_unknown_handlers": 1}
    assert (ghost.state, ghost.attempt, ghost.last_error) == (DeliveryState.PENDING, 0, "unknown_handler")
    assert timedelta(minutes=59) < ghost.next_try_at - clock.real() <= timedelta(hours=1)
    assert "No handler answers to this name." in caplog.messages

    OutboxDelivery.unscoped.filter(handler="tests.ghost").update(handler=OBEY)
    deliver_all(now=now)
    assert effects(OBEY) == [1]
    assert delivery(OBEY).unknown_since is None


@pytest.mark.django_db
def test_a_handler_away_for_a_day_is_given_up(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    day_ago = clock.real() - conf.UNKNOWN_DEAD_AFTER
    ghosts = OutboxDelivery.unscoped.filter(handler=OBEY)
    ghosts.update(handler="tests.ghost", unknown_since=day_ago + timedelta(minutes=1))

    tick(now=now)
    assert delivery("tests.ghost").state == DeliveryState.PENDING

    OutboxDelivery.unscoped.filter(handler="tests.ghost").update(unknown_since=day_ago)
    make_deliveries_due()
    tick(now=now)

    dead = delivery("tests.ghost")
    assert (dead.state, dead.attempt, dead.last_error) == (DeliveryState.DEAD, 0, "unknown_handler")


@pytest.mark.django_db
def test_nothing_begins_after_the_deadline(clinic: Clinic, now: datetime) -> None:
    event_id = tell(clinic, now=now)
    real = clock.real()
    over = Deadline(0)

    report = deliver_due(now=now, real=real, deadline=over, limit=100)
    deliver_events([event_id], now=now, real=real, deadline=over)

    assert report.counts == {}
    assert set(OutboxDelivery.objects.for_clinic(clinic).values_list("attempt", flat=True)) == {0}


@pytest.mark.django_db
def test_the_nudge_delivers_its_own_events_only(clinic: Clinic, now: datetime) -> None:
    mine, _others = tell(clinic, thing=1, now=now), tell(clinic, thing=2, now=now)

    deliver_events([mine], now=now, real=clock.real(), deadline=Deadline(60))

    assert effects(WRITE) == [1]


@pytest.mark.django_db
def test_what_a_handler_publishes_is_due_in_the_next_round(clinic: Clinic, now: datetime) -> None:
    tell(clinic, thing=1, behaviour=Behaviour.PUBLISHES, now=now)

    assert tick(now=now).more
    assert not tick(now=now).more

    assert effects(WRITE) == [1, 2]


@pytest.mark.django_db
def test_running_again_is_what_a_crash_before_the_mark_would_do(clinic: Clinic, now: datetime) -> None:
    """The tests' own tool: a handler that is not idempotent shows."""
    tell(clinic, now=now)

    deliver_all(now=now)
    deliver_all_again(now=now)

    assert effects(WRITE) == [1, 1]


@pytest.mark.django_db
def test_driving_on_fails_when_a_handler_does(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS, now=now)

    with pytest.raises(AssertionError, match="told_to_fail"):
        deliver_all(now=now)


@pytest.mark.django_db(transaction=True)
def test_statements_for_each_delivery_are_few_and_do_not_grow(clinic: Clinic, now: datetime) -> None:
    def statements_for(number: int) -> int:
        for thing in range(number):
            tell(clinic, thing=thing, now=now)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert tick(now=now, limit=2 * number).counts == {"deliveries_done": 2 * number}
        return len(captured)

    few, many = statements_for(1), statements_for(41)

    # Each: count, begin, lock, the handler's own insert, mark, commit. And three for the pass, one of them the clock.
    assert (many - few) / (2 * 40) == 6
    assert few == 2 * 6 + 4


@pytest.mark.django_db
def test_suspects_come_last(clinic: Clinic, now: datetime) -> None:
    """A handler that killed its process has its turn when the others have had theirs."""
    for thing in (1, 2, 3):
        tell(clinic, thing=thing, now=now)
    OutboxDelivery.unscoped.filter(event__aggregate_id="1", handler=OBEY).update(attempt=1)
    real = clock.real()

    suspects = queries.list_suspect_handlers(real)
    due = queries.list_due(real, suspects=suspects, limit=100)
    hurried = queries.list_due_of([row.event_id for row in due], real=real, suspects=suspects)

    assert suspects == [OBEY]
    assert [row.handler for row in due] == [WRITE] * 3 + [OBEY] * 3
    assert [row.handler for row in hurried] == [WRITE] * 3


@pytest.mark.django_db
def test_a_handler_at_work_is_no_suspect(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    real = clock.real()
    OutboxDelivery.unscoped.filter(handler=OBEY).update(attempt=1, next_try_at=real + timedelta(seconds=30))

    assert queries.list_suspect_handlers(real) == []


@pytest.mark.django_db
def test_a_second_attempt_after_a_crash_is_suspect_while_it_runs(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    real = clock.real()
    OutboxDelivery.unscoped.filter(handler=OBEY).update(attempt=2, next_try_at=real + timedelta(seconds=30))

    assert queries.list_suspect_handlers(real) == [OBEY]

    deliver_all(now=now)
    assert queries.list_suspect_handlers(clock.real()) == []


@pytest.mark.django_db(transaction=True)
def test_dispatching_inside_a_transaction_is_refused(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)

    with transaction.atomic():
        tick(now=now)

    assert effects(WRITE) == []
    assert delivery(WRITE).last_error == "RuntimeError"
