from __future__ import annotations

from datetime import datetime

import pytest

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, list_steps
from outbox import conf
from tests.outbox.telling import OBEY, WRITE, Behaviour, effects, tell

pytestmark = pytest.mark.django_db


def run_step(*, now: datetime, deadline: Deadline) -> dict[str, int]:
    (step,) = (step for step in list_steps() if step.name == "outbox.deliver_events")
    assert (step.order, step.every_seconds) == (30, 0)
    return dict(step.run(now=now, real=clock.real(), deadline=deadline).counts)


def test_the_tick_delivers_what_is_due(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)

    assert run_step(now=now, deadline=Deadline(50)) == {"deliveries_done": 2}
    assert (effects(WRITE), effects(OBEY)) == ([1], [1])


def test_what_a_handler_publishes_is_delivered_before_the_tick_goes_on(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.PUBLISHES, now=now)

    assert run_step(now=now, deadline=Deadline(50)) == {"deliveries_done": 4}
    assert (effects(WRITE), effects(OBEY)) == ([1, 2], [1, 2])


def test_one_step_leaves_the_others_their_turn(clinic: Clinic, now: datetime) -> None:
    for thing in range(conf.BATCH):
        tell(clinic, thing=thing, now=now)

    assert run_step(now=now, deadline=Deadline(50)) == {"deliveries_done": conf.BATCH}


def test_a_tick_told_to_stop_begins_nothing_more(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    deadline = Deadline(50)
    deadline.end_now()

    assert run_step(now=now, deadline=deadline) == {}
