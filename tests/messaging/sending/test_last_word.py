"""A call that hung and landed after a newer message leaves the old word as the last: a person is asked to look."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clinicbot.models import Clinic
from messaging.channels.base import Verdict
from messaging.contracts import Subject, TaskReason
from messaging.models import Contact, StaffTask
from messaging.usecases.receipts import apply_receipts
from tests.messaging.sending.fakes import FakeChannel, accepted, attempts_of, receipt, refused, say, send


@pytest.mark.parametrize(("landed_after", "asks"), [(timedelta(seconds=40), True), (timedelta(seconds=1), False)])
def test_an_old_word_that_lands_last_is_a_task(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime, landed_after: timedelta, asks: bool
) -> None:
    channel.script = [refused(Verdict.UNKNOWN), accepted()]
    old = say(clinic, subject=Subject("visit", "1", 1), now=now)
    send(now=now)
    say(clinic, subject=Subject("visit", "1", 2), now=now + timedelta(seconds=10))
    send(now=now + timedelta(seconds=10))

    (hung,) = attempts_of(old)
    for _ in range(2):
        apply_receipts([receipt(hung, "sent", at=now + landed_after)], now=now + timedelta(minutes=1))

    reasons = list(StaffTask.objects.for_clinic(clinic).values_list("reason", flat=True))
    assert reasons == ([TaskReason.OLD_WORD_LAST] if asks else [])


def test_a_doubt_about_the_newest_word_asks_nothing(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    channel.script = [accepted(), refused(Verdict.UNKNOWN)]
    say(clinic, subject=Subject("visit", "1", 1), now=now)
    send(now=now)
    newest = say(clinic, subject=Subject("visit", "1", 2), now=now)
    send(now=now)

    (hung,) = attempts_of(newest)
    apply_receipts([receipt(hung, "delivered", at=now + timedelta(seconds=40))], now=now + timedelta(minutes=1))

    assert not StaffTask.objects.for_clinic(clinic).exists()
